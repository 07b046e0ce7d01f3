// What the library asks a browser: to keep what a page has begun to keep.
import { create, getAgentInfo } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterEach, expect, it, vi } from 'vitest'
import { askToPersist, isPersisted, learnPersisted } from '../../browser/persistence.ts'

afterEach(() => vi.restoreAllMocks())

const persisted = (answer: boolean): void => {
  vi.spyOn(navigator.storage, 'persisted').mockResolvedValue(answer)
}

it('asks where nothing is promised yet', async () => {
  persisted(false)
  const persist = vi.spyOn(navigator.storage, 'persist').mockResolvedValue(true)
  await askToPersist()
  expect(persist).toHaveBeenCalledTimes(1)
  expect(isPersisted()).toBe(true)
})

it('asks nobody for what is promised already', async () => {
  persisted(true)
  const persist = vi.spyOn(navigator.storage, 'persist')
  await askToPersist()
  expect(persist).not.toHaveBeenCalled()
  expect(isPersisted()).toBe(true)
})

it('knows what the browser says, and nothing where it says nothing', async () => {
  persisted(false)
  await learnPersisted()
  expect(isPersisted()).toBe(false)
  vi.spyOn(navigator.storage, 'persisted').mockRejectedValue(new TypeError('not now'))
  await learnPersisted()
  expect(isPersisted()).toBeUndefined()
})

it('does not wait for a browser that never answers', async () => {
  vi.spyOn(navigator.storage, 'persisted').mockReturnValue(new Promise(() => {}))
  await expect(learnPersisted()).resolves.toBeUndefined()
})

it('is told of with an agent that the page keeps itself, and with no other', async () => {
  persisted(false)
  vi.spyOn(navigator.storage, 'persist').mockResolvedValue(false)
  await learnPersisted()
  const options = { name: 'A', algorithm: 'ed25519', password: 'correct horse' } as const
  await create({ ...options, configPath: 'persisted/sx.config.json' })
  await expect.poll(() => getAgentInfo()?.persisted).toBe(false)
  await create({ ...options, storage: memoryStorage() })
  expect(getAgentInfo()).not.toHaveProperty('persisted')
})

it('takes a refusal, an error, and a browser that knows no such thing', async () => {
  persisted(false)
  const persist = vi.spyOn(navigator.storage, 'persist').mockRejectedValue(new TypeError('not now'))
  await askToPersist()
  persist.mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  await askToPersist()
  expect(persist).toHaveBeenCalledTimes(2)
  const storage = vi.spyOn(Navigator.prototype, 'storage', 'get')
  storage.mockReturnValue(undefined as unknown as StorageManager)
  await askToPersist()
  storage.mockReturnValue({ persisted: async () => false } as StorageManager)
  await askToPersist()
})
