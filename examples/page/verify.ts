// The verdict on what is pasted.
import {
  getAgentInfo,
  getTrustedAgent,
  init,
  isLoaded,
  type VerificationResult,
  verify,
  verifyStandalone,
} from 'sx-agent/simple'
import { unchecked, type Wording, wording } from './verdicts.ts'
import { copyOf, element, onSubmit, show, within } from './view.ts'

const form = element('verify', HTMLFormElement)
const input = element('verify-text', HTMLTextAreaElement)
const publicKey = element('verify-key', HTMLTextAreaElement)
const place = element('verdict', HTMLElement)

/** What looks like one. Of a document that is not valid it is only what the document says. */
const KEY_ID = /^[\w-]{43}$/

/** Grows with whatever may change the verdict, so that one that is overtaken is never shown. */
let changes = 0

/** Starts the form. */
export function startVerifying(): void {
  onSubmit(form, element('verify-problem', HTMLElement), async () => {
    for (let at = -1; at !== changes; ) {
      at = changes
      const card = await judge(input.value, publicKey.value)
      if (at === changes) place.replaceChildren(card)
    }
  })
  const forget = (): void => {
    changes++
    place.replaceChildren()
  }
  input.addEventListener('input', forget)
  publicKey.addEventListener('input', forget)
}

/** Puts a document into the form and checks it. */
export function verifyHere(document: string): void {
  changes++
  input.value = document
  form.requestSubmit()
}

/** Checks again what a verdict is shown for, because something it rests on has changed. */
export function verifyAgain(): void {
  changes++
  if (place.hasChildNodes()) form.requestSubmit()
}

async function judge(document: string, pem: string): Promise<HTMLElement> {
  try {
    const result = await check(document, pem)
    return card(wording(result), result)
  } catch (error) {
    return card(unchecked(error))
  }
}

async function check(document: string, pem: string): Promise<VerificationResult> {
  await init()
  const known = isLoaded() ? await verify(document) : verifyStandalone(document)
  if (known.valid || known.code !== 'UnknownSigner' || pem.trim() === '') return known
  return verifyStandalone(document, { keyDirectory: { [known.signerId]: pem } })
}

function card({ step, title, reason, advice, detail }: Wording, result?: VerificationResult): HTMLElement {
  const made = copyOf('verdict-card')
  made.dataset['step'] = step
  within(made, 'use', SVGUseElement).setAttribute('href', `#shape-${step}`)
  within(made, '.title', HTMLElement).textContent = title
  show(within(made, '.reason', HTMLElement), reason)
  show(within(made, '.advice', HTMLElement), advice)
  show(within(made, '.detail', HTMLElement), detail)
  const facts = within(made, '.facts', HTMLElement)
  if (result?.valid) {
    if (result.trusted) facts.append(fact('Signer', (value) => show(value, nameOf(result.signerId))))
    facts.append(
      fact('Agent id', (value) => value.append(code(result.signerId))),
      fact('Key id', (value) => value.append(code(result.keyId))),
      fact('Time stated by the signer', (value) => show(value, timeOf(result.timestamp))),
    )
    const content = within(made, '.content', HTMLElement)
    const { data } = result
    show(within(content, 'pre', HTMLElement), typeof data === 'string' ? data : JSON.stringify(data, null, 2), {
      lines: true,
    })
    content.hidden = false
  } else if (result?.signerId) {
    facts.append(fact('Claims to be signed by', (value) => value.append(code(result.signerId))))
    if (KEY_ID.test(result.keyId)) {
      facts.append(fact('Claims to be signed with the key id', (value) => value.append(code(result.keyId))))
    }
  }
  within(made, '.meaning', HTMLElement).hidden = result?.valid !== true
  return made
}

function fact(name: string, fill: (value: HTMLElement) => void): HTMLElement {
  const term = document.createElement('dt')
  term.textContent = name
  const value = document.createElement('dd')
  fill(value)
  const row = document.createElement('div')
  row.append(term, value)
  return row
}

function code(text: string): HTMLElement {
  const made = document.createElement('code')
  show(made, text)
  return made
}

/** The name of a trusted agent, or of this one. */
function nameOf(agentId: string): string {
  const own = getAgentInfo()
  if (own?.agentId === agentId) return `${own.name} (your agent)`
  return (JSON.parse(getTrustedAgent(agentId)) as { name: string }).name
}

function timeOf(timestamp: string): string {
  return new Date(timestamp).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'long' })
}
