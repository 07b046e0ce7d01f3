// The page's own agent: loaded if this browser has one, created when someone asks for it, never silently.
import { create, exportAgent, getAgentInfo, getPublicKey, load, SxError } from 'sx-agent/simple'
import { askAboutLost, askForPassword, endRestoring, offerRestoring, startSaving } from './backups.ts'
import { linkTo } from './links.ts'
import { save } from './save.ts'
import { sentence } from './verdicts.ts'
import { announce, copies, element, onPress, onSubmit, show, shown } from './view.ts'

const algorithms: Readonly<Record<string, string>> = {
  pq2025: 'ML-DSA-87 (FIPS 204)',
  ed25519: 'Ed25519 (RFC 8032)',
}

const form = element('create', HTMLFormElement)
const profile = element('profile', HTMLElement)
const progress = element('create-progress', HTMLElement)
const problem = element('agent-problem', HTMLElement)

/**
 * Loads or offers to create the agent.
 *
 * @param ready is called when there is one
 */
export async function startAgent(ready: () => void): Promise<void> {
  let startAnew = false
  const enter = (): void => {
    showProfile()
    for (const hint of document.querySelectorAll<HTMLElement>('.needs-agent')) hint.hidden = true
    for (const button of document.querySelectorAll<HTMLButtonElement>('button:disabled')) button.disabled = false
    form.hidden = true
    endRestoring()
    ready()
  }
  const enterFrom = (): void => {
    enter()
    profile.focus() // the button is gone; this one says what has come in its place
  }
  onSubmit(form, problem, async () => {
    progress.textContent = 'Generating and encrypting the key. This takes a moment…'
    announce(progress.textContent)
    try {
      await shown()
      await create({
        name: element('create-name', HTMLInputElement).value,
        algorithm: element('create-ed25519', HTMLInputElement).checked ? 'ed25519' : 'pq2025',
        startAnew,
      })
    } finally {
      progress.textContent = ''
      announce('')
    }
    // Asks the browser to keep its data when space is short. Some ask the user, so nothing waits for the answer.
    void navigator.storage.persist().then(showStorage)
    enterFrom()
  })
  startSaving(problem)
  onPress(element('save-agent', HTMLButtonElement), problem, () => save(exportAgent(), 'agent.json'))
  copies('copy-link', () => linkTo(exportAgent()))
  copies('copy-agent', exportAgent)
  copies('copy-key', getPublicKey)
  if (!isSecureContext) {
    sayInsecure()
    return
  }
  try {
    await load()
    enter()
  } catch (error) {
    const isMissing = error instanceof SxError && error.code === 'NotFound'
    const isLost = error instanceof SxError && error.code === 'AgentLost'
    const isLocked = error instanceof SxError && error.code === 'PasswordRequired'
    form.hidden = !isMissing
    for (const hint of document.querySelectorAll<HTMLElement>('.needs-agent')) hint.hidden = false
    if (isMissing || isLost) offerRestoring(problem, enterFrom)
    if (isLost) {
      askAboutLost(error.found, problem, () => {
        startAnew = true
        form.hidden = false
        element('create-name', HTMLInputElement).focus()
      })
    } else if (isLocked) askForPassword(problem, enterFrom)
    else if (!isMissing) show(problem, sentence(error))
  } finally {
    element('agent-loading', HTMLElement).hidden = true
  }
}

/** Said before anything is typed in: nothing could be kept. */
function sayInsecure(): void {
  element('insecure-origin', HTMLElement).textContent = location.origin
  element('insecure', HTMLElement).hidden = false
  element('agent-loading', HTMLElement).hidden = true
  for (const hint of document.querySelectorAll<HTMLElement>('.needs-agent')) {
    hint.textContent = 'This needs an agent, which requires https or localhost.'
    hint.hidden = false
  }
}

function showProfile(): void {
  const info = getAgentInfo()
  if (info === null) return
  show(element('profile-name', HTMLElement), info.name)
  element('profile-algorithm', HTMLElement).textContent = algorithms[info.algorithm] ?? info.algorithm
  element('profile-id', HTMLElement).textContent = info.agentId
  element('profile-key-id', HTMLElement).textContent = info.keyId
  profile.hidden = false
  void navigator.storage.persisted().then(showStorage)
}

function showStorage(isPersistent: boolean): void {
  element('profile-storage', HTMLElement).textContent = isPersistent
    ? 'The browser does not clear it without asking you.'
    : 'The browser may also clear it when space runs out.'
}
