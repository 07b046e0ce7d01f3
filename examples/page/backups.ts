// A backup of the page's own agent: saved as a file, and restored where the data of the browser is gone.
import { exportStore, importStore, load, SxError } from 'sx-agent/simple'
import { save } from './save.ts'
import { announce, element, onPress, onSubmit, show } from './view.ts'

const lost = element('lost', HTMLElement)
const restoring = element('restoring', HTMLDetailsElement)
const unlock = element('unlock', HTMLFormElement)
const anew = element('start-anew', HTMLButtonElement)
const restored = element('restore-password', HTMLInputElement)

/** Lets the person save a backup. */
export function startSaving(problem: HTMLElement): void {
  onSubmit(element('backup', HTMLFormElement), problem, async () => {
    const password = element('backup-password', HTMLInputElement)
    save(await exportStore({ password: password.value }), 'agent.backup.json')
    password.value = ''
    announce('Backup saved')
  })
}

/**
 * Lets the person restore a backup where no agent is.
 *
 * @param then is called when it is restored and loaded
 */
export function offerRestoring(problem: HTMLElement, then: () => void): void {
  restoring.hidden = false
  onSubmit(element('restore', HTMLFormElement), problem, async () => {
    const [file] = element('restore-file', HTMLInputElement).files ?? []
    if (file === undefined) throw new SxError('InvalidOption', 'No backup was chosen.')
    // A second attempt, after a wrong password, finds it restored.
    await importStore(file).catch((error: unknown) => {
      if (!(error instanceof SxError && error.code === 'AlreadyExists')) throw error
    })
    await open(restored)
    lost.hidden = true
    then()
  })
}

/** Loads the agent with a password that was typed. */
async function open(password: HTMLInputElement): Promise<void> {
  try {
    await load({ password: password.value })
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'WrongPassword')) throw error
    throw new SxError('InvalidOption', 'This password does not decrypt the private key.', { cause: error })
  }
  password.value = ''
}

/** Restoring is over: there is an agent. */
export function endRestoring(): void {
  restoring.hidden = true
}

/**
 * Asks for the password of an agent that was restored: the browser keeps none for it.
 *
 * @param then is called when it is loaded
 */
export function askForPassword(problem: HTMLElement, then: () => void): void {
  unlock.hidden = false
  const password = element('unlock-password', HTMLInputElement)
  onSubmit(unlock, problem, async () => {
    await open(password)
    unlock.hidden = true
    then()
  })
}

/**
 * Asks what to do about an agent that was here and is gone: nothing is made in its place before the person says so.
 *
 * @param found the sentence that names it
 * @param then is called when the person wants another one
 */
export function askAboutLost(found: string, problem: HTMLElement, then: () => void): void {
  show(element('lost-agent', HTMLElement), found)
  lost.hidden = false
  restoring.open = true
  onPress(anew, problem, () => {
    lost.hidden = true
    restoring.open = false
    then()
  })
}
