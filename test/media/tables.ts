/** Tables of docs/media.md, which tests make and compare. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../docs/markdown.ts'

const page = join(root, 'docs/media.md')

/** A table of these rows, the first of which is its head. */
export const written = (rows: string[][]): string =>
  `${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`.replaceAll('|  ', '| ')

/** The cells of a table, row by row. */
export const columns = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )

/** The table of this name in the page, which is this one now with SX_UPDATE. */
export function stated(name: string, table?: string): string {
  const [begin, end] = [`<!-- test:begin ${name} -->\n\n`, `\n<!-- test:end ${name} -->`]
  const text = readFileSync(page, 'utf8')
  const [before, rest = ''] = text.split(begin)
  const [found = '', after] = rest.split(end)
  if (table === undefined || process.env['SX_UPDATE'] !== '1') return found
  writeFileSync(page, `${before}${begin}${table}${end}${after}`)
  return table
}
