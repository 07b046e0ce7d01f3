// The benchmark runs and writes its tables. What it measures is nothing that a test asserts.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listedNames } from '../../scripts/setup/table.mjs'

const script = fileURLToPath(new URL('run.mjs', import.meta.url))
const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))
const checkout = fileURLToPath(new URL('../..', import.meta.url))
const run = (...args: string[]): Promise<{ stdout: string }> => promisify(execFile)(process.execPath, [script, ...args])

/** What stands between the markers of a block. */
function block(text: string, name: string): string {
  const [, inside] = new RegExp(`<!-- bench:begin ${name} -->\n([^]*?)<!-- bench:end ${name} -->`).exec(text) ?? []
  return inside ?? ''
}

/** Rows of cells; every row has as many as the head. */
function cells(table: string): string[][] {
  const rows = [...table.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '))
  expect(new Set(rows.map((row) => row.length)).size).toBe(1)
  return rows
}

describe('the benchmark', () => {
  it('keeps rough results off the page, and refuses groups that do not exist', async () => {
    await expect(run('--quick', '--only', 'size')).rejects.toThrow('add --out <file>')
    await expect(run('--only', 'speed')).rejects.toThrow("There is no group 'speed'")
    await expect(run('--only', 'size,speed')).rejects.toThrow("There is no group 'speed'")
    await expect(run('--only', 'start', '--runs', '0')).rejects.toThrow('--runs takes a number')
  })

  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('writes the table and the target of a group into a copy of the page, and nothing else', async () => {
    const out = join(folder, 'performance.md')
    await run('--quick', '--only', 'size,texts', '--out', out)
    const [before, after] = [page, out].map((path) => readFileSync(path, 'utf8')) as [string, string]
    const [head, ...parts] = cells(block(after, 'size'))
    expect(head).toEqual(['bytes', 'raw', 'gzip -9', 'brotli 11'])
    expect(parts).toHaveLength(7 + listedNames.length)
    for (const [, ...sizes] of parts) {
      const [raw = 0, gzip = 0, brotli = 0] = sizes.map((size) => Number(size.replaceAll(',', '')))
      expect(raw).toBeGreaterThan(gzip)
      expect(gzip).toBeGreaterThan(brotli)
      expect(brotli).toBeGreaterThan(0)
    }
    const rows = cells(block(after, 'targets'))
    expect(rows.filter(([work]) => work === 'download of the core, brotli')).toEqual([
      [expect.anything(), '≤ 160,000 bytes', `${parts[0]?.[3]} bytes`, expect.stringMatching(/^(met|\*\*missed\*\*)$/)],
    ])
    expect(cells(block(after, 'texts'))[0]).toEqual(['text', 'sign, CPU ms', 'verify, CPU ms'])
    const others = (text: string): string =>
      text
        .replace(block(text, 'size'), '')
        .replace(block(text, 'texts'), '')
        .replaceAll(/^\| (?:download of|JavaScript of a page|verify 4 MiB of text).*\n/gm, '')
    expect(others(after)).toBe(others(before))
  })

  it('compares signatures with another build, and leaves the page unchanged', async () => {
    const before = readFileSync(page, 'utf8')
    const { stdout } = await run('--quick', '--only', 'signatures', '--against', checkout)
    expect(readFileSync(page, 'utf8')).toBe(before)
    const tables = stdout.split('**ML-DSA-87**').map(cells)
    expect(tables).toHaveLength(2)
    const small = ['createDocument', 'createDocumentSync', 'signString', 'verify', 'verifySync']
    const expected = small.flatMap((name) => [
      `${name} 1 KB`,
      `${name} 10 KB`,
      ...(name === 'verify' ? [`${name} 1 MB`] : []),
    ])
    for (const [head, ...rows] of tables) {
      expect(head?.slice(2)).toEqual(['before, CPU µs', 'now, CPU µs', 'now / before', 'middle half of the rounds'])
      expect(rows.map(([name = '', size = '']) => `${name.replaceAll('`', '')} ${size}`)).toEqual(expected)
      for (const [, , ...numbers] of rows) {
        expect(numbers).toEqual([
          expect.stringMatching(/^[1-9][\d.,]*$/),
          expect.stringMatching(/^[1-9][\d.,]*$/),
          expect.stringMatching(/^\d+\.\d+ \(\d+\.\d+–\d+\.\d+\)$/),
          expect.stringMatching(/^\d+\.\d+–\d+\.\d+$/),
        ])
      }
    }
    expect(stdout).toMatch(/^Aim: now \/ before ≤ 1\.03 in every row: (?:met|\*\*missed\*\* by .+)\.$/m)
    // One build writes the same documents twice.
    expect(stdout).not.toMatch(/different documents|omit/)
  })

  it('omits an operation that the other build lacks, and says so', async () => {
    const older = join(folder, 'older')
    mkdirSync(join(older, 'dist'), { recursive: true })
    const entry = (name: string): string => JSON.stringify(pathToFileURL(join(checkout, 'dist/node', name)).href)
    const exports = { '.': './dist/index.js', './storage': './dist/storage.js' }
    writeFileSync(join(older, 'package.json'), JSON.stringify({ name: 'sx-agent', type: 'module', exports }))
    writeFileSync(join(older, 'dist/build.json'), JSON.stringify({ commit: null }))
    writeFileSync(join(older, 'dist/storage.js'), `export * from ${entry('storage/index.js')}`)
    const create = `async (options) => {
  const { agent } = await Agent.create(options)
  agent.verifySync = undefined
  return { agent }
}`
    writeFileSync(
      join(older, 'dist/index.js'),
      `import { SxAgent as Agent } from ${entry('index.js')}\nexport const SxAgent = { create: ${create} }`,
    )
    const { stdout } = await run('--quick', '--against', older)
    expect(stdout).toContain('no commit')
    expect(stdout).toContain(`The build in ${older} has no \`verifySync\`. The tables omit it.`)
    expect(stdout).toContain('| `verify` | 1 MB |')
    expect(stdout).not.toContain('| `verifySync`')
  })

  it('refuses a comparison that cannot be made', async () => {
    await expect(run('--against', folder)).rejects.toThrow(
      `${folder} is not a built checkout: dist/build.json is missing. Run \`npm run build\` in the checkout`,
    )
    await expect(run('--against', checkout, '--only', 'size')).rejects.toThrow('leave out --only')
    await expect(run('--against', checkout, '--out', join(folder, 'out.md'))).rejects.toThrow('leave out --out')
  })
})
