// The agent that a document names, and the question whether it is the one that is meant.
import { flush, getAgentInfo, SxError, trustAgent, type ValidResult, verifyStandalone } from 'sx-agent/simple'
import { element, onPress, show } from './view.ts'

/** What the page reads in an agent document. */
export interface AgentDocument {
  readonly sxId: string
  readonly name: string
  readonly sxPublicKeys: readonly { readonly keyId: string; readonly publicKey: string }[]
  readonly sxSignature: { readonly keyId: string }
}

const candidate = element('candidate', HTMLElement)

const OWN = 'Its signatures are already trusted here. Give the document to people who should trust you.'
const OTHER =
  'Anyone can create an agent with any name. Before you trust it, confirm the key id with its owner through another ' +
  'channel, such as by phone or in person.'

let asked = ''

/**
 * @param problem where a failure is told
 * @param trusted is called with the name of an agent when it is in the list
 * @param cancelled is called when the person does not trust it
 */
export function startAsking(
  problem: HTMLElement,
  { trusted, cancelled }: { trusted: (name: string) => void; cancelled: () => void },
): void {
  onPress(element('candidate-accept', HTMLButtonElement), problem, async () => {
    const { name } = trustAgent(asked)
    await flush() // said to be done only when it lasts
    dismiss()
    trusted(name)
  })
  onPress(element('candidate-cancel', HTMLButtonElement), problem, () => {
    dismiss()
    cancelled()
  })
}

/**
 * Shows whose agent document this is, and asks whether to trust it.
 *
 * @throws SxError if the text is not an agent document, or was changed
 */
export function ask(document: string): void {
  present(examine(document))
  asked = document
}

/** Asks no longer. */
export function dismiss(): void {
  candidate.hidden = true
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
