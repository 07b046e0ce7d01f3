// Pictures and texts: checked as soon as they are here, then signed and offered as a file.
import { imageCapacity, isLoaded, signImage, signText } from 'sx-agent/simple'
import { card } from './card.ts'
import { startIntake } from './intake.ts'
import { cardOfPicture, cardOfText } from './media-verdicts.ts'
import { changed, samplePicture, sampleText } from './samples.ts'
import { preview, type Subject, sizeOf, subjectOf } from './subject.ts'
import { sentence, unchecked } from './verdicts.ts'
import { verifier } from './verifier.ts'
import { element, onPress, onSubmit, show, within } from './view.ts'

const panel = element('subject', HTMLElement)
const place = element('media-verdict', HTMLElement)
const publicKey = element('media-key', HTMLTextAreaElement)
const form = element('media-sign', HTMLFormElement)
const robust = element('robust', HTMLInputElement)
const room = element('robust-hint', HTMLElement)
const done = element('media-done', HTMLElement)
const link = element('download', HTMLAnchorElement)
const problem = element('media-problem', HTMLElement)

let subject: Subject | undefined
let signed: File | undefined
/** Grows with whatever may change what is shown, so that what is overtaken never is. */
let changes = 0

/** @param pass takes a document, which is checked elsewhere in the page */
export function startMedia(pass: (document: string) => void): void {
  startIntake(
    (file) => void take(file, pass),
    (why) => show(problem, why),
  )
  publicKey.addEventListener('input', () => void lookAgain())
  robust.addEventListener('change', () => {
    if (room.textContent === '') void sayRoom()
  })
  onSubmit(form, problem, sign)
  onPress(element('tamper', HTMLButtonElement), problem, async () => {
    if (signed === undefined) return
    panel.focus() // the button goes
    await take(await changed(signed), pass)
  })
  onPress(element('sample-picture', HTMLButtonElement), problem, async () => take(await samplePicture(), pass))
  onPress(element('sample-text', HTMLButtonElement), problem, async () => take(sampleText(), pass))
}

/** Checks again what is shown, because there is an agent now, or another trust list. */
export async function lookAgain(): Promise<void> {
  if (subject !== undefined) await look(subject)
}

/** Checks a text that was typed or pasted, as one that was chosen. */
export async function checkTyped(text: string): Promise<void> {
  await take(new File([text], 'text.txt', { type: 'text/plain' }), () => {
    throw new Error('A text that is no JSON was taken for a document.')
  })
  panel.focus()
}

/** Signs a text that was typed, as one that was chosen. */
export async function signTyped(text: string): Promise<void> {
  await checkTyped(text)
  await sign()
}

async function take(file: File, pass: (document: string) => void): Promise<void> {
  changes++
  const at = changes
  forget()
  problem.replaceChildren()
  try {
    const taken = await subjectOf(file)
    if (at !== changes) return
    const isDocument = taken.kind === 'document'
    subject = isDocument ? undefined : taken
    panel.hidden = isDocument
    show(element('file-note', HTMLElement), isDocument ? `${taken.name} is a document. It is verified below.` : '')
    if (isDocument) pass(await file.text())
    else await Promise.all([preview(taken), look(taken)])
  } catch (error) {
    if (at === changes) show(problem, sentence(error))
  }
}

/** Nothing of what was signed before is shown beside another file, which is not checked with the key for it either. */
function forget(): void {
  publicKey.value = ''
  forgetLink()
  done.hidden = true
  signed = undefined
  robust.checked = false
  place.replaceChildren()
}

function forgetLink(): void {
  if (link.href !== '') URL.revokeObjectURL(link.href)
  link.removeAttribute('href')
}

async function look(looked: Subject): Promise<void> {
  changes++
  const at = changes
  room.textContent = ''
  form.hidden = looked.kind === 'other'
  within(form, '.robust', HTMLElement).hidden = looked.kind !== 'picture'
  within(form, 'button', HTMLButtonElement).textContent = `Sign this ${looked.kind}`
  const judged = await judge(looked).catch(
    (error: unknown): Judged => ({ made: card(unchecked(error), { isValid: false }), hasReadPixels: false }),
  )
  if (at !== changes) return
  place.replaceChildren(judged.made)
  // For a picture that is signed in its metadata the module for pixels is not loaded until it is asked for.
  if (judged.hasReadPixels) await sayRoom()
}

interface Judged {
  readonly made: HTMLElement
  readonly hasReadPixels: boolean
}

async function judge({ kind, content }: Subject): Promise<Judged> {
  const agent = await verifier()
  const pem = publicKey.value.trim()
  if (kind === 'picture') {
    let result = await agent.verifyImage(content)
    const isGiven = result.code === 'UnknownSigner' && pem !== ''
    if (isGiven) result = await agent.verifyImage(content, { keys: { [result.signerId]: pem } })
    return {
      made: cardOfPicture(result, isGiven),
      hasReadPixels: result.signatures.every(({ place: at }) => at !== 'file') || result.signatures.length > 1,
    }
  }
  let result = await agent.verifyText(content)
  // Nobody has said whose key it is: it may be that of any of them, and of one at most.
  const unknown = result.signers.filter(({ status }) => status === 'unknown_key').map(({ signerId }) => signerId)
  const given = pem === '' ? [] : unknown
  if (given.length > 0) {
    const keys = Object.fromEntries(given.map((signerId) => [signerId, pem]))
    result = await agent.verifyText(content, { keys })
  }
  return { made: cardOfText(result, content as Uint8Array, given), hasReadPixels: false }
}

/** Says, before anything is signed, whether a signature has room in the pixels. */
async function sayRoom(): Promise<void> {
  if (subject?.kind !== 'picture' || !isLoaded()) return
  const at = changes
  const { supported, reason, neededBits, availableBits } = await imageCapacity(subject.content).catch(
    (error: unknown) => ({ supported: false, reason: sentence(error), neededBits: 0, availableBits: 0 }),
  )
  if (at !== changes) return
  robust.disabled = !supported
  if (!supported) robust.checked = false
  const [needed, available] = [neededBits, availableBits].map((bits) => bits.toLocaleString('en'))
  show(room, supported ? `Your signature needs ${needed} bits; ${available} are available.` : (reason ?? ''))
}

async function sign(): Promise<void> {
  if (subject === undefined) return
  const at = changes
  const { name, kind, type, content } = subject
  const bytes =
    kind === 'picture' ? await signImage(content, null, { robust: robust.checked }) : await signText(content)
  if (at !== changes) return
  forgetLink()
  signed = new File([bytes], signedName(name), { type })
  link.href = URL.createObjectURL(signed)
  link.download = signed.name
  show(element('signed-name', HTMLElement), signed.name)
  element('signed-size', HTMLElement).textContent = sizeOf(signed.size)
  done.hidden = false
  // From now on the signed file is what is shown, checked and signed again.
  subject = await subjectOf(signed)
  await Promise.all([preview(subject), look(subject)])
}

/** `photo.jpg` becomes `photo-signed.jpg`. */
function signedName(name: string): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  return stem.endsWith('-signed') ? name : `${stem}-signed${ending}`
}
