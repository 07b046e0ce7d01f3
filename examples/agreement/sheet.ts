// The agreement that is shown: its text, where it stands, and what the person can do.
import {
  type AgreementCopy,
  type AgreementResult,
  type AgreementTerms,
  agreementCertificate,
  declineAgreement,
  getAgreement,
  importAgreement,
  notarizeAgreement,
  proposeAgreement,
  SxError,
  signAgreementDoc,
  verifyAgreement,
  withdrawSignature,
  witnessAgreement,
} from 'sx-agent/simple'
import { card, fact, signer } from '../page/card.ts'
import { save } from '../page/save.ts'
import { trustedAgents } from '../page/trusted.ts'
import { element, onPress, onSubmit, show, within } from '../page/view.ts'
import { ownAgent } from './agent.ts'
import { fileName } from './files.ts'
import { type Acting, offerLater, type Shown, startLater } from './later.ts'
import {
  consents,
  ignoredBecause,
  isUnproved,
  listed,
  roleOf,
  standingOf,
  timeOf,
  titleOf,
  wordingOf,
} from './words.ts'

/** More events without effect are only counted. */
const MOST = 20

/** What is shown. */
interface Sheet extends Shown {
  /** As it came, or as it was made here. */
  readonly raw: string
  readonly terms: Copy['terms']
  /** Whether it is stored: the agent is a party of it, and somebody has proposed it. */
  readonly isStored: boolean
}

interface Copy {
  readonly terms: AgreementTerms & { readonly sxId: string }
}

const section = element('agreement', HTMLElement)
const note = element('agreement-note', HTMLElement)
const problem = element('agreement-problem', HTMLElement)
const text = element('agreement-text', HTMLElement)
const summary = element('agreement-summary', HTMLElement)
const saving = element('save-agreement', HTMLButtonElement)

let sheet: Sheet | undefined
/** What was shown when the person pressed a button: what is done is done to that. */
let pressed: Sheet | undefined
let changed = (): Promise<void> => Promise.resolve()

/** @param onChange is called when something was stored */
export function startSheet(onChange: () => Promise<void>): void {
  changed = onChange
  section.addEventListener('click', () => (pressed = sheet), true)
  const acting: Acting = async (act, said) => {
    const { raw } = shownThen()
    note.textContent = ''
    const made = await act(raw).catch(async (error: unknown) => {
      if (!(error instanceof SxError && error.code === 'AlreadySigned')) throw error
      await present(raw)
      throw new SxError('EventRefused', 'You have signed it already, in another tab.')
    })
    await present(made.raw)
    await changed()
    say(said)
    saving.focus() // the button is gone; this is what comes next
  }
  const press = (id: string, act: (raw: string) => Promise<AgreementCopy>, said: string): void =>
    onPress(element(id, HTMLButtonElement), problem, () => acting(act, said))
  press('propose', (raw) => proposeAgreement(raw), 'You have proposed it.')
  press('sign', (raw) => signAgreementDoc(raw), 'You have signed.')
  press('witness', (raw) => witnessAgreement(raw), 'You have confirmed the signatures.')
  press('notarize', (raw) => notarizeAgreement(raw), 'You have confirmed the time.')
  for (const [id, act, said] of [
    ['decline', declineAgreement, 'You have declined.'],
    ['withdraw', withdrawSignature, 'You have withdrawn your signature.'],
  ] as const) {
    const form = element(id, HTMLFormElement)
    onSubmit(form, problem, async () => {
      const reason = element(`${id}-reason`, HTMLInputElement).value
      await acting((raw) => act(raw, reason === '' ? {} : { reason }), said)
      form.reset()
    })
  }
  startLater(acting)
  onPress(saving, problem, async () => {
    const { raw, terms, isStored } = shownThen()
    save(isStored ? await getAgreement(terms.sxId) : raw, `${fileName(terms.title, 'contract')}.agreement.json`)
  })
  onPress(element('save-certificate', HTMLButtonElement), problem, async () => {
    const { raw, terms } = shownThen()
    const page = await agreementCertificate(raw, { format: 'html' })
    save(page, `${fileName(terms.title, 'contract')}.certificate.html`, 'text/html')
  })
}

