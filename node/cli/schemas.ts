/** `--schema`: custom schemas that documents have to fit. */
import { resolve } from 'node:path'
import { runAsync } from '../../src/effects.ts'
import { type CompiledSchema, SchemaCache } from '../../src/schemas/cache.ts'
import { schemaOf } from '../../src/schemas/source.ts'
import { SxError } from '../../src/simple.ts'
import { refusal } from '../../src/verification/decide.ts'
import { type Kind, NAMES } from './content.ts'
import { type Stop, usage } from './exit.ts'
import { claimOf } from './strict.ts'
import type { Checked } from './verdict.ts'

/** The option that names a schema. */
export interface SchemaOption {
  readonly schema?: string
}

/** Refuses a schema without a name. */
export function checkSchema({ schema }: SchemaOption): void {
  if (schema === '') throw usage('--schema requires a file, but its name is empty.')
}

/** The schema that was named, for what signs. What is resolved does not read as JSON text. */
export function schemaOptions({ schema }: SchemaOption): { readonly schema?: string } {
  return schema === undefined ? {} : { schema: resolve(schema) }
}

/** A schema is for JSON alone. */
export function notJson(kind: Kind): Stop {
  return usage(`--schema is for JSON, but the input is ${NAMES[kind]}.`)
}

/** Says of a document that is valid whether it fits a schema, too. */
export type Fit = (checked: Checked) => Checked

/** Compiles the schema that was named once, for all documents. Whoever signed them, no agent is needed for that. */
export async function withSchema<T>(options: SchemaOption, work: (fit: Fit) => Promise<T>): Promise<T> {
  checkSchema(options)
  const pending = schemaOf(schemaOptions(options))
  if (pending === undefined) return await work((checked) => checked)
  const cache = new SchemaCache()
  try {
    const schema = await runAsync(function* () {
      return yield* cache.compile(yield* pending())
    })
    return await work((checked) => fitted(schema, checked))
  } finally {
    cache.dispose()
  }
}

function fitted(schema: CompiledSchema, checked: Checked): Checked {
  const { text, verdict, by } = checked
  if (!verdict.valid) return checked
  try {
    schema.check(text, undefined)
    return checked
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'SchemaViolation')) throw error
    // As every document that is not valid: nothing of what it claims is known.
    const refused = { ...refusal(error).result, ...claimOf(text) }
    return { text, by, verdict: refused, name: undefined, details: error.details }
  }
}
