// Adding to the agents that this one trusts, and removing from them.
import { isLoaded } from 'sx-agent/simple'
import { ask, dismiss, startAsking } from './candidate.ts'
import { showTrusted, startListing } from './trusted.ts'
import { element, onSubmit, show } from './view.ts'

const form = element('trust', HTMLFormElement)
const input = element('trust-text', HTMLTextAreaElement)
const done = element('trust-done', HTMLElement)
const problem = element('trust-problem', HTMLElement)

/** @param changed is called when the list has changed */
export function startTrusting(changed: () => void): void {
  onSubmit(form, problem, async () => {
    done.textContent = ''
    ask(input.value)
  })
  input.addEventListener('input', dismiss)
  const file = element('trust-file', HTMLInputElement)
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? []
    file.value = ''
    if (chosen !== undefined) void chosen.slice(0, LARGEST).text().then(offerToTrust)
  })
  startAsking(problem, {
    trusted: (name) => {
      form.reset()
      showTrusted()
      show(done, `You now trust ${name}.`)
      input.focus() // the button is gone
      changed()
    },
    cancelled: () => input.focus(),
  })
  startListing(() => {
    done.textContent = 'The agent is no longer in the list.'
    input.focus() // the button is gone
    changed()
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
