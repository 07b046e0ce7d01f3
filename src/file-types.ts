import type { SxErrorCode } from './errors.ts'
import type { VerifyTextOptions } from './types/texts.ts'
import type { Attachment, InvalidResult, ValidResult, VerificationResult } from './types/verification.ts'

/** Bytes, and what they are called: they have no name of their own. */
export interface NamedFile {
  /** Of the file; folders before it are left out. Not empty. */
  name: string
  /** What it holds. */
  data: Uint8Array | Blob
  /** Its MIME type; default that of the `Blob`, else what the name says, else `application/octet-stream`. */
  mimeType?: string
}

/** A file to sign or attach: its path, a `File`, or bytes or a `Blob` with a name. */
export type FileSource = string | File | NamedFile

/** What the reading of files takes beside them. */
export interface FileWork {
  /** Ends the call: it rejects with the reason of the signal, and nothing is signed or stored. */
  signal?: AbortSignal
  /**
   * Is told how many bytes of a file were read, of how many, and the file's name; of each file at last that all were.
   * What it throws ends the call.
   */
  onProgress?: (done: number, total: number, name: string) => void
}

/** Options of `signFile`. */
export interface SignFileOptions extends FileWork {
  /** Whether the document holds the file itself; default false: only its hash, whatever its size. */
  embed?: boolean
  /** Only returns the document and stores nothing; default false. */
  noSave?: boolean
}

/** Options of `verifyFile`. */
export interface VerifyFileOptions
  extends FileWork,
    Pick<VerifyTextOptions, 'keys' | 'keyDir' | 'dataDirectory' | 'key'> {
  /** The name of the attachment that the file has to be, as results show it; default what the file's own name tells. */
  name?: string
}

interface FileVerdict {
  /** SHA-256 of the file, 64 hexadecimal digits; '' where the document is not valid, since the file is not read then. */
  readonly hash: string
  /** The verdict on the document. */
  readonly document: VerificationResult
  /** Why it is not valid: a sentence that begins with the code. Empty if it is valid. */
  readonly errors: readonly string[]
}

/** The document is valid, and the file one of its attachments. */
export interface ValidFileResult extends FileVerdict {
  readonly valid: true
  /** Which one. Its name may be another one than the file's. */
  readonly attachment: Attachment
  readonly document: ValidResult
  /** There, but undefined. */
  readonly code: undefined
}

/** The document is not valid, or the file is none of its attachments. */
export interface InvalidFileResult extends FileVerdict {
  readonly valid: false
  /** There, but undefined. */
  readonly attachment: undefined
  readonly document: ValidResult | InvalidResult
  /** Why, for programs: that of the document; `FileMismatch`; `NotFound` where nothing, or nothing of this name, is attached. */
  readonly code: SxErrorCode
}

/** The verdict on a file and the document that it is attached to (protocol, section 6). The object is frozen. */
export type VerifyFileResult = ValidFileResult | InvalidFileResult
