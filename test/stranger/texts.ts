// A verifier of signed texts: docs/protocol.md, section 20. Written from that page.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { type Block, read, trimmed, walk } from './blocks.ts'
import { type DocumentVerdict, type Members, type Source, verifyDocument } from './documents.ts'
import { type Warning, warningsOf } from './warnings.ts'

export interface Signer extends DocumentVerdict {
  readonly signerId: string
  readonly status: 'valid' | 'unknown_key' | 'key_conflict' | 'invalid'
}

export interface TextVerdict {
  readonly status: 'signed' | 'missing_signature' | 'malformed'
  readonly valid: boolean
  readonly length: number
  readonly signers: readonly Signer[]
  readonly warnings: readonly Warning[]
  /** The codes with which the sentences begin. */
  readonly errors: readonly string[]
  readonly code: string | null
}

const NAMES =
  '$schema,content,sxId,sxLevel,sxOriginalDate,sxOriginalVersion,sxSha256,sxSignature,sxType,sxVersion,sxVersionDate'
const SCHEMA = 'urn:sx-agent:schemas/header/v1/header.schema.json'
const MOST_BLOCKS = 500
const MOST_MISSING = 16

interface Claim {
  readonly length: number
  readonly sha256: string
}

/** What a block says of its text, or a code. */
function claimOf({ $schema, sxType, content, ...rest }: Members): Claim | 'UnsupportedFormat' | 'InvalidDocument' {
  if (typeof content !== 'object') return 'InvalidDocument'
  const { scheme, length, sha256 } = content
  if (typeof scheme === 'string' && scheme !== 'sx-text-v1') return 'UnsupportedFormat'
  const names = Object.keys({ $schema, sxType, content, ...rest })
  const isOurs =
    names.toSorted().join() === NAMES &&
    $schema === SCHEMA &&
    sxType === 'sx-text' &&
    Object.keys(content).toSorted().join() === 'length,scheme,sha256' &&
    typeof scheme === 'string'
  return isOurs && typeof length === 'number' && typeof sha256 === 'string' ? { length, sha256 } : 'InvalidDocument'
}

const hashOf = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex')

/** Whether this text before the first block is one that was signed so. */
function fits(text: string, { length, sha256 }: Claim): boolean {
  const signed = text.slice(0, -1)
  const isShorter = length === text.length - 1 && signed !== '' && !signed.endsWith('\n')
  return (length === text.length || isShorter) && hashOf(text.slice(0, length)) === sha256
}

/** Why a text is not the one that was signed. */
function advice(text: string, claim: Claim): string {
  const isSigned = (one: string): boolean => one.length === claim.length && hashOf(one) === claim.sha256
  /** Also without a CRLF at the end, where the one that was signed had none. */
  const isFitting = (one: string): boolean => {
    const rest = one.slice(0, -2)
    return fits(one, claim) || (one.endsWith('\r\n') && rest !== '' && !rest.endsWith('\n') && isSigned(rest))
  }
  const lf = text.replaceAll('\r\n', '\n')
  if (fits(lf, claim) || isFitting(lf.replaceAll('\n', '\r\n'))) return 'LineEndingsChanged'
  const missing = claim.length - text.length
  const isTidied =
    isFitting(text.replaceAll(/[ \t]+(?=\r?\n)/g, '')) ||
    (missing > 0
      ? missing <= MOST_MISSING && isSigned(text + '\n'.repeat(missing))
      : claim.length >= trimmed(text).length && isSigned(text.slice(0, claim.length)))
  return isTidied ? 'TrailingWhitespace' : 'HashMismatch'
}

/** Steps 2 to 5 of a block whose document holds. */
function judge({ bytes }: Block, document: Members, before: string, isText: boolean): string | null {
  const claim = claimOf(document)
  if (typeof claim === 'string') return claim
  if (!isText) return 'NotText'
  if (!fits(before, claim)) return advice(before, claim)
  if (read(bytes) !== undefined) return null
  const unwound = `${bytes}\n`.replaceAll('\r\n', '\n').slice(0, -1)
  return read(unwound) === undefined ? 'TrailingWhitespace' : 'LineEndingsChanged'
}

const NOTHING = { keyId: '', signerName: '', algorithm: '', signedAt: '', trusted: false }
const STATUS = { UnknownSigner: 'unknown_key', KeyConflict: 'key_conflict' } as const
const statusOf = (code: string | null): Signer['status'] =>
  code === null ? 'valid' : code in STATUS ? STATUS[code as keyof typeof STATUS] : 'invalid'

/** The verdict on a text; a text is the code of an error. */
export function verifySignedText(
  file: Buffer,
  sourcesOf: (agentId: string) => readonly Source[],
): TextVerdict | string {
  const isText = isUtf8(file) && !file.includes(0)
  const warnings = isText ? warningsOf(file.toString()) : []
  const no = (status: TextVerdict['status'], code: string, signers: Signer[] = []): TextVerdict => ({
    status,
    valid: false,
    length: 0,
    signers,
    warnings,
    errors: [code],
    code,
  })
  const { hasMarkers, before, blocks, isOrdered, cut } = walk(file.toString('latin1'))
  if (!hasMarkers) return isText ? no('missing_signature', 'MissingSignature') : no('malformed', 'NotText')
  if (blocks.length > MOST_BLOCKS) return 'LimitExceeded'
  const names = blocks.map(({ signerId }) => signerId)
  if (!isOrdered || names.includes('') || new Set(names).size < names.length) {
    const invalid = (signerId: string, code: string): Signer => ({ ...NOTHING, signerId, status: 'invalid', code })
    const signers = names.map((name) => invalid(name, 'MalformedText'))
    if (cut !== undefined) signers.push(invalid(cut, 'TruncatedBlock'))
    return no('malformed', 'MalformedText', signers)
  }
  const lengths: number[] = []
  const signers = blocks.map((block): Signer => {
    const document = block.document ?? {}
    const verdict = verifyDocument(document, sourcesOf)
    const code = verdict.code ?? judge(block, document, before, isText)
    lengths.push(Number((document['content'] as Members | undefined)?.['length']))
    const known = code === null ? verdict : { ...NOTHING, keyId: verdict.keyId }
    return { ...known, signerId: block.signerId, status: statusOf(code), code }
  })
  const errors = signers.flatMap(({ code }) => code ?? [])
  const valid = errors.length === 0
  return {
    status: 'signed',
    valid,
    length: valid ? Math.min(...lengths) : 0,
    signers,
    warnings,
    errors,
    code: errors[0] ?? null,
  }
}
