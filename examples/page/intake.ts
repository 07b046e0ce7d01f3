// Files as they come in: chosen, dropped anywhere on the page, or pasted.
import { element } from './view.ts'

/**
 * @param take is handed one file
 * @param refuse is told why there is none to take
 */
export function startIntake(take: (file: File) => void, refuse: (why: string) => void): void {
  const input = element('file', HTMLInputElement)
  const takeOne = (files: FileList | undefined): void => {
    const [file, ...others] = files ?? []
    if (others.length > 0) refuse('Choose only one file.')
    else if (file !== undefined) take(file)
  }
  // What was dropped or pasted is named there, too.
  const takeGiven = (files: FileList): void => {
    if (files.length === 1) input.files = files
    takeOne(files)
  }
  input.addEventListener('change', () => takeOne(input.files ?? undefined))
  input.addEventListener('click', () => {
    input.value = '' // so that the same file can be chosen again
  })

  const mark = (isOver: boolean): void => void document.body.classList.toggle('dropping', isOver)
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return // a text that is dragged belongs into a field
    event.preventDefault()
    mark(true)
  })
  document.addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) mark(false)
  })
  document.addEventListener('drop', (event) => {
    mark(false)
    if (!hasFiles(event)) return
    event.preventDefault() // the browser would leave the page for the file
    if (event.dataTransfer !== null) takeGiven(event.dataTransfer.files)
  })

  document.addEventListener('paste', (event) => {
    const { clipboardData, target } = event
    if (clipboardData === null) return
    if (clipboardData.files.length > 0) {
      event.preventDefault()
      takeGiven(clipboardData.files)
      return
    }
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) return
    const text = clipboardData.getData('text/plain')
    if (text === '') return
    input.value = ''
    take(new File([text], 'pasted.txt', { type: 'text/plain' }))
  })
}
