/**
 * Custom schemas that stored documents were made by, in the data directory (protocol, section 22): each is put if absent
 * under the hashes of its `$id` and of its canonical text, and never changed.
 *
 * @module
 */
import * as core from '#core'
import { decode, encode } from '../bytes.ts'
import { call } from '../core.ts'
import { cursor, get, putIfAbsent } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { idOf } from '../schemas/source.ts'
import type { Key, Storage } from '../storage/contract.ts'

/** Top of the schemas in the data directory. */
export const SCHEMAS = 'schemas'

const NAME = /^schemas\/[0-9a-f]{64}\/[0-9a-f]{64}\.json$/

const hash = (text: string): string => call(() => core.hashString(text))

/** Whether an entry of this name can be a schema. */
export function isSchemaName(name: string): boolean {
  return NAME.test(name)
}

/** Whether a text is the schema of this name. */
export function isSchemaOf(name: string, text: string): boolean {
  const id = idOf(text)
  return id !== undefined && keyOf(id, text).join('/') === name
}

function keyOf(id: string, canonical: string): Key {
  return [SCHEMAS, hash(id), `${hash(canonical)}.json`]
}

export function notKept(name: string): SxError {
  return new SxError('CorruptStore', `${name} is not the schema that was stored there.`)
}

/** Keeps a schema, and says its name. Its JSON has been read strictly. */
export function* keepSchema(data: Storage, schema: string): Operation<void> {
  const text = call(() => core.canonicalJson(schema))
  const id = idOf(text)
  if (id === undefined) return // nothing can refer to it
  const key = keyOf(id, text)
  if ((yield* perform(get(data, key))) !== undefined) return
  yield* perform(putIfAbsent(data, key, encode(text)))
}

/**
 * The one schema of this `$id`; `undefined` if there is none.
 *
 * @throws SxError `SchemaRequired` if there are several; `CorruptStore`
 */
export function* keptSchema(data: Storage, id: string): Operation<string | undefined> {
  const next = cursor(data, [SCHEMAS, hash(id)])
  let found: string | undefined
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const name = key.join('/')
    const bytes = isSchemaName(name) ? yield* perform(get(data, key)) : undefined
    if (bytes === undefined) continue
    const text = decode(bytes, name)
    if (!isSchemaOf(name, text)) throw notKept(name)
    if (found !== undefined) {
      const advice = 'Pass the one that you need as the option `schema`. Give a changed schema another $id.'
      throw new SxError('SchemaRequired', `The storage contains several schemas with the $id '${id}'.`, { advice })
    }
    found = text
  }
  return found
}

/** Where schemas of this `$id` are kept, and how many are. */
export function* keptSchemas(
  data: Storage,
  id: string,
): Operation<{ readonly folder: string; readonly count: number }> {
  const folder = [SCHEMAS, hash(id.replace(/#$/, ''))]
  const next = cursor(data, folder)
  let count = 0
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    if (isSchemaName(key.join('/'))) count++
  }
  return { folder: folder.join('/'), count }
}

/** The names of the schemas that are kept, ascending. */
export function* schemaNames(data: Storage): Operation<string[]> {
  const found: string[] = []
  const next = cursor(data, [SCHEMAS])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    const name = key.join('/')
    if (isSchemaName(name)) found.push(name)
  }
  return found
}
