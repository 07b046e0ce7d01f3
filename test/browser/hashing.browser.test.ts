// Bytes that are in memory are hashed by Web Cryptography where a page has it, with the same results.
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'

const KIB = 1 << 10
const password = 'correct horse battery staple'

/** Noise that is the same each time. */
function noise(size: number): Uint8Array<ArrayBuffer> {
  let state = 7
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

/** A PNG of more than 256 KiB. */
async function picture(): Promise<Uint8Array> {
  const canvas = new OffscreenCanvas(400, 400)
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
  const pixels = context.createImageData(400, 400)
  pixels.data.set(noise(pixels.data.length).map((value, at) => (at % 4 === 3 ? 255 : value)))
  context.putImageData(pixels, 0, 0)
  const png = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())
  expect(png.length).toBeGreaterThan(256 * KIB)
  return png
}

/** Whether the page has Web Cryptography; without, it is as one that was sent over plain HTTP. */
const places = {
  'a secure page': () => vi.spyOn(crypto.subtle, 'digest'),
  'a page without Web Cryptography': () =>
    void Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true }),
  'a page whose Web Cryptography fails': () =>
    vi.spyOn(crypto.subtle, 'digest').mockRejectedValue(new DOMException('no memory', 'OperationError')),
}

beforeAll(() => sx.create({ name: 'Page', algorithm: 'ed25519', storage: memoryStorage(), password }))

afterEach(() => {
  Reflect.deleteProperty(crypto, 'subtle')
  vi.restoreAllMocks()
})

const hashOf = (raw: string): string | undefined => sx.verifyOrThrowSync(raw).attachments[0]?.hash

it.each(Object.entries(places))('%s: files and images', async (_, enter) => {
  const data = noise(256 * KIB)
  const file = { name: 'noise.bin', data }
  const png = await picture()
  const hash = hashOf(sx.signFileSync(file, { noSave: true }).raw)
  const signed = await sx.signImage(png, null)

  enter()
  const { raw } = await sx.signFile(file, { noSave: true })
  expect(hashOf(raw)).toBe(hash)
  expect((await sx.verifyFile(raw, file)).valid).toBe(true)
  const changed = { name: 'noise.bin', data: data.map((value, at) => (at === 200_000 ? value ^ 1 : value)) }
  expect(await sx.verifyFile(raw, changed)).toMatchObject({ valid: false, code: 'FileMismatch' })
  const embedded = await sx.signFile(file, { embed: true, noSave: true })
  expect(hashOf(embedded.raw)).toBe(hash)

  for (const image of [signed, await sx.signImage(png, null)]) {
    expect(await sx.verifyImage(image)).toMatchObject({ valid: true, coverage: 'file' })
    const other = image.slice()
    other[other.length - 20_000] = ~(other[other.length - 20_000] ?? 0)
    expect(await sx.verifyImage(other)).toMatchObject({ valid: false, code: 'HashMismatch' })
  }
})

it('asks Web Cryptography for what is large, in memory and asked for asynchronously, and for nothing else', async () => {
  const digest = vi.spyOn(crypto.subtle, 'digest')
  const signs = async (data: Uint8Array<ArrayBuffer> | Blob): Promise<number> => {
    digest.mockClear()
    await sx.signFile({ name: 'some.bin', data }, { noSave: true })
    return digest.mock.calls.length
  }
  expect(await signs(noise(256 * KIB))).toBe(1)
  expect(await signs(noise(256 * KIB - 1))).toBe(0)
  expect(await signs(new Blob([noise(512 * KIB)]))).toBe(0)
  expect(await signs(new Uint8Array((64 << 20) + 1))).toBe(0)
  const png = await picture()
  const signed = await sx.signImage(png, null)
  digest.mockClear()
  expect((await sx.verifyImage(signed)).valid).toBe(true)
  expect(digest).toHaveBeenCalledTimes(1)
  digest.mockClear()
  sx.signFileSync({ name: 'some.bin', data: noise(256 * KIB) }, { noSave: true })
  expect(digest).not.toHaveBeenCalled()
})

it('tells of progress, and ends at a signal', async () => {
  const data = noise(3 << 20)
  const told: number[] = []
  const onProgress = (done: number): void => void told.push(done)
  await sx.signFile({ name: 'some.bin', data }, { noSave: true, onProgress })
  expect(told).toEqual([1 << 20, 2 << 20, 3 << 20])
  const ending = new AbortController()
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async () => {
    ending.abort('enough')
    return new ArrayBuffer(32)
  })
  const signing = sx.signFile({ name: 'some.bin', data }, { noSave: true, signal: ending.signal })
  await expect(signing).rejects.toBe('enough')
})
