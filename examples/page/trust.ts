// The agents this one trusts.
import {
  flush,
  getAgentInfo,
  getTrustedAgent,
  isLoaded,
  listTrustedAgents,
  SxError,
  trustAgent,
  untrustAgent,
  type ValidResult,
  verifyStandalone,
} from 'sx-agent/simple'
import { copyOf, element, onPress, onSubmit, show, within } from './view.ts'

const form = element('trust', HTMLFormElement)
const input = element('trust-text', HTMLTextAreaElement)
const candidate = element('candidate', HTMLElement)
const list = element('trusted', HTMLUListElement)
const done = element('trust-done', HTMLElement)
const problem = element('trust-problem', HTMLElement)

const OWN = 'Its signatures are already trusted here. Give the document to people who should trust you.'
const OTHER =
  'Anyone can create an agent with any name. Before you trust it, confirm the key id with its owner through another ' +
  'channel, such as by phone or in person.'

let changed = (): void => {}

/** @param onChange is called when the list has changed */
export function startTrusting(onChange: () => void): void {
  changed = onChange
  onSubmit(form, problem, async () => {
    done.textContent = ''
    present(examine(input.value))
  })
  input.addEventListener('input', dismiss)
  const file = element('trust-file', HTMLInputElement)
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? []
    file.value = ''
    if (chosen !== undefined) void chosen.slice(0, LARGEST).text().then(offerToTrust)
  })
  onPress(element('candidate-accept', HTMLButtonElement), problem, async () => {
    const { name } = trustAgent(input.value)
    await flush() // said to be done only when it lasts
    form.reset()
    dismiss()
    showTrusted()
    show(done, `You now trust ${name}.`)
    input.focus() // the button is gone
    changed()
  })
  onPress(element('candidate-cancel', HTMLButtonElement), problem, () => {
    dismiss()
    input.focus()
  })
  // Another tab of this page may have changed the list.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') showTrusted()
  })
}

/** No agent document is larger, in bytes. */
const LARGEST = 1 << 20

/** Puts an agent document into the form, and shows whose it is as soon as there is an agent to trust it. */
export function offerToTrust(document: string): void {
  input.value = document
  dismiss()
  form.scrollIntoView({ block: 'center' })
  if (isLoaded()) form.requestSubmit()
  else isWaiting = true
}

let isWaiting = false

/** Shows whose agent document waits, if one does. */
export function showWaiting(): void {
  if (isWaiting) form.requestSubmit()
  isWaiting = false
}

/** Shows the list as it is in the storage. */
export function showTrusted(): void {
  if (!isLoaded()) return
  const ids = listTrustedAgents()
  list.replaceChildren(...ids.map(item))
  element('trusted-none', HTMLElement).hidden = ids.length > 0
}

/** What the page reads in an agent document. */
interface AgentDocument {
  readonly sxId: string
  readonly name: string
  readonly sxPublicKeys: readonly { readonly keyId: string; readonly publicKey: string }[]
  readonly sxSignature: { readonly keyId: string }
}

function item(agentId: string): HTMLElement {
  const { name, sxSignature } = JSON.parse(getTrustedAgent(agentId)) as AgentDocument
  const made = copyOf('trusted-item')
  made.dataset['agent'] = agentId
  show(within(made, '.name', HTMLElement), name)
  show(within(made, '.key-id', HTMLElement), sxSignature.keyId)
  const remove = within(made, 'button', HTMLButtonElement)
  within(made, '.name', HTMLElement).id = `name-${agentId}`
  remove.setAttribute('aria-describedby', `name-${agentId}`)
  onPress(remove, problem, async () => {
    untrustAgent(agentId)
    await flush()
    showTrusted()
    done.textContent = 'The agent is no longer in the list.'
    input.focus() // the button is gone
    changed()
  })
  return made
}

/** Checks an agent document under the key it brings along, so that what is shown of it is what was signed. */
function examine(json: string): ValidResult {
  const result = verifyStandalone(json, { keyDirectory: ownKeys(json) })
  if (result.valid) return result
  throw new SxError(result.code === 'UnknownSigner' ? 'InvalidAgent' : result.code)
}

/** The key that an agent document says it is signed with; none if the text is something else. */
function ownKeys(json: string): Record<string, string> {
  try {
    const { sxId, sxPublicKeys, sxSignature } = JSON.parse(json) as AgentDocument
    const key = sxPublicKeys.find(({ keyId }) => keyId === sxSignature.keyId)
    return key === undefined ? {} : { [sxId]: key.publicKey }
  } catch {
    return {}
  }
}

function present({ signerId, keyId, data }: ValidResult): void {
  const own = getAgentInfo()
  const isOwn = own?.agentId === signerId && own.keyId === keyId
  element('candidate-title', HTMLElement).textContent = isOwn ? 'This is your own agent' : 'Is this the agent you mean?'
  element('candidate-advice', HTMLElement).textContent = isOwn ? OWN : OTHER
  element('candidate-accept', HTMLElement).hidden = isOwn
  show(element('candidate-name', HTMLElement), String((data as AgentDocument).name))
  show(element('candidate-id', HTMLElement), signerId)
  show(element('candidate-key-id', HTMLElement), keyId)
  candidate.hidden = false
  candidate.focus()
}

function dismiss(): void {
  candidate.hidden = true
}
