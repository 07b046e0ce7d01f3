// What the library asks a browser: to keep what a page has begun to keep.
import { afterEach, expect, it, vi } from 'vitest'
import { askToPersist } from '../../browser/persistence.ts'

afterEach(() => vi.restoreAllMocks())

const persisted = (answer: boolean): void => {
  vi.spyOn(navigator.storage, 'persisted').mockResolvedValue(answer)
}

it('asks where nothing is promised yet', async () => {
  persisted(false)
  const persist = vi.spyOn(navigator.storage, 'persist').mockResolvedValue(true)
  await askToPersist()
  expect(persist).toHaveBeenCalledTimes(1)
})

it('asks nobody for what is promised already', async () => {
  persisted(true)
  const persist = vi.spyOn(navigator.storage, 'persist')
  await askToPersist()
  expect(persist).not.toHaveBeenCalled()
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
