/** Large images, as files: signed, verified, signed again and stripped, with no more memory than a few copies of them. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { newFolder } from './fixtures.ts'
import { Child } from './processes.ts'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const MB = 2 ** 20

/** Does all that with one of the images of the tests, made so large. */
export async function isSignedInLittleMemory(image: string, megabytes: number): Promise<void> {
  const [said] = await new Child('image', [join(data, image), String(megabytes)], { cwd: newFolder() }).finish()
  const { grown, ...rest } = said as { grown: number }
  expect(rest).toEqual({
    status: 'valid',
    coverage: 'file',
    again: 'valid',
    length: Math.floor(megabytes * MB),
    isSame: true,
  })
  expect(grown).toBeLessThan(4 * megabytes * MB + 64 * MB)
}
