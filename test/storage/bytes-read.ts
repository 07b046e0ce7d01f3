import { vi } from 'vitest'
import { nodeFileSystem } from '../../node/storage/seam.ts'

/** How many bytes are read of files from now on, by asynchronous calls, until mocks are restored. */
export function bytesRead(): () => number {
  const { read } = nodeFileSystem.async
  let count = 0
  vi.spyOn(nodeFileSystem.async, 'read').mockImplementation(async (...given) => {
    const bytes = await read(...given)
    count += bytes
    return bytes
  })
  return () => count
}
