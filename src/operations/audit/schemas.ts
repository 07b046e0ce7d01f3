import { decode } from '../../bytes.ts'
import { get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import type { Loaded } from '../../session.ts'
import { isSchemaOf, keptSchemas, notKept, schemaNames } from '../../state/kept-schemas.ts'
import type { Report } from './report.ts'

/** How the library's own schemas are named, which every module has. */
const OWN = 'urn:sx-agent:schemas/'

/** The `$schema` of a document, if it is a custom one. */
export function customSchema(text: string): string | undefined {
  const { $schema } = JSON.parse(text) as { readonly $schema?: unknown }
  return typeof $schema === 'string' && !$schema.startsWith(OWN) ? $schema : undefined
}

/**
 * Whether the custom schemas that are kept are whole, and whether each one that a document needs to be updated is there.
 *
 * @param needed by `$id`, the document that needs it
 */
export function* auditSchemas(
  report: Report,
  { documents }: Loaded,
  needed: ReadonlyMap<string, string>,
): Operation<void> {
  const { storage } = documents
  const damaged = new Set<string>()
  for (const name of yield* schemaNames(storage)) {
    const bytes = yield* perform(get(storage, name.split('/')))
    if (bytes === undefined || isSchemaOf(name, textOf(bytes, name))) continue
    damaged.add(name.split('/').slice(0, 2).join('/'))
    const what = 'Restore it from a backup, or remove it and pass the schema to the next update, which stores it again.'
    report.risk('high', 'CorruptStore', name, `${notKept(name).found} ${what}`)
  }
  for (const [id, subject] of needed) {
    const { folder, count } = yield* keptSchemas(storage, id)
    if (damaged.has(folder) || count === 1) continue
    const found = `The document ${subject} has the schema '${id}', ${count === 0 ? 'which is not stored' : `and ${count} different schemas are stored with this $id`}.`
    const what = 'Pass the right one as the option `schema` of the next update.'
    report.risk(count === 0 ? 'medium' : 'low', 'SchemaRequired', subject, `${found} ${what}`)
  }
}

/** A value that is not a string is no schema either. */
function textOf(bytes: Uint8Array, name: string): string {
  try {
    return decode(bytes, name)
  } catch (error) {
    if (error instanceof SxError) return ''
    throw error
  }
}
