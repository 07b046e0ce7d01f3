import * as core from '#core'
import { call } from '../core.ts'
import type { Operation } from '../effects.ts'
import type { FileWork } from '../file-types.ts'
import { mimeTypeOf } from '../mime.ts'
import type { AgreementAttachment } from '../types.ts'
import { namedFile, readFile } from './files.ts'

/** `describeFile` */
export function* describeFile(source: unknown, work: FileWork): Operation<AgreementAttachment> {
  const file = namedFile(source, 'file')
  const name = call(() => core.fileName(file.name))
  const { size, sha256 } = yield* readFile(file, work)
  return Object.freeze({ name, mediaType: file.mimeType || mimeTypeOf(name), size, sha256 })
}
