import { SxError, type SxErrorCode } from './errors.ts'

/** Codes that say something of the document that is being read or signed, not of the agent or of the storage. */
const OF_DOCUMENTS: readonly SxErrorCode[] = [
  'NotJson',
  'DuplicateKey',
  'LossyNumber',
  'LimitExceeded',
  'InvalidDocument',
  'ReservedField',
  'SchemaViolation',
  'InvalidOption',
]

/** An error in a batch of so many documents, with the place of the one that it is about. */
export function inBatch(error: unknown, index: number, count: number): unknown {
  if (!(error instanceof SxError && OF_DOCUMENTS.includes(error.code))) return error
  const { code, found, advice, details } = error
  const where = `The document at index ${index} of ${count} was refused. No document was stored.`
  return new SxError(code, `${where} ${found}`, { advice, details, index, cause: error })
}

/** Reads something of a document in a batch. */
export function readInBatch<T>(index: number, count: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw inBatch(error, index, count)
  }
}
