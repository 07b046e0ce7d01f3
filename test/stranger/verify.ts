// A verifier of images, written from docs/protocol.md (section 21) and docs/images.md alone.
import { orderLeft } from './display.ts'
import { jpeg } from './jpeg.ts'
import { c2paEnd, formatOf, scanners } from './metadata.ts'
import { embedded, type Picture } from './pixels.ts'
import { png } from './png.ts'

/** What a stranger says of an image. */
export interface Answer {
  readonly status: 'valid' | 'invalid' | 'missing_signature'
  readonly coverage: 'file' | 'pixels' | null
  readonly signerId: string
  readonly code: string | null
  readonly unsignedRegions: readonly string[]
  readonly lost: readonly string[]
}

/** The verdict on a document by section 9: a code, or null, and the signer that it names. */
export type Documents = (text: string) => { readonly code: string | null; readonly signerId: string }
/** Canonical text of JSON, and SHA-256 in hexadecimal. */
export interface Tools {
  readonly documents: Documents
  readonly canonical: (value: unknown) => string
  readonly sha256: (bytes: Uint8Array) => string
}

const MEMBERS =
  'content,$schema,sxId,sxLevel,sxOriginalDate,sxOriginalVersion,sxSha256,sxSignature,sxType,sxVersion,sxVersionDate'
const SCHEMA = 'urn:sx-agent:schemas/header/v1/header.schema.json'

interface Found {
  readonly scheme: 'sx-image-v1' | 'sx-pixels-v1'
  readonly sha256: string
  readonly isExact: boolean
  /** How long the file is, or what else there is in the picture. */
  readonly beside: number | Readonly<Record<string, string>>
}

type Claim = { readonly [member: string]: unknown }

/** Steps 6 to 9 of section 21: a code, or what is lost. */
function judge(text: string, found: Found, canonical: Tools['canonical']): string | readonly string[] {
  const document = JSON.parse(text) as Claim
  if (canonical(document) !== text) return 'InvalidDocument'
  const content = document['content'] as Claim | undefined
  if (typeof content !== 'object' || typeof content['scheme'] !== 'string') return 'InvalidDocument'
  if (content['scheme'] !== found.scheme) return 'UnsupportedFormat'
  const { $schema, sxType, sxLevel } = document
  const isOurs =
    Object.keys(document).toSorted().join() === MEMBERS.split(',').toSorted().join() &&
    $schema === SCHEMA &&
    sxType === 'sx-image' &&
    sxLevel === 'raw' &&
    Object.keys(content).length === 3
  const { sha256, length, display } = content
  const isOfTexts =
    typeof display === 'object' &&
    display !== null &&
    Object.values(display).every((value) => typeof value === 'string')
  if (!isOurs || typeof sha256 !== 'string') return 'InvalidDocument'
  if (typeof found.beside === 'number' ? typeof length !== 'number' : !isOfTexts) return 'InvalidDocument'
  if (!found.isExact) return 'BadSignature'
  if (sha256 !== found.sha256) return 'HashMismatch'
  if (typeof found.beside === 'number') return length === found.beside ? [] : 'HashMismatch'
  const { order: claimedOrder = '', ...claimed } = display as Readonly<Record<string, string>>
  const { order, ...shown } = found.beside
  const isFound = (kind: string): boolean => kind in shown
  const isSame = Object.entries(shown).every(([kind, value]) => claimed[kind] === value)
  if (!isSame || orderLeft(claimedOrder, isFound) !== order) return 'DisplayMetadataChanged'
  return Object.keys(claimed).filter((kind) => !isFound(kind))
}

function picture(file: Buffer, format: 'png' | 'jpeg'): Picture | undefined {
  try {
    return format === 'png' ? png(file) : jpeg(file, (from, end) => c2paEnd(file, from, end))
  } catch {
    return undefined // what is refused carries nothing
  }
}

export function verifyImage(file: Buffer, { documents, canonical, sha256 }: Tools): Answer | undefined {
  const format = formatOf(file)
  if (format === undefined) return undefined
  const answer = (
    status: Answer['status'],
    code: string | null,
    coverage: Answer['coverage'],
    signerId = '',
    more: Partial<Pick<Answer, 'unsignedRegions' | 'lost'>> = {},
  ): Answer => ({ status, coverage, signerId, code, unsignedRegions: [], lost: [], ...more })
  const decide = (text: string, found: Found, coverage: 'file' | 'pixels', unsignedRegions: string[]): Answer => {
    const { code, signerId } = documents(text)
    const fault = code ?? judge(text, found, canonical)
    return typeof fault === 'string'
      ? answer('invalid', fault, coverage, signerId)
      : answer('valid', null, coverage, signerId, { unsignedRegions, lost: fault })
  }
  const { state, payload, content, hasStore } = scanners[format](file)
  if (state === 'damaged') return answer('invalid', 'BadSignature', null)
  if (state === 'signed') {
    const bytes = Buffer.from(payload, 'base64url')
    if (bytes.toString('base64url') !== payload) return answer('invalid', 'InvalidDocument', null)
    const found: Found = { scheme: 'sx-image-v1', sha256: sha256(content), isExact: true, beside: content.length }
    return decide(bytes.toString(), found, 'file', hasStore ? ['c2pa'] : [])
  }
  const shown = format === 'webp' ? undefined : picture(file, format)
  const held = shown && embedded(shown)
  if (shown === undefined || held === undefined) return answer('missing_signature', 'MissingSignature', null)
  return decide(held.text, { scheme: 'sx-pixels-v1', ...held, beside: shown.display }, 'pixels', [])
}
