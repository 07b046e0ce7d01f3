// A page where people sign a contract, each with an agent in a browser of their own. Files go from one to the other.
import { isLoaded, SxError } from 'sx-agent/simple'
import { ask, startAsking } from '../page/candidate.ts'
import { startIntake } from '../page/intake.ts'
import { showTrusted, startListing } from '../page/trusted.ts'
import { sentence } from '../page/verdicts.ts'
import { element, show } from '../page/view.ts'
import { startAgent } from './agent.ts'
import { read } from './files.ts'
import { focusSheet, lookAgain, receive, showProposed, startSheet } from './sheet.ts'
import { listStored, startList } from './stored.ts'
import { showChoices, startWriting } from './write.ts'

const file = element('file', HTMLInputElement)
const note = element('file-note', HTMLElement)
const problem = element('file-problem', HTMLElement)
const done = element('trust-done', HTMLElement)

/** An agreement that cannot be judged before somebody is trusted. */
let waiting: File | undefined

function tell(error: unknown): void {
  show(problem, sentence(error))
}

async function open(chosen: File): Promise<void> {
  note.textContent = ''
  problem.textContent = ''
  if (!isLoaded()) throw new SxError('NoAgentLoaded', 'You have no agent yet.')
  const { kind, text } = await read(chosen)
  if (kind === 'agent') {
    done.textContent = ''
    ask(text)
    return
  }
  waiting = undefined
  try {
    show(note, `Opened “${chosen.name}”: ${await receive(text)}.`)
    focusSheet()
  } catch (error) {
    if (error instanceof SxError && error.code === 'UnknownSigner') waiting = chosen
    throw error
  }
}

/** What rests on the list is judged again when the list has changed. */
function listChanged(said: string): void {
  showTrusted()
  showChoices()
  show(done, said)
  file.focus() // the button is gone
  const again = waiting === undefined ? lookAgain() : open(waiting)
  again.catch(tell)
}

startIntake(
  (chosen) => void open(chosen).catch(tell),
  (why) => show(problem, why),
)
startAsking(element('trust-problem', HTMLElement), {
  trusted: (name) => listChanged(`You now trust ${name}.`),
  cancelled: () => file.focus(),
})
startListing(() => listChanged('The agent is no longer in the list.'))
startWriting(showProposed)
startSheet(() => {
  note.textContent = '' // it says where the agreement stood
  return listStored()
})
startList(async (raw) => {
  await receive(raw)
  focusSheet()
})
// Another tab of this page may have signed or trusted.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible' || !isLoaded()) return
  showChoices()
  Promise.all([lookAgain(), listStored()]).catch(tell)
})
await startAgent(() => {
  showTrusted()
  showChoices()
  listStored().catch(tell)
})
