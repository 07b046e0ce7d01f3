// What a page has without the core: the texts of all that its code can throw there.
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { codes } from '#codes'
import { early } from '#glue/core/early.js'

it.each([
  ['an agent in a worker', "export { createWorkerAgent } from 'sx-agent/worker'"],
  ['storages', "export * from 'sx-agent/storage'"],
])('the texts of codes that %s can throw need no core', async (_, contents) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    conditions: ['browser'],
    bundle: true,
    format: 'esm',
    write: false,
  })
  const text = outputFiles.map((file) => file.text).join()
  const thrown = new Set([...text.matchAll(/new SxError\w*\(\s*["'`](\w+)/g)].map(([, code = '']) => code))
  expect(thrown.size).toBeGreaterThan(3)
  expect([...thrown].filter((code) => Object.hasOwn(codes, code) && !Object.hasOwn(early, code))).toEqual([])
})