function shownThen(): Sheet {
  if (pressed === undefined) throw new SxError('Internal', 'No agreement is shown.')
  return pressed
}

/** Tells what was done, and what to do with it. */
function say(done: string): void {
  const others = sheet?.result.byParty.filter(({ agentId }) => sheet?.isOwn(agentId) === false) ?? []
  const names = listed(others.map(({ agentId }) => sheet?.nameOf(agentId) ?? ''))
  show(note, `${done} Save the agreement, and send the file to ${names}.`)
}

/**
 * Shows an agreement that somebody has sent, and stores it if the agent is a party of it.
 *
 * @returns where it stands
 * @throws SxError `UnknownSigner`, `WrongAgreement`, `InvalidAgreement`, and those of the storage
 */
export async function receive(raw: string): Promise<string> {
  const { result } = await present(raw)
  await changed()
  return titleOf(result)
}

/** Shows an agreement that was proposed here. */
export async function showProposed(raw: string): Promise<void> {
  await receive(raw)
  say('You have proposed it. Read it again, and sign it.')
  focusSheet()
}

/** Looks again where the agreement that is shown stands. If nothing can be said of it any more, it is not shown. */
export async function lookAgain(): Promise<void> {
  if (sheet === undefined) return
  try {
    await receive(sheet.raw)
  } catch (error) {
    sheet = undefined
    section.hidden = true
    await changed()
    throw error
  }
}

export function focusSheet(): void {
  section.focus()
}

let presenting: Promise<unknown> = Promise.resolve()

/** One after the other, so that what came last is shown. */
function present(raw: string): Promise<Sheet> {
  const next = presenting.then(() => judgeAndShow(raw))
  presenting = next.catch(() => undefined) // whoever called this reports the error
  return next
}

/** Judges a copy together with what is stored of it, stores what is new, and shows it. */
async function judgeAndShow(raw: string): Promise<Sheet> {
  const result = await judge(raw)
  const { terms } = JSON.parse(raw) as Copy
  const { agentId, name } = ownAgent()
  const own = result.byParty.find((party) => party.agentId === agentId)
  const names = new Map([[agentId, name], ...trustedAgents().map((agent) => [agent.sxId, agent.name] as const)])
  const claimed = new Map(terms.parties.map((party) => [party.agentId, party.displayName ?? party.partyId]))
  const next: Sheet = {
    raw,
    terms,
    result,
    own,
    // A sender can give two drafts the same id, and only the first one could be stored.
    isStored: own !== undefined && result.status !== 'draft',
    nameOf: (id) => names.get(id) ?? claimed.get(id) ?? id,
    isOwn: (id) => id === agentId,
    isTrusted: (id) => names.has(id),
  }
  if (next.isStored) await importAgreement(raw)
  if (sheet?.terms.sxId !== terms.sxId) {
    for (const form of section.querySelectorAll('form')) form.reset()
    for (const part of section.querySelectorAll('details')) part.open = false
  }
  sheet = next
  note.textContent = ''
  problem.textContent = ''
  showTerms(terms)
  showState(next)
  showIgnored(next)
  offer(next)
  section.hidden = false
  return next
}

/** The verdict on a copy, unless nothing can be said of it or it was tampered with. */
async function judge(raw: string): Promise<AgreementResult> {
  const result = await verifyAgreement(raw).catch((error: unknown) => {
    if (!(error instanceof SxError && error.code === 'WrongAgreement')) throw error
    const found = 'This is not the contract that you have under the same id. Its text or its parties were changed.'
    throw new SxError('WrongAgreement', found, { cause: error })
  })
  const [error] = result.errors
  if (error?.code === 'UnknownSigner') {
    throw new SxError('UnknownSigner', 'No party that has signed this agreement is in your trust list.')
  }
  if (error !== undefined) throw new SxError('InvalidAgreement', error.message)
  if (result.status === 'draft' && result.events.ignored.some(({ code }) => code === 'WrongAgreement')) {
    throw new SxError('WrongAgreement', 'This contract was changed after it was proposed.')
  }
  return result
}

