// What parties do besides signing: they let another agent sign, sign for another party, dispute, and settle disputes.
import {
  type AgreementCopy,
  type AgreementEvent,
  type AgreementStanding,
  delegateSigning,
  disputeAgreement,
  resolveDispute,
  signAgreementDoc,
} from 'sx-agent/simple'
import { copyOf, element, onPress, onSubmit, show, within } from '../page/view.ts'
import { consents, type Known, timeOf } from './words.ts'

/** Does something to the agreement that was shown when the person pressed a button, and says that it is done. */
export type Acting = (act: (raw: string) => Promise<AgreementCopy>, said: string) => Promise<void>

/** What is shown, and whose agent looks at it. */
export interface Shown extends Known {
  readonly own: AgreementStanding | undefined
}

const problem = element('agreement-problem', HTMLElement)
const choices = element('delegate-to', HTMLFieldSetElement)

let act: Acting

export function startLater(acting: Acting): void {
  act = acting
  const delegating = element('delegate', HTMLFormElement)
  onSubmit(delegating, problem, async () => {
    const to = within(choices, 'input:checked', HTMLInputElement).value
    await act((raw) => delegateSigning(raw, to), 'You have let another agent sign for you.')
  })
  const disputing = element('dispute', HTMLFormElement)
  onSubmit(disputing, problem, async () => {
    const reason = element('dispute-reason', HTMLInputElement).value
    await act((raw) => disputeAgreement(raw, reason), 'You have disputed the agreement.')
    disputing.reset()
  })
}

/**
 * Offers what the person can do now. Whether it has an effect, the library says.
 *
 * @param canSign whether the person can still sign
 */
export function offerLater(shown: Shown, canSign: boolean): void {
  const { own, result, terms } = shown
  const { status, effectiveFrom, missing } = result
  const isWhole = missing.length === 0
  const isOpen = isWhole && (status === 'proposed' || status === 'partial')
  const isInEffect = status === 'active' || status === 'disputed' || (status === 'complete' && effectiveFrom === null)
  const isListed = isOpen && canSign && terms.policy?.delegation === 'listed'
  element('delegating', HTMLElement).hidden = !isListed
  if (isListed) showChoices(shown)
  element('disputing', HTMLElement).hidden = !(isWhole && isInEffect && own !== undefined && consents(own))
  showDelegations(shown, isOpen)
  showDisputes(shown, isWhole)
}

/** The parties that can sign for another one. */
function showChoices({ result, own, nameOf }: Shown): void {
  for (const label of choices.querySelectorAll('label')) label.remove()
  for (const { agentId, role } of result.byParty) {
    if (agentId === own?.agentId) continue
    const made = copyOf('delegate-choice')
    within(made, 'input', HTMLInputElement).value = agentId
    show(within(made, '.name', HTMLElement), nameOf(agentId))
    within(made, '.role', HTMLElement).textContent = role
    choices.append(made)
  }
}

/** The parties for which the own agent can sign. */
function showDelegations({ result, isOwn, nameOf }: Shown, isOpen: boolean): void {
  const { history, byParty, unproved } = result
  const now = new Date().toISOString()
  const isMeant = ({ type, code, data: { to = '', scope = [], until = now } }: AgreementEvent): boolean =>
    type === 'delegate' && code === null && isOwn(to) && scope.includes('sign') && until >= now
  const by = new Set(history.filter(isMeant).map(({ agentId }) => agentId))
  const waiting = new Set(unproved.map(({ partyId }) => partyId))
  const open = byParty.filter(
    ({ partyId, agentId, state }) =>
      isOpen && by.has(agentId) && state !== 'signed' && state !== 'declined' && !waiting.has(partyId),
  )
  const items = open.map(({ partyId, agentId }) =>
    item({ name: nameOf(agentId), said: 'has let you sign.', button: 'Sign in this place' }, () =>
      act((raw) => signAgreementDoc(raw, { for: partyId }), 'You have signed for another party.'),
    ),
  )
  fill('delegations', items)
}

/** The disputes that are not settled. */
function showDisputes({ result, own, isOwn, nameOf }: Shown, isWhole: boolean): void {
  const { blocked, history } = result
  const settled = new Set(
    history.flatMap(({ type, code, agentId, data }) =>
      type === 'resolve' && code === null && isOwn(agentId) ? [data.dispute] : [],
    ),
  )
  const open = history.filter(({ eventId }) => blocked.includes(`dispute ${eventId}`))
  const canSettle = isWhole && own !== undefined && consents(own)
  const items = open.map(({ eventId, agentId, at, data }) => {
    const said = `${timeOf(at)}: “${data.reason ?? ''}”`
    if (!canSettle || settled.has(eventId)) return item({ name: nameOf(agentId), said })
    return item({ name: nameOf(agentId), said, button: 'Settle this dispute' }, () =>
      act((raw) => resolveDispute(raw, eventId), 'You have agreed that the dispute is settled.'),
    )
  })
  fill('disputes', items)
}

interface Item {
  readonly name: string
  readonly said: string
  readonly button?: string
}

let count = 0

function item({ name, said, button }: Item, work?: () => Promise<void>): HTMLElement {
  const made = copyOf('later-item')
  const pressed = within(made, 'button', HTMLButtonElement)
  const what = within(made, 'div', HTMLElement)
  count += 1
  what.id = `later-${count}`
  show(within(made, '.name', HTMLElement), name)
  show(within(made, '.state', HTMLElement), said)
  if (work === undefined) {
    pressed.remove()
    return made
  }
  pressed.textContent = button ?? ''
  pressed.setAttribute('aria-describedby', what.id)
  onPress(pressed, problem, work)
  return made
}

function fill(id: string, items: readonly HTMLElement[]): void {
  const box = element(id, HTMLElement)
  box.hidden = items.length === 0
  within(box, 'ul', HTMLElement).replaceChildren(...items)
}
