// What a stranger takes from docs/images.md as it stands there: the dictionary of the packing.
import { readFileSync } from 'node:fs'

const text = readFileSync(new URL('../../docs/images.md', import.meta.url), 'utf8')

const dictionary = [...text.matchAll(/^\| ([89][0-9A-F]) \| `(.+)` \|$/gm)].map(([, number, entry = ''], n) => {
  if (number !== (0x80 + n).toString(16).toUpperCase()) throw new Error(`The dictionary has no entry ${0x80 + n}.`)
  return entry
})

export const page: { readonly dictionary: readonly string[] } = { dictionary }
