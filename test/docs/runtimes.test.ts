// The README's tables of runtimes and of sizes are what is tested and what is built.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { runtimes } from '../../scripts/matrix/runtimes.mjs'
import { versionOf } from '../../scripts/matrix/tools.mjs'
import { readPage, root } from './markdown.ts'

/** The rows of the first table of a section, without its head. */
function rowsOf(path: string, heading: string): string[][] {
  const [, section = ''] = readPage(path).text.split(`\n## ${heading}\n`)
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section.split('\n## ')[0] ?? '') ?? []
  const lines = table.trim().split('\n').slice(2)
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

describe('the table of runtimes', () => {
  const rows = rowsOf('README.md', 'Runtimes')
  const cell = (name: string, at: number): string => rows.find(([first]) => first?.includes(name))?.[at] ?? ''
  const short = (version: string): string => version.split('.').slice(0, 2).join('.')

  it('has a row for each that is tested, and no others', () => {
    const kinds = runtimes.map(({ name }) => name.replace(/[ ,].*/, ''))
    expect([...new Set(kinds)].filter((kind) => cell(kind, 0) === '')).toEqual([])
    expect(rows.filter(([, tested]) => tested !== '')).toHaveLength(9)
    expect(rows.filter(([, tested]) => tested === '').map(([name]) => name)).toEqual(['Python'])
  })

  it('names the versions that are installed for it', () => {
    const edge = JSON.parse(readFileSync(join(root, 'node_modules/@edge-runtime/vm/package.json'), 'utf8')) as {
      version: string
    }
    expect(cell('Node', 1).split(', ').slice(1)).toEqual(['node22', 'node24', 'node26'].map(versionOf).map(short))
    expect(cell('Deno', 1)).toBe([versionOf('deno'), versionOf('bun')].map(short).join(', '))
    expect(cell('workerd', 1)).toBe(short(versionOf('workerd')))
    expect(['Next.js', 'Jest', 'bun build'].map((name) => cell(name, 1))).toEqual(
      ['next', 'jest', 'bun'].map(versionOf).map(short),
    )
    expect(cell('Vercel', 1)).toMatch(new RegExp(`^${short(edge.version)} `))
  })

  it('names the versions of Node that the package asks for', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
    for (const range of engines.node.split(' || ')) expect(cell('Node', 2)).toContain(`\`${range}\``)
  })
})

describe('sizes', () => {
  const MARGIN = 0.1
  const brotli = (bytes: Uint8Array): number => brotliCompressSync(bytes).length

  async function bundled(entry: Pick<BuildOptions, 'stdin' | 'entryPoints'>): Promise<number> {
    const { outputFiles } = await build({
      ...entry,
      absWorkingDir: root,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
    })
    return brotli(outputFiles[0]?.contents ?? new Uint8Array())
  }

  const page = (exported: string): Promise<number> =>
    bundled({ stdin: { contents: `export ${exported} from './dist/browser/simple.js'`, resolveDir: root } })
  const measured: Record<string, () => Promise<number> | number> = {
    'core module': () => brotli(readFileSync(join(root, 'wasm/dist/core/core_bg.wasm'))),
    'JavaScript of a page that only verifies': () => page('{ init, verifyStandalone }'),
    'JavaScript of all of `sx-agent/simple`': () => page('*'),
    'worker of `verifyMany`, if used': () => bundled({ entryPoints: ['dist/browser/verify-worker.js'] }),
  }
  const performance = new Map(rowsOf('docs/performance.md', 'Download').map(([name, ...cells]) => [name, cells[2]]))
  const stated = (name: string): number => Number(performance.get(name)?.replaceAll(',', ''))

  it.each(Object.keys(measured))('%s: what is stated is about what is built', async (name) => {
    const actual = (await measured[name]?.()) ?? 0
    expect(stated(name)).toBeGreaterThan(actual * (1 - MARGIN))
    expect(stated(name)).toBeLessThan(actual * (1 + MARGIN))
  })

  it('the README has those of the page on performance, to about a kilobyte', () => {
    const [core = 0, ...scripts] = Object.keys(measured).map((name) => stated(name) / 1000)
    const expected = [[scripts[0], core], [scripts[1], core], [scripts[2]]]
    const rows = rowsOf('README.md', 'Size').map(([, ...cells]) => cells)
    expect(rows.map((cells) => cells.at(-1))).toEqual([expect.anything(), expect.anything(), 'shared'])
    for (const [row, cells] of expected.entries()) {
      for (const [column, size] of cells.entries()) {
        expect(Math.abs(Number(rows[row]?.[column]) - (size ?? 0)), `row ${row}, column ${column}`).toBeLessThan(1.5)
      }
    }
  })
})
