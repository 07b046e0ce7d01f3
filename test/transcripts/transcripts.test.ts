// Each operation as a transcript: what it asks of its runtime, what it is told, and what comes of it (docs/transcripts.md).
//
//   node scripts/transcripts.mjs     writes test/vectors/transcripts
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memoryStorage, type SyncStorage } from 'sx-agent/storage'
import { describe, expect, test } from 'vitest'
import { beginning } from '../../src/api/form.ts'
import { ensureReady } from '../../src/core.ts'
import { driveAsync } from '../../src/effects/drive.ts'
import { type Happened, recorded } from '../../src/effects/history.ts'
import { type Effect, type Kind, type Operation, type Performer, performers, runAsync } from '../../src/effects.ts'
import { randomSalts } from '../derivations.mjs'
import { agentOn, fixed, freshState } from './agent.ts'
import { decode, encode, REFERENCE } from './codec.ts'
import { type Entry, operations } from './operations.ts'

randomSalts() // from what is told of randomness, as all else

const folder = fileURLToPath(new URL('../vectors/transcripts/', import.meta.url))
const isWriting = process.env['SX_TRANSCRIPTS'] === 'write'

interface Step {
  readonly operation: string
  readonly given: readonly unknown[]
  readonly effects: readonly { readonly effect: unknown; readonly answer?: unknown; readonly error?: unknown }[]
  readonly result: unknown
}

interface Transcript {
  readonly surface: Entry['surface']
  /** The agent is loaded before each call. */
  readonly load?: Step
  readonly calls: readonly Step[]
}

type Run = (name: string, given: readonly unknown[]) => Operation<unknown>

/** How an operation is called, on an agent of this storage. */
function caller({ surface, f }: Entry, storage: SyncStorage): Run {
  const agent = agentOn(storage)
  return surface === 'simple'
    ? (_, given) => beginning(f, { options: {}, loaded: undefined }, [...given])
    : (name, given) => agent.call(name, ...given)
}

/** What every runtime makes by itself, from what it has in memory or in its package: it cannot be told. */
const MADE: ReadonlySet<Kind> = new Set<Kind>([
  'openTrust',
  'mediaModule',
  'pixelsModule',
  'schemaModule',
  'agreementModule',
  'exchangeModule',
  'scanBytes',
])
/** Of the files of a machine, which are others elsewhere. */
const OF_FILES: ReadonlySet<Kind> = new Set<Kind>([
  'readNamedFile',
  'scanFile',
  'editFile',
  'writeFile',
  'schemasBeside',
])

const encoded = ({ effect, ...then }: Happened): Step['effects'][number] => {
  if ('error' in then) return { effect: encode(effect), error: encode(then.error) }
  const answer = MADE.has(effect.kind) ? { $: 'reference', of: effect.kind } : encode(then.answer)
  return { effect: encode(effect), answer }
}

/** What a call ends in: a refusal is one of its ends. */
async function endOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return encode(await call())
  } catch (error) {
    return encode(error)
  }
}

const isRefusal = ({ result }: Step): boolean => (result as { readonly $?: string } | null)?.$ === 'error'

/** Calls the operation until it has once answered and once refused, if it does both, each time on an agent of its own. */
async function transcribe(entry: Entry): Promise<Transcript> {
  const calls: Step[] = []
  let load: Step | undefined
  for (let at = 0, count = 1; at < count; at++) {
    const state = await freshState(entry.name === 'revokeKey')
    const given = entry.given(state)
    count = given.length
    const run = caller(entry, state.store)
    const table = fixed()
    let isElsewhere = false
    const step = async (operation: string, given: readonly unknown[]): Promise<Step> => {
      const history: Happened[] = []
      const shown = given.map(encode)
      const result = await endOf(() => runAsync(() => recorded(run(operation, given), history), table))
      isElsewhere ||= history.some(({ effect }) => OF_FILES.has(effect.kind))
      return { operation, given: shown, effects: history.map(encoded), result }
    }
    if (isLoadedFirst(entry)) load = await step('load', [])
    const call = await step(entry.name, given[at] ?? [])
    if (!isElsewhere && !calls.some((one) => isRefusal(one) === isRefusal(call))) calls.push(call)
    if (calls.length === 2) break
  }
  return { surface: entry.surface, ...(load && { load }), calls }
}

const isLoadedFirst = ({ surface, name }: Entry): boolean => surface === 'SxAgent' && name !== 'load'

/** A storage that nothing may be asked of. */
function untouched(): SyncStorage {
  const names = ['get', 'put', 'delete', 'list', 'flush', 'close', 'getSync', 'putSync', 'deleteSync', 'listSync']
  const refuse = (name: string) => (): never => {
    throw new Error(`A replay calls ${name} of the storage.`)
  }
  const methods = Object.fromEntries(names.map((name) => [name, refuse(name)]))
  return { capabilities: memoryStorage().capabilities, ...methods } as unknown as SyncStorage
}

/** Calls an operation again and tells it what the transcript says. */
async function again(run: Run, { operation, given, effects, result }: Step, storage: SyncStorage): Promise<void> {
  const asked: unknown[] = []
  const told = (effect: Effect<unknown>): unknown => {
    const then = effects[asked.length]
    asked.push(encode(effect))
    expect(asked.at(-1), `effect ${asked.length} of ${operation}`).toEqual(then?.effect)
    if (then !== undefined && 'error' in then) throw decode(then.error, storage)
    const answer = decode(then?.answer, storage)
    return answer === REFERENCE ? made(effect) : answer
  }
  const found = await endOf(async () => {
    const arguments_ = given.map((one) => decode(one, storage))
    return driveAsync(() => run(operation, arguments_), told)
  })
  expect(asked).toEqual(effects.map(({ effect }) => effect))
  expect(found).toEqual(result)
}

function made(effect: Effect<unknown>): unknown {
  return (performers[effect.kind] as Performer<never>).async(effect as never, () => {
    throw new Error('It consists of nothing else.')
  })
}

await ensureReady()

describe.each(operations.map((entry) => [entry.name, entry] as const))('%s', (name, entry) => {
  const file = `${folder}${name}.json`
  test('asks and answers as its transcript says', async () => {
    const text = `${JSON.stringify(await transcribe(entry), null, 1)}\n`
    if (isWriting) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, text)
    }
    expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, 'utf8')))
  })

  test('replays without a storage', async () => {
    expect.hasAssertions()
    const { load, calls } = JSON.parse(readFileSync(file, 'utf8')) as Transcript
    for (const call of calls) {
      const storage = untouched()
      const run = caller(entry, storage)
      if (load !== undefined) await again(run, load, storage)
      await again(run, call, storage)
    }
  })
})

test('there is a transcript for every operation, and no other', () => {
  const names = operations.map(({ name }) => `${name}.json`)
  if (isWriting) for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(folder + name)
  expect(readdirSync(folder).sort()).toEqual(names.sort())
})
