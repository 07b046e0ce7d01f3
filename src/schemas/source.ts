// Schemas as callers pass them: where their texts come from.
import { platform } from '#platform'
import { isBytes } from '../bytes.ts'
import { isWellFormed } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { toJsonText } from '../json.ts'
import { fileOf } from '../operations/sources.ts'
import { isRecord } from '../options.ts'
import type { SchemaOptions, SchemaSource } from '../types.ts'

/** In bytes, like the limit of the module: larger files are not even read. */
const LARGEST = 1 << 20

/** Schemas that are passed in together. */
const MOST = 1000

/** A schema as text; with its path, if it was passed as one. */
export interface SchemaText {
  readonly text: string
  readonly path: string | undefined
}

/** A schema that was passed, and those that it may refer to. */
export interface SchemaTexts {
  readonly main: SchemaText
  readonly others: readonly string[]
}

/** What is read later of a schema: objects and bytes are copied at once. */
export type PendingSchema = () => Operation<SchemaTexts>

/**
 * The schema of some options; nothing if there is none.
 *
 * @throws SxError `InvalidOption`, `SchemaLimit`, `NotJson` for an object that JSON cannot show
 */
export function schemaOf({
  schema,
  schemas,
}: Partial<Record<keyof SchemaOptions, unknown>>): PendingSchema | undefined {
  if (schema === undefined || schema === null) {
    if (schemas === undefined || schemas === null) return undefined
    throw new SxError('InvalidOption', "The option 'schemas' requires the option 'schema', which refers to them.")
  }
  const others: unknown = schemas ?? []
  if (!Array.isArray(others)) throw new SxError('InvalidOption', "The option 'schemas' is not an array.")
  if (others.length > MOST) throw new SxError('SchemaLimit', `There are more than ${MOST} schemas.`)
  const main = textOf(schema)
  const rest = others.map((other: SchemaSource) => textOf(other))
  return function* () {
    const texts: string[] = []
    for (const one of rest) texts.push((yield* one()).text)
    return { main: yield* main(), others: texts }
  }
}

/** A string whose first character begins a JSON object is one; any other is a path. */
const isJson = (value: string): boolean => /^[ \t\n\r]*\{/.test(value)

function textOf(schema: unknown): () => Operation<SchemaText> {
  if (typeof schema === 'string' && isJson(schema)) return given(schema)
  const path = typeof schema === 'string' ? schema : undefined
  if (path === undefined && !isFile(schema)) return given(textOfObject(schema))
  if (isBytes(schema) && schema.length > LARGEST) throw tooLarge('bytes')
  const read = fileOf(schema, 'schema', LARGEST)
  return function* () {
    try {
      return { text: decoded(yield* perform(read)), path }
    } catch (error) {
      throw error instanceof SxError && error.code === 'LimitExceeded' ? tooLarge('bytes') : error
    }
  }
}

/** What is too deep or too much for JSON text is too much for a schema. */
function textOfObject(schema: unknown): string {
  try {
    return toJsonText(schema)
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'LimitExceeded')) throw error
    throw new SxError('SchemaLimit', 'The schema is nested too deeply, or has too many members.', { cause: error })
  }
}

/**
 * Whether it is bytes or a `Blob`, and not an object.
 *
 * @throws SxError `InvalidOption` for anything else
 */
function isFile(schema: unknown): boolean {
  try {
    if (isBytes(schema) || (typeof Blob === 'function' && schema instanceof Blob)) return true
    if (isRecord(schema)) return false
  } catch (cause) {
    throw new SxError('InvalidOption', 'The schema cannot be read.', { cause })
  }
  throw new SxError('InvalidOption', 'The schema is not a path, an object, JSON text, bytes, a Blob or a File.')
}

function tooLarge(unit: string): SxError {
  return new SxError('SchemaLimit', `The schema has more than ${LARGEST} ${unit}.`)
}

function given(text: string): () => Operation<SchemaText> {
  if (text.length > LARGEST) throw tooLarge('characters')
  if (!isWellFormed(text)) throw new SxError('InvalidSchema', 'The schema contains a lone surrogate.')
  // oxlint-disable-next-line require-yield -- as the ones that are read
  return function* () {
    return { text, path: undefined }
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new SxError('InvalidSchema', 'The schema is not UTF-8 text.', { cause })
  }
}

/** A file beside a schema, as text; those that are no JSON object with a `$id` are none of a schema. */
export interface Sibling {
  readonly name: string
  readonly text: string
  readonly id: string
}

/** The schemas among the files beside one, or among those of these names; none where there are no folders. */
export function* siblingsOf(path: string, names?: readonly string[]): Operation<Sibling[]> {
  if (platform.schemasBeside === undefined) return []
  const files = yield* perform(platform.schemasBeside(path, LARGEST, names))
  return files.flatMap(({ name, bytes }) => {
    const text = readable(bytes)
    const id = text === undefined ? undefined : idOf(text)
    return text === undefined || id === undefined ? [] : [{ name, text, id }]
  })
}

function readable(bytes: Uint8Array): string | undefined {
  try {
    return decoded(bytes)
  } catch {
    return undefined // somebody else's file
  }
}

/** The `$id` of a schema, without an empty fragment. */
export function idOf(text: string): string | undefined {
  try {
    const { $id } = JSON.parse(text) as { $id?: unknown }
    return typeof $id === 'string' ? $id.replace(/#$/, '') : undefined
  } catch {
    return undefined // likewise
  }
}
