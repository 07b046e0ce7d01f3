import { text } from '../core.ts'
import type { Operation } from '../effects.ts'
import { SxError } from '../errors.ts'
import { refuseMistaken } from '../json-text.ts'
import { SchemaCache } from '../schemas/cache.ts'
import { type PendingSchema, schemaOf } from '../schemas/source.ts'
import type { SchemaOptions } from '../types.ts'

/** `checkSchema`: whether a document conforms to a custom schema. Its signature is not verified. */
export function checkSchema(document: unknown, options: SchemaOptions): Operation<void> {
  const pending = schemaOf(options)
  if (pending === undefined) throw new SxError('InvalidOption', "The option 'schema' is missing.")
  return fitting(refuseMistaken(text(document, 'document')), pending)
}

function* fitting(document: string, pending: PendingSchema): Operation<void> {
  const cache = new SchemaCache()
  try {
    const schema = yield* cache.compile(yield* pending())
    schema.check(document, undefined)
  } finally {
    cache.dispose()
  }
}
