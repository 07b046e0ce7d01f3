// The examples in comments and the blocks of some pages are TypeScript as they stand, also where there is no DOM.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compilers } from '../packaging/compilers.ts'
import { readPage, root } from './markdown.ts'
import { faultsOf, faultsOfExamples } from './typed.ts'

/** types.slow.test.ts uses the others, which take much longer. */
const newest = compilers.at(-1)?.compiler ?? ''

it('examples and blocks of pages are strict TypeScript for Node alone', async () => {
  expect(await faultsOfExamples(newest)).toBe('')
})

/** What the runtimes of the examples have beside what Node has. */
const runtimes = `declare const Deno: { serve(options: object, answer: (request: Request) => Promise<Response>): void }
declare const Bun: { serve(options: object): { url: URL } }
declare module 'sx-agent/core.wasm?module' {
  const module: CompiledModule
  export default module
}
type CompiledModule = NonNullable<NonNullable<Parameters<typeof import('sx-agent').init>[0]>['core']>
`

it('the programs of examples use what is declared', () => {
  const programs = ['edge/api', 'worker', 'deno', 'bun'].flatMap((folder) => {
    const from = join(root, 'examples', folder)
    const names = readdirSync(from).filter((name) => /\.m?js$/.test(name))
    expect(names).not.toEqual([])
    return names.map((name) => [`${folder}/${name}`, readFileSync(join(from, name), 'utf8')])
  })
  const rules = { allowJs: true, checkJs: true, strictNullChecks: true, skipLibCheck: true } // plain JavaScript
  const files = { 'runtimes.d.ts': runtimes, ...Object.fromEntries(programs) }
  expect(faultsOf(newest, files, { strict: false, ...rules })).toBe('')
})

it('the page on the API names the oldest of them', () => {
  expect(readPage('docs/api.md').text).toContain(`The declarations need ${compilers[0]?.name}`)
})
