// A backup of the page's own agent: saved as a file, and restored where the data of the browser is gone.
import { exportStore, importStore, load, SxError } from 'sx-agent/simple'
import { announce, element, onPress, onSubmit, show } from './view.ts'

const lost = element('lost', HTMLFormElement)
const anew = element('start-anew', HTMLButtonElement)
const restored = element('restore-password', HTMLInputElement)

/** Lets the person save a backup. */
export function startSaving(problem: HTMLElement): void {
  onSubmit(element('backup', HTMLFormElement), problem, async () => {
    const password = element('backup-password', HTMLInputElement)
    const file = new Blob([await exportStore({ password: password.value })], { type: 'application/json' })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = 'agent.backup.json'
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000) // the browser reads it after the click
    password.value = ''
    announce('Backup saved')
  })
}

/**
 * Asks what to do about an agent that was here and is gone: nothing is made in its place before the person says so.
 *
 * @param found the sentence that names it
 * @param then is called when it is restored, or with `true` when the person wants another one
 */
export function askAboutLost(found: string, problem: HTMLElement, then: (isAnew: boolean) => void): void {
  show(element('lost-agent', HTMLElement), found)
  lost.hidden = false
  onSubmit(lost, problem, async () => {
    const [file] = element('restore-file', HTMLInputElement).files ?? []
    if (file === undefined) throw new SxError('InvalidOption', 'No backup is chosen.')
    // A second attempt, after a wrong password, finds it restored.
    await importStore(file).catch((error: unknown) => {
      if (!(error instanceof SxError && error.code === 'AlreadyExists')) throw error
    })
    await load({ password: restored.value })
    restored.value = ''
    lost.hidden = true
    then(false)
  })
  onPress(anew, problem, () => {
    lost.hidden = true
    then(true)
  })
}
