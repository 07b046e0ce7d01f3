import { fileWork } from '../file-options.ts'
import type { FileSource } from '../file-types.ts'
import type { UpdateOptions } from '../operations/documents.ts'
import { attachmentsIn } from '../operations/files.ts'
import { UPDATE_OPTIONS } from '../option-names.ts'
import { flag, isOptions, plainOptions, refuseAfterOptions } from '../options.ts'
import { schemaOf } from '../schemas/source.ts'
import type { UpdateDocumentOptions } from '../types.ts'

/** The last arguments of both forms of `updateDocument`. */
export function updateOptions(
  given: FileSource | readonly FileSource[] | UpdateDocumentOptions | null | undefined,
  embed: boolean | null | undefined,
): UpdateOptions {
  if (!isOptions(given)) return { attached: attachmentsIn(given, flag('embed', embed)) }
  refuseAfterOptions({ embed })
  const options = given as UpdateDocumentOptions
  const { schema, schemas, attachments, embed: isEmbedded, ...work } = plainOptions(options, UPDATE_OPTIONS)
  const attached = attachmentsIn(attachments, flag('embed', isEmbedded), fileWork(work))
  return { attached, schema: schemaOf({ schema, schemas }) }
}
