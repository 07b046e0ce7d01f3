import type { FileSource, FileWork } from '../file-types.ts'
import type { SchemaOptions } from './schemas.ts'

/** A signed document. The object is frozen. */
export interface SignedDocument {
  /** The whole document: canonical JSON (RFC 8785). */
  readonly raw: string
  /** Its `sxId`. */
  readonly documentId: string
  /** The signer's `sxId`. */
  readonly agentId: string
  /** When it was signed: RFC 3339, UTC, milliseconds. */
  readonly timestamp: string
}

/** Options of `updateDocument`. */
export interface UpdateDocumentOptions extends SchemaOptions, FileWork {
  /** Files in the place of those that are attached: one or several, `[]` for none; left out, what is attached stays. */
  attachments?: FileSource | readonly FileSource[]
  /** Whether the document holds the files that are passed; default false: only hashes. */
  embed?: boolean
}

/** Options of `createDocument` and, of them `noSave` alone, of `signMessage`. */
export interface CreateDocumentOptions extends SchemaOptions, FileWork {
  /** Files to attach: one or several. */
  attachments?: FileSource | readonly FileSource[]
  /** Whether the document holds what is attached; default false: only hashes. */
  embed?: boolean
  /** Writes a copy under this plain file name into `output` of the data directory, with `noSave` too. */
  outputFilename?: string
  /** Returns the document without storing it; default false. */
  noSave?: boolean
  /** Its `sxType`: 1 to 64 of the characters `A-Z a-z 0-9 _ -`, not `agent`; default `document`. */
  type?: string
}

/** What a batch of documents takes beside them. */
export interface BatchWork {
  /** Ends the call: it rejects with the reason of the signal, and none is stored. What is being stored already is stored. */
  signal?: AbortSignal
  /** Is told how many of the documents are signed, more each time; after the last one they are stored. What it throws ends the call. */
  onProgress?: (done: number, total: number) => void
}

/** Options of `signMessages`. */
export interface SignMessagesOptions extends BatchWork {
  /** Only returns the documents and stores none; default false. */
  noSave?: boolean
}

/** Options of `createDocuments`; they hold for all of them. */
export interface CreateDocumentsOptions extends SignMessagesOptions, SchemaOptions {
  /** Their `sxType`: 1 to 64 of the characters `A-Z a-z 0-9 _ -`, not `agent`; default `document`. */
  type?: string
}

/** Options of `listDocuments`. Together, `after` and `limit` give one page after the other. */
export interface ListDocumentsOptions {
  /**
   * Only documents of this `sxType`, such as `message`; all if left out. `sx-agreement` lists the ids of the standalone
   * agreements, which are stored apart from documents and in no other list.
   */
  type?: string
  /** Only documents whose ids come after this one's: `id:version` or an id, which need not exist. */
  after?: string
  /** At most so many keys: a whole number from 0; all if left out. */
  limit?: number
}
