// A picture and a text to try the page with, and what a forger would make of a signed one.

const WIDTH = 960
const HEIGHT = 640

/** A harbour in the evening, drawn here: a JPEG. */
export async function samplePicture(): Promise<File> {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot draw pictures.')
  const sky = context.createLinearGradient(0, 0, 0, HEIGHT)
  for (const [at, colour] of [
    [0, '#24466b'],
    [0.45, '#e8a56b'],
    [0.55, '#f6d7a0'],
    [0.56, '#2f5d78'],
    [1, '#16303f'],
  ] as const) {
    sky.addColorStop(at, colour)
  }
  context.fillStyle = sky
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.fillStyle = '#fff1c9'
  context.beginPath()
  context.arc(700, 290, 46, 0, 2 * Math.PI)
  context.fill()
  drawShip(context)
  addGrain(context)
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 })
  return new File([blob], 'harbour.jpg', { type: 'image/jpeg' })
}

function drawShip(context: OffscreenCanvasRenderingContext2D): void {
  context.fillStyle = '#22303a'
  context.beginPath()
  for (const [x, y] of [
    [230, 420],
    [520, 420],
    [480, 480],
    [270, 480],
  ] as const) {
    context.lineTo(x, y)
  }
  context.fill()
  context.fillRect(300, 360, 90, 60)
  context.fillRect(420, 250, 8, 170)
  context.fillStyle = '#b6403a'
  context.fillRect(428, 252, 70, 36)
}

/** Grain as in a photograph: a signature in the pixels needs room. The same one each time. */
function addGrain(context: OffscreenCanvasRenderingContext2D): void {
  const image = context.getImageData(0, 0, WIDTH, HEIGHT)
  let state = 1
  for (let at = 0; at < image.data.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const grain = (state >>> 27) - 16
    for (let channel = at; channel < at + 3; channel++) image.data[channel] = (image.data[channel] ?? 0) + grain
  }
  context.putImageData(image, 0, 0)
}

const LETTER = `Order 4711

Dear Harbour Supplies,

please deliver 100 ropes to pier 3 on Friday.
We pay 1,200 euros on delivery.
`

/** A letter with numbers in it. */
export const sampleText = (): File => new File([LETTER], 'order.txt', { type: 'text/plain' })

/** A signed file that somebody has changed since, with its signature still in it. */
export async function changed(signed: File): Promise<File> {
  const bytes = new Uint8Array(await signed.arrayBuffer())
  const name = signed.name.replace('-signed', '-changed')
  if (signed.type === 'image/jpeg') return new File([await painted(signed, bytes)], name, { type: signed.type })
  const at = signed.type === 'text/plain' ? placeInText(bytes) : Math.floor(bytes.length * 0.6)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return new File([bytes], name, { type: signed.type })
}

/** A JPEG with something painted into its picture, and the signature of the signed one put into the new file. */
async function painted(signed: Blob, bytes: Uint8Array): Promise<Blob> {
  const bitmap = await createImageBitmap(signed)
  const { width, height } = bitmap
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot draw pictures.')
  context.drawImage(bitmap, 0, 0)
  bitmap.close()
  context.fillStyle = '#d8342c'
  context.beginPath()
  context.arc(width / 2, height / 2, Math.min(width, height) / 6, 0, 2 * Math.PI)
  context.fill()
  const other = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 })
  // Where it stood: behind the first segment, which says that it is JFIF.
  const head = new DataView(await other.slice(0, 6).arrayBuffer())
  const at = 4 + head.getUint16(4)
  return new Blob([other.slice(0, at), ...signatureIn(bytes), other.slice(at)], { type: 'image/jpeg' })
}

/** The segments of a JPEG that hold its signature: APP11. */
function signatureIn(bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const found: Uint8Array<ArrayBuffer>[] = []
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda; ) {
    const end = at + 2 + view.getUint16(at + 2)
    if (bytes[at + 1] === 0xeb) found.push(bytes.slice(at, end))
    at = end
  }
  return found
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const isLetter = (byte: number): boolean => (byte | 0x20) > 0x61 && (byte | 0x20) < 0x7a

/** The first number; else the first letter. With the lowest bit turned over either is another one. */
function placeInText(bytes: Uint8Array): number {
  const number = bytes.findIndex(isDigit)
  const end = bytes.indexOf(0x2d) // the signature begins with dashes
  if (number >= 0 && (end < 0 || number < end)) return number
  return Math.max(0, bytes.findIndex(isLetter))
}
