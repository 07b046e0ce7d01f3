// Faults that are put into the library, to see that the simulation finds them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import type * as run from './run.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Inside the checkout, where imports are resolved as in the sources; git ignores it. */
const PLACE = resolve(ROOT, '.cache/mutants')

export interface Mutant {
  readonly name: string
  /** Path of the source. */
  readonly file: string
  /** What stands there, and what takes its place. */
  readonly change: readonly (readonly [from: string, to: string])[]
  /** Where one source is not enough. */
  readonly more?: readonly Pick<Mutant, 'file' | 'change'>[]
  readonly scenario: string
  /** What has to find it; any rule, if left out. */
  readonly rule?: string
  /** It is found in so many seeds. */
  readonly within: number
}

export const mutants: readonly Mutant[] = [
  {
    name: "K01: the agent's own document is read only once",
    file: 'src/operations/verify.ts',
    change: [['  yield* loaded.own.follow()\n  return undefined', '  return undefined']],
    scenario: 'keys',
    within: 200,
  },
  {
    name: 'K05: an update does not check its own key',
    file: 'src/operations/documents.ts',
    change: [
      [
        'return yield* signedAndStored(loaded, versionPlace(current.number + 1), signNext, function* (made) {\n    if (',
        'const unseen = yield* signNext(requireSigning(loaded).dates.next(yield* perform(now)))\n  {\n    const made = unseen\n    if (',
      ],
      ['import { blankMoment, momentAt } from', 'import { blankMoment, momentAt, now } from'],
      [
        "throw new SxError('VersionConflict')\n  })\n}",
        "throw new SxError('VersionConflict')\n  }\n  return unseen\n}",
      ],
    ],
    scenario: 'rotation',
    within: 400,
  },
  {
    // Either look alone is enough for what is stored; the first one keeps what does not count from being stored.
    name: 'K05: signing checks the key before it takes the date, and not after',
    file: 'src/operations/current-key.ts',
    change: [
      ['      own.noteLook(at)\n      return made\n', '      return yield* make(dates.next(yield* perform(now)))\n'],
      ['  yield* confirm(loaded, keyId, { date, places: made.map(place) })\n', ''],
    ],
    scenario: 'rotation',
    within: 800,
  },
  {
    name: 'K05: a document is not checked again after it is stored',
    file: 'src/operations/current-key.ts',
    change: [['  yield* confirm(loaded, keyId, { date, places: made.map(place) })\n', '']],
    scenario: 'keys',
    within: 3000,
  },
  {
    name: 'K05: a rotation writes no intent',
    file: 'src/operations/rotate.ts',
    change: [
      [
        'if (yield* claim(documents.storage, rotationIntent(id, former.number + 1), intent, true)) return true',
        'return true',
      ],
    ],
    scenario: 'rotation',
    within: 400,
  },
  {
    name: 'a rotation is dated with the current time only',
    file: 'src/operations/clocks.ts',
    change: [['  if (latest <= present) return present + 1\n', '  if (latest < 1e15) return present\n']],
    scenario: 'keys',
    within: 400,
  },
  {
    name: 'K06: a rotation is dated after all signatures, however far ahead the clock was',
    file: 'src/operations/clocks.ts',
    change: [
      ['  if (!isAhead(latest, present)) return latest + MARGIN\n', '  if (latest > present) return latest + MARGIN\n'],
    ],
    scenario: 'keys',
    rule: 'a revocation counts from its day',
    within: 300,
  },
  {
    name: 'reading the stored private key does not wait for a rotation of the same process',
    file: 'src/operations/reencrypt.ts',
    change: [['  if (!own.isRotating) return false\n  yield* perform(pause)\n  return true\n', '  return false\n']],
    scenario: 'rotation',
    rule: 'true sentences',
    within: 4000,
  },
  {
    name: 'K10: no record says that an external signer has the key',
    file: 'src/operations/rotate.ts',
    change: [['    if (next.external !== undefined) yield* handOver(loaded, former, keyId)\n', '']],
    scenario: 'signers',
    rule: 'one private key',
    within: 200,
  },
  {
    name: 'K10: `load` rejects a key that is being handed over to an external signer',
    file: 'src/operations/opening.ts',
    change: [["['WrongPassword', 'KeyMismatch', 'NotFound']", "['WrongPassword']"]],
    scenario: 'signers',
    rule: 'true sentences',
    within: 400,
  },
  {
    name: 'K05: deferred writes are not checked again while the key is rotated',
    file: 'src/operations/current-key.ts',
    change: [['    if (!own.isRevoked) yield* awaitRotation(loaded, isEnding)\n', '']],
    scenario: 'overlapping',
    rule: 'what was stored verifies',
    within: 200,
  },
  {
    name: 'K10: a key that was rotated creates its revocation',
    file: 'src/operations/revocation.ts',
    change: [[' && loaded.own.latest.keyId === current', '']],
    scenario: 'overlapping',
    within: 200,
  },
  {
    name: 'K02 (a): a second agent on the storage has its own copy',
    file: 'src/state/trust-state.ts',
    change: [['  byData.set(ofData.store, states)\n', '']],
    more: [
      {
        // The same agent keeps its copy when it is loaded again, so that only others are behind.
        file: 'src/state/trust-store.ts',
        change: [['other.#before, other.#release(false)])', 'other.#before])\n    this.#state = other.#state']],
      },
    ],
    scenario: 'shared',
    rule: 'what was taken back stays taken back',
    within: 300,
  },
  {
    name: 'K03: a backup does not compare the key and the version at the end',
    file: 'src/operations/one-version.ts',
    change: [
      [
        '      yield* own.requireCurrentKey()\n      if (isSame() && own.latest.version === current.version) return result\n',
        '      return result\n',
      ],
      ['if (result === undefined || !isSame()) continue', 'if (result === undefined) continue'],
    ],
    more: [
      {
        file: 'src/operations/store.ts',
        change: [
          ['  yield* loaded.own.requireCurrentKey() // a key and a document that do not fit would be no backup\n', ''],
          ['      if (loaded.own.current.version !== own.version) return undefined\n', ''],
        ],
      },
    ],
    scenario: 'backups',
    within: 300,
  },
  {
    name: 'K09: an import stores its decisions where they count before its agent exists',
    file: 'src/operations/staging.ts',
    change: [
      [
        'if (yield* claim(place.directories.keys, key, bytes)) return\n',
        'if (yield* claim(place.directories.keys, key, bytes)) return void (yield* putRestored(place, parts))\n',
      ],
    ],
    scenario: 'restoring',
    within: 300,
  },
  {
    name: 'a failed import removes what another import of the same backup has staged',
    file: 'src/operations/store.ts',
    change: [
      ['  yield* stage(place, agentId, parts)\n', '  try {\n  yield* stage(place, agentId, parts)\n'],
      [
        '  try {\n    if (!(yield* commit(',
        '  } catch (error) {\n    yield* unstage(place, agentId)\n    throw error\n  }\n  try {\n    if (!(yield* commit(',
      ],
    ],
    scenario: 'restoring',
    within: 1000,
  },
  {
    name: 'a page takes a gap in its memory for a damaged store',
    file: 'src/state/chain.ts',
    change: [['  if (yield* perform(isCurrent(storage))) return absence\n', '  return absence\n']],
    scenario: 'backups',
    within: 5000,
  },
  {
    name: 'a page saves the trust from before its own decision',
    file: 'src/operations/store.ts',
    change: [['  const isWhole = yield* perform(isCurrent(data))\n', '  const isWhole = true\n']],
    scenario: 'backups',
    within: 300,
  },
  {
    name: 'K02 (b): a reload drops pending decisions',
    file: 'src/state/trust-state.ts',
    change: [['const found = states.get(name) ?? new Shared(open())', 'const found = new Shared(open())']],
    scenario: 'shared',
    within: 300,
  },
  {
    name: 'K13: a page reports NotFound for what it has just verified',
    file: 'src/storage/readings.ts',
    change: [
      ['if (reading.isOvertaken && this.#isNews(key, bytes)) {', 'if (reading.isOvertaken && !reading.isOvertaken) {'],
    ],
    more: [
      {
        file: 'src/state/chain.ts',
        change: [
          [
            '    if (!isWhole && known > 0) throw notInMemory(`entry ${known} of ${names.label}, which was read before`)\n',
            '',
          ],
        ],
      },
    ],
    scenario: 'pages',
    within: 1000,
  },
  {
    name: 'concurrent effects fail before all of them have ended, and a deferred write error is lost',
    file: 'src/effects/entries.ts',
    change: [['    await Promise.all(running.map((one) => one.catch(throwBelated)))\n', '']],
    more: [
      {
        // A copy tells what has failed to calls that begin afterwards, so that these two hear of it at once.
        file: 'src/storage/mirror.ts',
        change: [
          [
            '    if (this.#closed) throw closedError()\n    return bytes && new',
            '    this.#guard()\n    return bytes && new',
          ],
        ],
      },
    ],
    scenario: 'pages',
    rule: 'what was reported is stored',
    within: 30000,
  },
  {
    name: 'a remembered decision on trust is not compared',
    file: 'src/state/trust-witness.ts',
    change: [['isRemoval || known === undefined || equalBytes(bytes, known.bytes)', 'true']],
    scenario: 'restored',
    within: 200,
  },
  {
    name: 'trust is judged once and not again',
    file: 'src/state/trust-state.ts',
    change: [
      [
        '      const answer = judge(known)\n',
        '      answered ??= { value: judge(known) }\n      const answer = answered.value\n',
      ],
      ['    let latest = shown\n', '    let latest = shown\n    let answered: { readonly value: T } | undefined\n'],
    ],
    scenario: 'trust',
    within: 200,
  },
  {
    name: 'a copy that has only a witness answers with the state before',
    file: 'src/state/trust-witness.ts',
    change: [['  if (seen !== undefined) return seen\n', "  if (agentId !== '') return seen\n"]],
    scenario: 'opening',
    within: 400,
  },
  {
    name: 'the terms of an agreement are stored after its events',
    file: 'src/state/agreements.ts',
    change: [
      [
        "  if (!(yield* claim(storage, agreementEntry(id), encode(terms)))) throw damaged(agreementEntry(id), 'has other terms')\n",
        '',
      ],
      [
        'yield* claim(storage, agreementEntry(id, eventId), encode(text))\n',
        'yield* claim(storage, agreementEntry(id, eventId), encode(text))\n  yield* claim(storage, agreementEntry(id), encode(terms))\n',
      ],
    ],
    scenario: 'agreements',
    rule: 'an event has its terms',
    within: 100,
  },
  {
    name: 'an event of an agreement is reported as stored although that failed',
    file: 'src/state/agreements.ts',
    change: [
      [
        ' yield* claim(storage, agreementEntry(id, eventId), encode(text))\n',
        ' {\n    try {\n      yield* claim(storage, agreementEntry(id, eventId), encode(text))\n    } catch {}\n  }\n',
      ],
    ],
    scenario: 'agreements',
    rule: 'what was reported is stored',
    within: 1000,
  },
  {
    name: 'the events of a copy are not stored with an own one',
    file: 'src/operations/agreements/act.ts',
    change: [['[...received(opened, question), event.id, event.raw]', '[event.id, event.raw]']],
    scenario: 'agreements',
    rule: 'what was reported is stored',
    within: 200,
  },
  {
    name: 'events of an agreement are stored before those that they have seen',
    file: 'src/state/agreements.ts',
    change: [['      if (isNew) stack', "      if (isNew && text === '') stack"]],
    scenario: 'agreements',
    within: 1000,
  },
  {
    name: 'what is stored of an agreement during a list is not looked for again',
    file: 'src/state/agreements.ts',
    change: [['    if (keys.length === 0 || unseenIn(all) === undefined) return all', '    return all']],
    scenario: 'agreements',
    within: 2000,
  },
  {
    name: 'terms that another process stores during a read are reported as missing',
    file: 'src/state/agreements.ts',
    change: [['before ?? (events.length > 0 ? yield* readTerms(storage, key) : undefined)', 'before']],
    scenario: 'agreements',
    rule: 'true sentences',
    within: 2000,
  },
]

