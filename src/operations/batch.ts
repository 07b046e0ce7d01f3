/** Many documents at once: signed with one date, and stored together. */
import { inBatch, readInBatch } from '../batch-errors.ts'
import { type Operation, perform, step } from '../effects.ts'
import { toJsonText } from '../json.ts'
import { checkSize } from '../limits.ts'
import { schemasOf } from '../schemas/cache.ts'
import type { PendingSchema } from '../schemas/source.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import type { Made } from '../state/documents.ts'
import type { BatchWork, SignedDocument } from '../types.ts'
import { allSignedAndStored, signed, versionPlace } from './current-key.ts'
import { type First, jsonOf, makeFirst, shown } from './documents.ts'

/** What a batch does beside signing. */
export interface BatchOptions {
  readonly noSave: boolean
  /** Signal and progress. */
  readonly work: BatchWork
}

/** Likewise, of `createDocuments`. */
export interface NewDocumentsOptions extends BatchOptions {
  readonly type?: string | undefined
  readonly schema?: PendingSchema | undefined
}

/** `signMessages` */
export function* signMessages(
  session: Session,
  list: readonly unknown[],
  options: BatchOptions,
): Operation<SignedDocument[]> {
  const loaded = requireLoaded(session)
  const jsonOf = (data: unknown): string => toJsonText(data, loaded.options.limits)
  const texts = yield* readAll(list, loaded, jsonOf, options.work)
  const firsts = texts.map((json) => ({ isMessage: true, json }))
  const made = yield* makeAll(loaded, firsts, options)
  return made.map((one) => shown(loaded, one))
}

/** `createDocuments` */
export function* createDocuments(
  session: Session,
  list: readonly unknown[],
  options: NewDocumentsOptions,
): Operation<string[]> {
  const { type, schema, work } = options
  const loaded = requireLoaded(session)
  const texts = yield* readAll(list, loaded, (data) => jsonOf(data, loaded, type), work)
  const fitting = schema && (yield* schemasOf(loaded).compileToSign(yield* schema()))
  const firsts = texts.map((json) => ({ isMessage: false, json, fitting }))
  return (yield* makeAll(loaded, firsts, options)).map(({ raw }) => raw)
}

function stopIfAborted({ signal }: BatchWork): void {
  if (signal?.aborted === true) throw signal.reason
}

/** The JSON texts of values, before any of them is signed: what their owner changes later counts for none. */
function* readAll(
  list: readonly unknown[],
  { options }: Loaded,
  read: (data: unknown) => string,
  work: BatchWork,
): Operation<string[]> {
  const texts: string[] = []
  for (const [index, data] of list.entries()) {
    yield* perform(step)
    stopIfAborted(work)
    texts.push(readInBatch(index, list.length, () => checkSize(read(data), options.limits)))
  }
  return texts
}

function* makeAll(
  loaded: Loaded,
  firsts: readonly First[],
  { noSave, work }: BatchOptions,
): Operation<readonly Made[]> {
  let told = 0
  const make = function* (at: number): Operation<readonly Made[]> {
    const all: Made[] = []
    for (const [index, first] of firsts.entries()) {
      yield* perform(step)
      stopIfAborted(work)
      all.push(yield* doneInBatch(index, firsts.length, makeFirst(loaded, first, at)))
      if (all.length <= told) continue // signed again, by the next key
      told = all.length
      work.onProgress?.(told, firsts.length)
    }
    return all
  }
  if (noSave || firsts.length === 0) return yield* signed(loaded, make)
  return yield* allSignedAndStored(loaded, versionPlace(1), make, function* (made) {
    stopIfAborted(work)
    for (const fitting of new Set(firsts.map((first) => first.fitting))) {
      if (fitting !== undefined) yield* schemasOf(loaded).keep(loaded.documents.storage, fitting)
    }
    yield* loaded.documents.appendFirst(made)
  })
}

function* doneInBatch<T>(index: number, count: number, operation: Operation<T>): Operation<T> {
  try {
    return yield* operation
  } catch (error) {
    throw inBatch(error, index, count)
  }
}
