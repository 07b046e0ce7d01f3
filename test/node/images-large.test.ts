// Large images, as files: signed, verified, signed again and stripped, with no more memory than a few copies of them.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isLong } from '../pace.ts'
import { newFolder } from './fixtures.ts'
import { Child } from './processes.ts'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const MB = 2 ** 20

// What is signed has to be within the limit of 256 MiB, too.
const cases: [image: string, megabytes: number][] = [
  ['photo.jpg', 50],
  ['rgb.png', 50],
  ['lossy.webp', 50],
  ...(isLong ? [['photo.jpg', 255.9] as [string, number], ['rgb.png', 255.9] as [string, number]] : []),
]

it.each(cases)('%s of %d MB', { timeout: 300_000 }, async (image, megabytes) => {
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
})