/** What takes the place of something in one source. */
type Change = Pick<Mutant, 'file' | 'change'>

const changesOf = (mutant: Mutant): readonly Change[] => [mutant, ...(mutant.more ?? [])]

/** The source with the fault in it, and imports that work from elsewhere; `undefined` if what is changed is not there. */
function mutate({ file, change }: Change): string | undefined {
  let text = readFileSync(resolve(ROOT, file), 'utf8')
  if (change.length === 0) return undefined
  for (const [from, to] of change) {
    if (text.split(from).length !== 2) return undefined
    text = text.replace(from, () => to)
  }
  const folder = dirname(resolve(ROOT, file))
  return text.replaceAll(
    /(from |import\()'(\.[^']+)'/g,
    (_, before: string, path: string) => `${before}'${resolve(folder, path)}'`,
  )
}

/** Whether what a mutant changes stands in the sources. */
export const isThere = (mutant: Mutant): boolean => {
  try {
    return changesOf(mutant).every((change) => mutate(change) !== undefined)
  } catch {
    return false
  }
}

/** Has everything that is imported from now on use the library with the fault in it. */
export async function infect(mutant: Mutant): Promise<typeof run> {
  mkdirSync(PLACE, { recursive: true })
  vi.resetModules()
  for (const [at, change] of changesOf(mutant).entries()) {
    const text = mutate(change)
    if (text === undefined) throw new Error(`${change.file} does not hold what '${mutant.name}' changes.`)
    const path = resolve(PLACE, `${mutants.indexOf(mutant)}-${at}.ts`)
    writeFileSync(path, text)
    vi.doMock(resolve(ROOT, change.file), () => import(path))
  }
  return await import('./run.ts')
}

/** Puts the library back. */
export function heal(mutant: Mutant): void {
  for (const { file } of changesOf(mutant)) vi.doUnmock(resolve(ROOT, file))
  vi.resetModules()
}
