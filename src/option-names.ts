import { SxError } from './errors.ts'

/**
 * Names of options. They stand with the operation whose options they are, or with the type that several share, and the
 * compiler compares them with that: `{ ... } satisfies NamesOf<ListDocumentsOptions>`.
 */
export type Names = Readonly<Record<string, true>>

/** The names of a type of options, all of them and no others. */
export type NamesOf<T extends object> = { readonly [Name in keyof T]-?: true }

/** A longer name is no slip of the keyboard. */
const LONGEST_NAME = 40

/**
 * Refuses an option that nobody reads: who mistypes `password` must not get an agent with another one.
 *
 * @throws SxError `InvalidOption`, which names it and the one that was meant
 */
export function refuseUnknown(options: object, names: Names): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  if (unknown === undefined) return
  const known = Object.keys(names)
  const isShort = unknown.length <= LONGEST_NAME
  const meant = isShort ? known.find((name) => isSlip(unknown, name)) : undefined
  const advice =
    meant === undefined ? `Known options: ${known.map((name) => `'${name}'`).join(', ')}.` : `Did you mean '${meant}'?`
  throw new SxError('InvalidOption', `${isShort ? `The option '${unknown}'` : 'An option'} is unknown. ${advice}`)
}

/** Whether a name is another one but for case and at most two letters that were added, left out or changed. */
function isSlip(given: string, meant: string): boolean {
  const [a, b] = [given.toLowerCase(), meant.toLowerCase()]
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return (row[b.length] ?? 0) <= Math.min(2, Math.floor(b.length / 2))
}
