// Ids, dates and lists that histories are made of.
import { createHash } from 'node:crypto'
import type { Random } from '../simulation/random.ts'

const DAY = 86_400_000
const START = Date.parse('2026-03-01T00:00:00.000Z')

export const sha256 = (name: string): string => createHash('sha256').update(name).digest('hex')
export const uuidOf = (name: string): string =>
  sha256(name).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
export const keyOf = (name: string): string => createHash('sha256').update(name).digest('base64url')
export const dateOf = (days: number): string => new Date(START + Math.round(days * DAY)).toISOString()
/** 16 bytes, as base64url. */
export const nonceOf = (name: string): string => Buffer.from(sha256(name).slice(0, 32), 'hex').toString('base64url')

/** Some of `items`, each with this chance. */
export const some = <T>(random: Random, items: readonly T[], chance: number): T[] =>
  items.filter(() => random.chance(chance))

/** Items in another order. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
