// Files in a page: Blobs that are larger than what a page should hold, and Files as people choose them.
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { createWorkerAgent } from 'sx-agent/worker'
import { beforeAll, expect, it } from 'vitest'

const MIB = 1 << 20
const password = 'correct horse battery staple'
/** SHA-256 of 300 MiB of the value 7, as `sha256sum` gives it. */
const HASH = '461adf920fda37cc3db5bb2a3ea79304056dd1029019f20837f0dafe6c6af375'
const failsWith = (code: string): unknown => expect.objectContaining({ name: 'SxError', code })

beforeAll(() => sx.create({ name: 'Page', algorithm: 'ed25519', storage: memoryStorage(), password }))

/** What the page holds, in bytes; vite.config.ts has Chromium say it exactly. */
function held(): number {
  const { gc } = globalThis as unknown as { gc: () => void }
  gc()
  gc() // the first one may still be at work on buffers
  return (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize
}

it('hashes a Blob of 300 MB in constant memory, with progress', async () => {
  const piece = new Uint8Array(10 * MIB).fill(7)
  const data = new Blob(Array.from({ length: 30 }, () => piece))
  const before = held()
  let most = 0
  let next = 0
  let last: number[] = []
  const onProgress = (done: number, total: number): void => {
    if (done > next || done === total) {
      most = Math.max(most, held() - before)
      next = done + 30 * MIB
    }
    last = [done, total]
  }
  const { raw } = await sx.signFile({ name: 'large.bin', data }, { onProgress })
  expect(last).toEqual([data.size, data.size])
  expect(most).toBeLessThan(64 * MIB)
  const [attachment] = (await sx.verifyOrThrow(raw)).attachments
  expect(attachment).toMatchObject({ size: 300 * MIB, hash: HASH })
})

it('signs Files, and ends at a signal', async () => {
  const file = new File(['Hello'], 'hello.txt', { type: 'text/plain' })
  const { raw } = await sx.signFile(file, true)
  const { attachments } = await sx.verifyOrThrow(raw)
  expect(attachments).toMatchObject([{ filename: 'hello.txt', mimeType: 'text/plain', embedded: true }])
  expect(await new Blob([attachments[0]?.content ?? '']).text()).toBe('Hello')
  expect(await sx.verifyFile(raw, file)).toMatchObject({ valid: true })
  expect(await sx.verifyFile(raw, new File(['hello'], 'hello.txt'))).toMatchObject({ code: 'FileMismatch' })
  await expect(sx.signFile(file, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
  await expect(sx.signFile('hello.txt')).rejects.toEqual(failsWith('InvalidOption'))
  expect(() => sx.signFileSync(file)).toThrow(failsWith('InvalidOption'))
  const bytes = { name: 'hello.txt', data: new Uint8Array([1]) }
  expect(sx.verifyFileSync(sx.signFileSync(bytes).raw, bytes).valid).toBe(true)
})

it('signs and compares in a worker, with progress and signal', async () => {
  const agent = await createWorkerAgent({ password })
  try {
    await agent.create({ name: 'Files', algorithm: 'ed25519', configPath: 'files/sx.config.json' })
    const data = new Blob([new Uint8Array(20 * MIB)])
    const told: [number, number, string][] = []
    const onProgress = (...given: [number, number, string]): void => void told.push(given)
    const { raw } = await agent.signFile({ name: 'zeros.bin', data }, { noSave: true, onProgress })
    expect(told.at(-1)).toEqual([20 * MIB, 20 * MIB, 'zeros.bin'])
    const result = await agent.verifyFile(raw, data)
    expect(result).toMatchObject({ valid: true, attachment: { filename: 'zeros.bin' } })
    expect([result, result.document, result.attachment].every((part) => Object.isFrozen(part))).toBe(true)
    const controller = new AbortController()
    const stop = (): void => controller.abort('enough')
    await expect(agent.signFile({ name: 'x', data }, { signal: controller.signal, onProgress: stop })).rejects.toBe(
      'enough',
    )
    const failing = (): void => {
      throw new Error('from the callback')
    }
    await expect(agent.verifyFile(raw, data, { onProgress: failing })).rejects.toThrow('from the callback')
    const signed = await agent.createDocument({ a: 1 }, { attachments: [new File(['x'], 'x.txt')], embed: true })
    expect(await agent.verifyOrThrow(signed)).toMatchObject({ attachments: [{ filename: 'x.txt', embedded: true }] })
    await expect(agent.signFile({ name: 'x', data }, { onProgress: 1 as never })).rejects.toEqual(
      failsWith('InvalidOption'),
    )
  } finally {
    await agent.close()
  }
})
