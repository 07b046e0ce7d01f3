/** Keys in a folder whose names say of nobody that they are theirs. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isId } from './identifiers.ts'
import { type OutputOptions, remark } from './output.ts'

/** Largest key file, in bytes: several times what the largest key takes. */
export const KEY_LIMIT = 65_536

const SUFFIX = '.public.pem'

/** So many files are named; a line is to be read. */
const NAMED = 3

/** Whether a key of this name can be found: by the id of its agent. */
function isFound(name: string): boolean {
  return name.endsWith(SUFFIX) && isId(name.slice(0, -SUFFIX.length))
}

/** The public key that a file holds; `undefined` if it holds none, or cannot be read. */
function publicKeyIn(path: string): string | undefined {
  try {
    if (statSync(path).size > KEY_LIMIT) return undefined
    const text = readFileSync(path, 'latin1')
    return text.includes('-----BEGIN PUBLIC KEY-----') ? text.trim() : undefined
  } catch {
    return undefined // nobody has asked for this file
  }
}

/** Says on standard error which public keys of a key directory are never looked at, because of their names. */
export function warnOfNames(folder: string, options: OutputOptions): void {
  let names: string[]
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    names = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.pem')).map(({ name }) => name)
  } catch {
    return // whoever looks for a key in it says why it cannot be read
  }
  const others = names.filter((name) => !isFound(name)).sort()
  if (others.length === 0) return
  // An agent keeps its own key under a second name, too.
  const known = new Set(names.filter(isFound).map((name) => publicKeyIn(join(folder, name))))
  const unseen = others.filter((name) => {
    const key = publicKeyIn(join(folder, name))
    return key !== undefined && !known.has(key)
  })
  if (unseen.length === 0) return
  const more = unseen.length > NAMED ? ` and ${unseen.length - NAMED} more` : ''
  const which = `${unseen.slice(0, NAMED).join(', ')}${more}`
  remark(`sx: ignored in ${folder}: ${which}. A key must be named <agentId>${SUFFIX} there.`, options)
}
