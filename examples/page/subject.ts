// A file that was chosen: what it is, by its bytes, and how it looks.
import { element, show, within } from './view.ts'

/** More than this the library reads by itself, which refuses it before. */
const LARGEST = 256 << 20

/** What is looked at in the page. */
export interface Subject {
  readonly name: string
  /** `other`: neither a picture nor a text, so that there is nothing to show or to sign. */
  readonly kind: 'picture' | 'text' | 'document' | 'other'
  /** Media type, for a download; '' if it cannot be signed. */
  readonly type: string
  /** The bytes that all is said about; of a file that is too large the file itself. */
  readonly content: Uint8Array<ArrayBuffer> | File
}

/** Reads a file once, so that what is shown, checked and signed is the same. */
export async function subjectOf(file: File): Promise<Subject> {
  const { name } = file
  if (file.size > LARGEST) return { name, kind: 'picture', type: '', content: file }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const type = pictureTypeOf(bytes)
  if (type !== undefined) return { name, kind: 'picture', type, content: bytes }
  const text = textOf(bytes)
  if (text === undefined) return { name, kind: 'other', type: '', content: bytes }
  return { name, kind: isDocument(text) ? 'document' : 'text', type: 'text/plain', content: bytes }
}

/** UTF-8 without NUL, which is what the library takes for a text. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function pictureTypeOf(bytes: Uint8Array): string | undefined {
  const begin = String.fromCharCode(...bytes.subarray(0, 12))
  if (begin.startsWith('\x89PNG')) return 'image/png'
  if (begin.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  return /^RIFF[^]{4}WEBP/.test(begin) ? 'image/webp' : undefined
}

/** Whether this is a JSON document, which carries its signature in itself. */
function isDocument(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const canvas = element('preview', HTMLCanvasElement)
const excerpt = element('excerpt', HTMLElement)
const broken = element('broken', HTMLElement)
const frame = within(document, '.seen', HTMLElement)

/** Shows it in a place of fixed size, as a drawing or text: nothing of it is ever markup. */
export async function preview({ name, kind, content }: Subject): Promise<void> {
  show(element('subject-name', HTMLElement), name)
  const size = content instanceof File ? content.size : content.length
  element('subject-size', HTMLElement).textContent = kind === 'other' ? sizeOf(size) : `${kind}, ${sizeOf(size)}`
  frame.hidden = kind === 'other'
  canvas.hidden = kind !== 'picture'
  excerpt.hidden = kind === 'picture'
  excerpt.replaceChildren()
  broken.hidden = true
  canvas.getContext('2d')?.clearRect(0, 0, canvas.width, canvas.height)
  if (content instanceof File || kind === 'other') return
  if (kind === 'picture') await draw(new Blob([content])).catch(sayBroken)
  else show(excerpt, new TextDecoder().decode(content.subarray(0, 20_000)), { lines: true })
}

function sayBroken(): void {
  broken.textContent = 'The browser cannot show this picture: it is damaged or incomplete.'
  broken.hidden = false
  canvas.hidden = true
}

async function draw(picture: Blob): Promise<void> {
  const bitmap = await createImageBitmap(picture)
  const scale = Math.min(1, canvas.width / bitmap.width, canvas.height / bitmap.height)
  const [width, height] = [bitmap.width * scale, bitmap.height * scale]
  const [x, y] = [(canvas.width - width) / 2, (canvas.height - height) / 2]
  canvas.getContext('2d')?.drawImage(bitmap, x, y, width, height)
  bitmap.close()
}

/** A number of bytes for people. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`
}
