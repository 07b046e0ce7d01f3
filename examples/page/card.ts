// A verdict as a card, and the rows of what is known.
import { getAgentInfo, getTrustedAgent } from 'sx-agent/simple'
import type { Step, Wording } from './verdicts.ts'
import { copyOf, show, within } from './view.ts'

/** What a card says beside its words. */
export interface Known {
  readonly facts?: readonly HTMLElement[]
  /** One entry for each of several signers. */
  readonly signers?: readonly HTMLElement[]
  /** What was signed, if that is valid. */
  readonly content?: string
  readonly isValid: boolean
}

/** A verdict in words, shape and colour. */
export function card(wording: Wording, { facts = [], signers = [], content, isValid }: Known): HTMLElement {
  const made = copyOf('verdict-card')
  mark(made, wording.step, wording.title)
  show(within(made, '.reason', HTMLElement), wording.reason)
  show(within(made, '.advice', HTMLElement), wording.advice)
  show(within(made, '.detail', HTMLElement), wording.detail)
  within(made, '.facts', HTMLElement).append(...facts)
  within(made, '.signers', HTMLElement).append(...signers)
  if (content !== undefined) {
    show(within(made, 'pre', HTMLElement), content, { lines: true })
    within(made, '.content', HTMLElement).hidden = false
  }
  within(made, '.meaning', HTMLElement).hidden = !isValid
  return made
}

/** One of several signers. */
export function signer(step: Step, title: string, reason: string, facts: readonly HTMLElement[]): HTMLElement {
  const made = copyOf('signer-item')
  mark(made, step, title)
  show(within(made, '.reason', HTMLElement), reason)
  within(made, '.facts', HTMLElement).append(...facts)
  return made
}

function mark(made: HTMLElement, step: Step, title: string): void {
  made.dataset['step'] = step
  within(made, 'use', SVGUseElement).setAttribute('href', `#shape-${step}`)
  show(within(made, '.title', HTMLElement), title)
}

/** Who signed, as a result of the library says it. */
export interface Signed {
  readonly signerId: string
  readonly keyId: string
  readonly signedAt: string
  readonly isValid: boolean
  readonly trusted: boolean
}

/** What looks like a key id. Of what is not valid it is only what that says. */
const KEY_ID = /^[\w-]{43}$/

/** The rows about a signer: what is known, or what is only claimed. */
export function factsOf({ signerId, keyId, signedAt, isValid, trusted }: Signed): HTMLElement[] {
  if (!isValid) {
    if (signerId === '') return []
    const claimed = [fact('Claimed signer', (value) => value.append(code(signerId)))]
    if (KEY_ID.test(keyId)) {
      claimed.push(fact('Claimed key id', (value) => value.append(code(keyId))))
    }
    return claimed
  }
  const known = [
    fact('Agent id', (value) => value.append(code(signerId))),
    fact('Key id', (value) => value.append(code(keyId))),
    fact('Time stated by the signer', (value) => show(value, timeOf(signedAt))),
  ]
  return trusted ? [fact('Signer', (value) => show(value, nameOf(signerId))), ...known] : known
}

/** A row of a card. */
export function fact(name: string, fill: (value: HTMLElement) => void): HTMLElement {
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