/** Everything that a signature covers, as text: nothing of it is ever markup. */
function showTerms(terms: Copy['terms']): void {
  show(element('agreement-title', HTMLElement), terms.title)
  show(summary, terms.summary ?? '', { lines: true, whole: true })
  summary.hidden = terms.summary === undefined
  show(text, terms.terms, { lines: true, whole: true })
  show(element('agreement-terms', HTMLElement), JSON.stringify(terms, null, 2), { lines: true, whole: true })
  const { attachments = [] } = terms
  const files = element('attachments', HTMLElement)
  files.hidden = attachments.length === 0
  const items = attachments.map(({ name, size, sha256 }) =>
    line(`${name}, ${size.toLocaleString('en')} bytes, SHA-256 ${sha256}`),
  )
  within(files, 'ul', HTMLElement).replaceChildren(...items)
}

function showState(known: Sheet): void {
  const { result, nameOf, isOwn, isTrusted } = known
  const parties = result.byParty.map((standing) => {
    const { agentId, partyId, eventId } = standing
    const said = result.history.find((event) => event.eventId === eventId)?.data
    const [step, sentence] = standingOf(standing, said?.reason ?? said?.note, {
      isOwn: isOwn(agentId),
      isTrusted: isTrusted(agentId),
      proof: result.unproved.find((one) => one.partyId === partyId),
    })
    return signer(step, nameOf(agentId), sentence, [])
  })
  const dates: readonly (readonly [string, string | null])[] = [
    ['Sign by', result.signBy],
    ['Complete since', result.completeAt],
    ['In effect from', result.effectiveFrom],
    ['Ends', result.expiresAt],
  ]
  const facts = dates.flatMap(([name, at]) => (at === null ? [] : [fact(name, (value) => show(value, timeOf(at)))]))
  const hash = fact('Hash of the contract', (value) => {
    const code = document.createElement('code')
    show(code, result.agreementHash ?? '')
    value.append(code)
  })
  const made = card(wordingOf(known), { facts: [...facts, hash], signers: parties, isValid: result.complete })
  element('agreement-state', HTMLElement).replaceChildren(made)
}

function showIgnored({ result }: Sheet): void {
  const { ignored } = result.events
  const box = element('ignored', HTMLElement)
  box.hidden = ignored.length === 0
  const items = ignored.slice(0, MOST).map(({ code }) => line(`${ignoredBecause(code)} (${code})`))
  if (ignored.length > MOST) items.push(line(`${ignored.length - MOST} more.`))
  within(box, 'ul', HTMLElement).replaceChildren(...items)
}

/** Offers what the person can do now. Whether it has an effect, the library says. */
function offer(shownNow: Sheet): void {
  const { result, own, terms } = shownNow
  const { status, certificate, events, missing, heads } = result
  const isWhole = missing.length === 0 // nothing can be added to any other
  const isOpen = isWhole && (status === 'proposed' || status === 'partial')
  const isComplete = isWhole && (status === 'complete' || status === 'active')
  const state = own !== undefined && consents(own) ? own.state : undefined
  const isWaiting = result.unproved.some(({ partyId }) => partyId === own?.partyId)
  const canSign = state !== undefined && state !== 'signed' && state !== 'declined' && !isWaiting
  const isSigned = status !== 'proposed' || isUnproved(result)
  const isConfirmed = own !== undefined && heads.length === 1 && heads[0] === own.eventId
  const shown: Readonly<Record<string, boolean>> = {
    propose: own !== undefined && status === 'draft' && events.ignored.length === 0,
    sign: canSign && (isOpen || isComplete),
    witness: own?.role === 'witness' && own.state === 'pending' && !isWaiting && isSigned && (isOpen || isComplete),
    notarize: own?.role === 'notary' && !isConfirmed && (isOpen || isComplete),
    declining: isOpen && canSign,
    withdrawing:
      isOpen && (state === 'signed' || (state !== undefined && isWaiting)) && terms.policy?.withdraw !== 'never',
    'save-certificate': certificate !== null,
  }
  for (const [id, isShown] of Object.entries(shown)) element(id, HTMLElement).hidden = !isShown
  offerLater(shownNow, canSign)
  const role = element('agreement-role', HTMLElement)
  role.textContent = roleOf(own)
  role.hidden = role.textContent === ''
}

function line(content: string): HTMLElement {
  const made = document.createElement('li')
  show(made, content)
  return made
}
