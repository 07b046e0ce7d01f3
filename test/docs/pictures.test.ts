// The pictures of the README and of the page on images: there, in the package, small, and said in words for who does not see them.
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, it } from 'vitest'
import { readPage, root } from './markdown.ts'

const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
const pictures = ['README.md', 'docs/media.md'].flatMap((page) =>
  [...readPage(page).text.matchAll(/!\[(.*?)\]\((.*?)\)/g)].map(([, words = '', path = '']) => ({
    words,
    path: posix.join(posix.dirname(page), path),
  })),
)

it.each(pictures)('$path', ({ words, path }) => {
  expect(files).toContain(path)
  expect(readFileSync(join(root, path)).length).toBeLessThan(100_000)
  expect(words).toMatch(/^[A-Z].{60,}\.$/)
})

it('show a verdict that is valid and one that is not', () => {
  expect(pictures.map(({ words }) => /says: (not valid|valid and trusted)/.exec(words)?.[1] ?? '')).toEqual([
    '',
    'valid and trusted',
    'not valid',
  ])
})
