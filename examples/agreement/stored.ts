// The agreements that are stored in this browser.
import { type AgreementTerms, getAgreement, listDocuments, verifyAgreement } from 'sx-agent/simple'
import { copyOf, element, onPress, show, within } from '../page/view.ts'
import { titleOf } from './words.ts'

const list = element('stored', HTMLUListElement)
const problem = element('stored-problem', HTMLElement)

let whenOpened: (raw: string) => Promise<void>

/** @param opened is handed an agreement that is to be shown */
export function startList(opened: (raw: string) => Promise<void>): void {
  whenOpened = opened
}

let turns = 0

/** Lists them as they are now. */
export async function listStored(): Promise<void> {
  turns += 1
  const turn = turns
  const items: HTMLElement[] = []
  for (const id of await listDocuments({ type: 'sx-agreement' })) items.push(await item(id))
  if (turn !== turns) return // overtaken
  list.replaceChildren(...items)
  element('stored-none', HTMLElement).hidden = items.length > 0
}

async function item(id: string): Promise<HTMLElement> {
  const raw = await getAgreement(id)
  const { terms } = JSON.parse(raw) as { terms: AgreementTerms }
  const made = copyOf('stored-item')
  const name = within(made, '.name', HTMLElement)
  show(name, terms.title)
  name.id = `title-${id}`
  within(made, '.state', HTMLElement).textContent = titleOf(await verifyAgreement(raw))
  const open = within(made, 'button', HTMLButtonElement)
  open.setAttribute('aria-describedby', name.id)
  onPress(open, problem, async () => whenOpened(await getAgreement(id)))
  return made
}
