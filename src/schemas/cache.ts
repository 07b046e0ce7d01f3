// The compiled schemas of an agent: as many as it uses side by side, not all it ever saw.
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { type Limits, limitsText } from '../limits.ts'
import type { Loaded } from '../session.ts'
import { keepSchema, keptSchema } from '../state/kept-schemas.ts'
import type { Storage } from '../storage/contract.ts'
import { type SchemaModule, schemaModule } from './module.ts'
import { idOf, type SchemaText, type SchemaTexts, type Sibling, siblingsOf } from './source.ts'

/** As many are kept, and as many that documents were made by. */
const KEPT = 32

/** A schema that can be applied. */
export interface CompiledSchema {
  /** Its `$id`. */
  readonly id: string
  /** Its text, and those of the schemas that it refers to, itself or through each other. */
  readonly texts: readonly string[]
  /** See `complete` of {@link SchemaModule}. */
  complete(document: string, limits: Limits | undefined, kept: readonly string[]): string
  /** See `check` of {@link SchemaModule}. */
  check(document: string, limits: Limits | undefined): void
}

interface Entry extends CompiledSchema {
  /** The files beside it that it was made of. */
  readonly beside: readonly Sibling[]
  dispose(): void
}

/** The compiled schemas of one agent, or of somebody who has none, the least recently used first. */
export class SchemaCache {
  /** By their texts. */
  readonly #entries = new Map<string, Entry>()
  /** Those that documents were made by, by `$id`: what is only verified by has no say in a later update. */
  readonly #signed = new Map<string, Entry>()

  /** Those that are kept in the storage already. */
  readonly #kept = new WeakSet<CompiledSchema>()

  /** The schema of this `$id` that a document was made by last. */
  byId(id: string): CompiledSchema | undefined {
    const known = this.#signed.get(id)
    return known && this.#keep(this.#signed, id, known)
  }

  /** The schema of these texts, which is compiled unless it was already. */
  *compile(texts: SchemaTexts): Operation<CompiledSchema> {
    return yield* this.#compile(texts)
  }

  /** The same, for a document that is made by it. */
  *compileToSign(texts: SchemaTexts): Operation<CompiledSchema> {
    const entry = yield* this.#compile(texts)
    return this.#keep(this.#signed, entry.id, entry)
  }

  /** Keeps a schema, with those that it refers to, where documents that it makes are stored. */
  *keep(data: Storage, schema: CompiledSchema): Operation<void> {
    if (this.#kept.has(schema)) return
    for (const text of schema.texts) yield* keepSchema(data, text)
    this.#kept.add(schema)
  }

  /**
   * The schema of this `$id` that is kept, with those that it refers to; else the one that was used last.
   *
   * @throws SxError `SchemaRequired` if there is none, or if several have the `$id`; `CorruptStore`
   */
  *kept(data: Storage, id: string): Operation<CompiledSchema> {
    const text = yield* keptSchema(data, id)
    if (text === undefined) {
      const known = this.byId(id)
      if (known !== undefined) return known
      throw new SxError('SchemaRequired', `The document has the schema '${id}', which was not passed.`)
    }
    const module = yield* perform(schemaModule)
    const others: string[] = []
    for (;;) {
      const [missing] = module.missing(text, others)
      const other = missing === undefined ? undefined : yield* keptSchema(data, missing)
      if (other === undefined) break // if one is missing, the module says which
      others.push(other)
    }
    return yield* this.compileToSign({ main: { text, path: undefined }, others })
  }

  /** Lets go of all. */
  dispose(): void {
    const all = new Set([...this.#entries.values(), ...this.#signed.values()])
    this.#entries.clear()
    this.#signed.clear()
    for (const entry of all) entry.dispose()
  }

  *#compile(texts: SchemaTexts): Operation<Entry> {
    const module = yield* perform(schemaModule)
    const key = JSON.stringify([texts.main.path, texts.main.text, ...texts.others])
    const known = this.#entries.get(key)
    if (known !== undefined && (yield* isCurrent(known, texts.main))) return this.#keep(this.#entries, key, known)
    const beside = yield* besideOf(module, texts)
    return this.#keep(this.#entries, key, compiled(module, texts, beside))
  }

  /** Puts it last, and drops those that are too many. */
  #keep(map: Map<string, Entry>, key: string, entry: Entry): Entry {
    const before = map.get(key)
    map.delete(key)
    map.set(key, entry)
    if (before !== undefined) this.#release(before)
    for (const [name, oldest] of map) {
      if (map.size <= KEPT) break
      map.delete(name)
      this.#release(oldest)
    }
    return entry
  }

  #release(entry: Entry): void {
    const isKept = [this.#entries, this.#signed].some((map) => [...map.values()].includes(entry))
    if (!isKept) entry.dispose()
  }
}

const caches = new WeakMap<Loaded, SchemaCache>()

/** The compiled schemas of a loaded agent, which end with it. */
export function schemasOf(loaded: Loaded): SchemaCache {
  const known = caches.get(loaded) ?? new SchemaCache()
  caches.set(loaded, known)
  loaded.schemas = known
  return known
}

/** Whether the files beside a schema that it was made of are as they were. */
function* isCurrent({ beside }: Entry, { path }: SchemaText): Operation<boolean> {
  if (path === undefined || beside.length === 0) return true
  const names = beside.map(({ name }) => name)
  const now = yield* siblingsOf(path, names)
  return now.length === beside.length && beside.every(({ text }, at) => now[at]?.text === text)
}

/** Those of the files beside a schema that it refers to, itself or through each other. */
function* besideOf(module: SchemaModule, { main, others }: SchemaTexts): Operation<Sibling[]> {
  const found: Sibling[] = []
  if (main.path === undefined) return found
  let siblings: readonly Sibling[] | undefined
  for (;;) {
    const missing = module.missing(main.text, [...others, ...found.map(({ text }) => text)])
    if (missing.length === 0) return found
    siblings ??= yield* siblingsOf(main.path)
    const wanted = siblings.filter(({ id }) => missing.includes(id))
    if (wanted.length === 0) return found // the module says what is missing
    found.push(...wanted)
  }
}

/** Those of some schemas that one refers to, itself or through each other. */
function referredBy(module: SchemaModule, main: string, others: readonly string[]): string[] {
  const found: string[] = []
  for (;;) {
    const missing = module.missing(main, found)
    const wanted = others.filter((text) => !found.includes(text) && missing.includes(idOf(text) ?? ''))
    if (wanted.length === 0) return found
    found.push(...wanted)
  }
}

function compiled(module: SchemaModule, { main, others }: SchemaTexts, beside: readonly Sibling[]): Entry {
  const load = (): { handle: number; id: string; epoch: number } => {
    const { handle, id } = module.load(main.text, [...others, ...beside.map(({ text }) => text)])
    return { handle, id, epoch: module.epoch }
  }
  let now = load()
  const handle = (): number => {
    if (now.epoch !== module.epoch) now = load()
    return now.handle
  }
  const referred = referredBy(module, main.text, [...others, ...beside.map(({ text }) => text)])
  return {
    id: now.id,
    texts: [main.text, ...referred],
    beside,
    complete: (document, limits, kept) => module.complete(handle(), document, limitsText(limits), kept),
    check: (document, limits) => module.check(handle(), document, limitsText(limits)),
    dispose: () => {
      if (now.epoch === module.epoch) module.free(now.handle)
    },
  }
}
