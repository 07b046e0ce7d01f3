// The pictures of the README: there, in the package, small, and said in words for who does not see them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './markdown.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
const pictures = [...readme.matchAll(/!\[(.*?)\]\((.*?)\)/g)].map(([, words = '', path = '']) => ({ words, path }))

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
