/** `--schema`: custom schemas that documents have to fit. */
import { resolve } from 'node:path'
import { checkSchema, SxError, verifyStandalone } from '../../src/simple.ts'
import { type Kind, NAMES } from './content.ts'
import { type Stop, usage } from './exit.ts'
import type { Checked } from './verdict.ts'

/** The option that names a schema. */
export interface SchemaOption {
  readonly schema?: string
}

/** Refuses a schema without a name. */
export function checkSchemaOption({ schema }: SchemaOption): void {
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
export type Fit = (checked: Checked) => Promise<Checked>

/** Checks the schema before any document. This needs no agent. */
export async function withSchema<T>(options: SchemaOption, work: (fit: Fit) => Promise<T>): Promise<T> {
  checkSchemaOption(options)
  const { schema } = schemaOptions(options)
  if (schema === undefined) return await work(async (checked) => checked)
  await violationOf('{}', schema)
  return await work((checked) => fitted(schema, checked))
}

/** Why a document does not fit a schema, if it does not. */
async function violationOf(text: string, schema: string): Promise<SxError | undefined> {
  try {
    await checkSchema(text, { schema })
    return undefined
  } catch (error) {
    if (error instanceof SxError && error.code === 'SchemaViolation') return error
    throw error
  }
}

async function fitted(schema: string, checked: Checked): Promise<Checked> {
  const { text, verdict, by } = checked
  const error = verdict.valid ? await violationOf(text, schema) : undefined
  if (error === undefined) return checked
  // As every document that is not valid: nothing of what it claims is known.
  const unknown = verifyStandalone(text, { keys: {} })
  if (unknown.valid) throw new SxError('Internal')
  const refused = { ...unknown, code: error.code, errors: [error.message] }
  return { text, by, verdict: refused, name: undefined, details: error.details }
}
