import { expect, test, vi } from 'vitest'

test('T43 importing the package draws no random bytes', async () => {
  const sources = [vi.spyOn(globalThis.crypto, 'getRandomValues'), vi.spyOn(globalThis.crypto, 'randomUUID')]
  const { init, SxAgent } = await import('sx-agent')
  const { isLoaded } = await import('sx-agent/simple')
  const { memoryStorage } = await import('sx-agent/storage')
  await init()
  expect([new SxAgent({ storage: memoryStorage() }).isLoaded(), isLoaded()]).toEqual([false, false])
  expect(sources.map((source) => source.mock.calls.length)).toEqual([0, 0])
})
