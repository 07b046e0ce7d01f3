/** Many entries at once on files: written side by side, and read in one go where that does not wait for a disk. */
import type { Found } from '../../src/storage/below.ts'
import type { NewEntry } from '../../src/storage/bulk.ts'
import type { Key } from '../../src/storage/contract.ts'
import { Turns } from '../../src/turns.ts'
import { Pace, type Procedure, runSync } from './procedure.ts'
import type { Calls } from './seam.ts'
import type { Draft, Tree } from './tree.ts'

/** A part of a whole that stands in one folder. */
interface Part<T> {
  readonly folder: Key
  readonly items: T[]
}

/** What is in each folder. */
function byFolder<T>(items: readonly T[], keyOf: (item: T) => Key): Part<T>[] {
  const parts = new Map<string, Part<T>>()
  for (const item of items) {
    const folder = keyOf(item).slice(0, -1)
    const name = folder.join('/')
    const part = parts.get(name) ?? { folder, items: [] }
    part.items.push(item)
    parts.set(name, part)
  }
  return [...parts.values()]
}

/** Waits for all, and then throws what the first of them has thrown that did. */
async function all<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/**
 * Puts entries that are not there: all bytes are written first, each to a file of its own, and then all get their names.
 *
 * @param run runs a procedure beside others
 */
export async function putAll(
  tree: Tree,
  entries: readonly NewEntry[],
  run: <T>(procedure: Procedure<T>) => Promise<T>,
): Promise<boolean> {
  await run(tree.prepare())
  const drafts: Draft[] = []
  const write = async ({ key, bytes }: NewEntry): Promise<void> => {
    drafts.push({ key, temporary: await run(tree.draft(bytes)) })
  }
  try {
    await all(entries.map(write))
    if (await run(tree.name(drafts))) {
      await all(byFolder(drafts, ({ key }) => key).map(({ folder }) => run(tree.sync(folder))))
      return true
    }
  } catch (error) {
    await run(tree.drop(drafts.map(({ temporary }) => temporary)))
    throw error
  }
  await run(tree.drop(drafts.map(({ temporary }) => temporary)))
  return false
}

/** {@link putAll} without waiting. */
export function putAllSync(tree: Tree, entries: readonly NewEntry[], calls: Calls): boolean {
  const run = <T>(procedure: Procedure<T>): T => runSync(procedure, calls)
  run(tree.prepare())
  const drafts: Draft[] = []
  let isDone = false
  try {
    for (const { key, bytes } of entries) drafts.push({ key, temporary: run(tree.draft(bytes)) })
    isDone = run(tree.name(drafts))
    if (isDone) for (const { folder } of byFolder(drafts, ({ key }) => key)) run(tree.sync(folder))
    return isDone
  } finally {
    if (!isDone) run(tree.drop(drafts.map(({ temporary }) => temporary)))
  }
}

/** Each file that is to be read, with its place in what was asked for. */
interface Wanted {
  readonly key: Key
  readonly at: number
}

function* readings(tree: Tree, keys: readonly Key[], found: Found[]): Iterable<() => Procedure<boolean>> {
  const wanted = keys.map((key, at): Wanted => ({ key, at }))
  for (const { folder, items } of byFolder(wanted, ({ key }) => key)) {
    const of = items.map(({ key }) => key)
    yield tree.readAll(folder, of, (at, one) => {
      found[items[at]?.at ?? 0] = one
    })
  }
}

/** Reads entries without waiting. */
export function getAllSync(tree: Tree, keys: readonly Key[], calls: Calls): Found[] {
  const found: Found[] = []
  for (const next of readings(tree, keys, found)) while (runSync(next(), calls));
  return found
}

/**
 * Reads entries, without waiting and with a turn for other work in between; where that is slow, beside each other.
 *
 * @param run runs a procedure beside others
 */
export async function getAll(
  tree: Tree,
  keys: readonly Key[],
  calls: Calls,
  run: <T>(procedure: Procedure<T>) => Promise<T>,
): Promise<Found[]> {
  const found: Found[] = []
  const turns = new Turns()
  const pace = new Pace()
  const later: Promise<void>[] = []
  const finish = async (next: () => Procedure<boolean>): Promise<void> => {
    while (await run(next()));
  }
  for (const next of readings(tree, keys, found)) {
    for (;;) {
      if (pace.isSlow) {
        later.push(finish(next))
        break
      }
      if (!pace.watch(() => runSync(next(), calls))) break
      if (turns.isOver) await turns.next()
    }
  }
  await all(later)
  return found
}
