// The benchmark runs and writes its tables. What it measures is nothing that a test asserts.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listedNames } from '../../scripts/setup/table.mjs'

const script = fileURLToPath(new URL('run.mjs', import.meta.url))
const page = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))
const run = (...args: string[]): Promise<unknown> => promisify(execFile)(process.execPath, [script, ...args])

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
})
