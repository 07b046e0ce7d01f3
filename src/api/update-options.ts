import { fileWork } from '../file-options.ts'
import type { FileSource } from '../file-types.ts'
import type { UpdateOptions } from '../operations/documents.ts'
import { attachmentsIn } from '../operations/files.ts'
import type { Names } from '../option-names.ts'
import { flag, isOptions, plainOptions, refuseAfterOptions } from '../options.ts'
import { schemaOf } from '../schemas/source.ts'
import type { UpdateDocumentOptions } from '../types.ts'

/** Files, which may stand in the place of the options, are taken as they are. */
export function unlessFiles(given: unknown, names: Names): unknown {
  return isOptions(given) ? plainOptions(given, names) : given
}

/** The last arguments of both forms of `updateDocument`. */
export function updateOptions(
  given: FileSource | readonly FileSource[] | UpdateDocumentOptions | null | undefined,
  embed: boolean | null | undefined,
): UpdateOptions {
  if (!isOptions(given)) return { attached: attachmentsIn(given, flag('embed', embed)) }
  refuseAfterOptions({ embed })
  const { schema, schemas, attachments, embed: isEmbedded, ...work } = given as UpdateDocumentOptions
  const attached = attachmentsIn(attachments, flag('embed', isEmbedded), fileWork(work))
  return { attached, schema: schemaOf({ schema, schemas }) }
}
