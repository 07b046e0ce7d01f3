// Documents as blocks of texts can hold them, by docs/protocol.md, sections 5, 6, 8 and 9: a value is a string, a number
// or an object of these. So an agent document, which has an array, never holds. Written from that page.
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { base64, isSigned, type Key, keyOf, statementOf } from './keys.ts'

export type Value = string | number | Members
export interface Members {
  readonly [name: string]: Value
}

interface KnownKey extends Key {
  readonly revoked?: { readonly at: string; readonly reason: string }
}

/** What a source holds of an agent: its keys, oldest first, or why it cannot be used. */
export interface Source {
  readonly kind: 'own' | 'trust' | 'directory' | 'named'
  readonly name: string
  readonly keys: readonly KnownKey[] | string
}

export interface DocumentVerdict {
  readonly code: string | null
  readonly keyId: string
  readonly signerName: string
  readonly algorithm: string
  readonly signedAt: string
  readonly trusted: boolean
}

interface AgentDocument {
  readonly name: string
  readonly sxPublicKeys: readonly {
    readonly publicKey: string
    readonly revoked?: { readonly at: string; readonly reason: string }
  }[]
}

/** A source that holds an agent document; that it is self-consistent is taken for granted. */
export function agentSource(kind: 'own' | 'trust', text: string): Source {
  const { name, sxPublicKeys } = JSON.parse(text) as AgentDocument
  const keys = sxPublicKeys.map(({ publicKey, revoked }) => {
    const key = keyOf(publicKey)
    if (typeof key === 'string') throw new TypeError(key)
    return revoked === undefined ? key : { ...key, revoked }
  })
  return { kind, name, keys }
}

/** A source that holds a public key. */
export function keySource(kind: 'directory' | 'named', text: string): Source {
  const key = keyOf(text)
  return { kind, name: '', keys: typeof key === 'string' ? key : [key] }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
export const isId = (value: Value | undefined): value is string => typeof value === 'string' && UUID.test(value)

const isDate = (value: Value | undefined): value is string => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) || value < '1970')
    return false
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString() === value
}

const isText = (value: Value | undefined, form: RegExp): value is string =>
  typeof value === 'string' && form.test(value)

const isBase64Url = (value: Value | undefined, length: number): boolean =>
  typeof value === 'string' &&
  value.length === length &&
  Buffer.from(value, 'base64url').toString('base64url') === value

const SCHEMA = 'urn:sx-agent:schemas/header/v1/header.schema.json'
const AGENT_MEMBERS = ['sxAgentType', 'sxAgentDomain', 'sxPublicKeys', 'sxKeyRotation', 'sxFormerKeys']
const HEADER =
  '$schema,sxId,sxVersion,sxOriginalVersion,sxPreviousVersion,sxVersionDate,sxOriginalDate,sxType,sxLevel,sxSha256,sxSignature,sxRegistration,sxFiles,sxAgreement'.split(
    ',',
  )

const MEMBERS_OF_SIGNATURE = 'agentID,agentVersion,date,keyId,nonce,signature,signingAlgorithm'

function isSignature(value: Value | undefined): value is Members {
  if (typeof value !== 'object' || Object.keys(value).toSorted().join() !== MEMBERS_OF_SIGNATURE) return false
  const { agentID, agentVersion, date, keyId, nonce, signature, signingAlgorithm } = value
  return (
    isId(agentID) &&
    isId(agentVersion) &&
    isDate(date) &&
    isBase64Url(keyId, 43) &&
    isBase64Url(nonce, 22) &&
    typeof signingAlgorithm === 'string' &&
    typeof signature === 'string' &&
    base64(signature) !== undefined
  )
}

const isLossy = (value: Value): boolean =>
  typeof value === 'number' ? value >= 2 ** 53 : typeof value === 'object' && Object.values(value).some(isLossy)

/** Steps 1 to 3 of section 9. */
function form(document: Members): string | undefined {
  if (isLossy(document)) return 'LossyNumber'
  const { $schema, sxId, sxVersion, sxOriginalVersion, sxPreviousVersion, sxVersionDate, sxOriginalDate } = document
  const { sxType, sxLevel, sxSha256, sxSignature, sxRegistration, sxFiles, sxAgreement } = document
  if ($schema !== undefined && typeof $schema !== 'string') return 'InvalidDocument'
  if ($schema?.startsWith('urn:sx-agent:schemas') && $schema !== SCHEMA) return 'UnsupportedFormat'
  const reserved = Object.keys(document).filter((name) => /^sx[A-Z]/.test(name))
  if (!reserved.every((name) => HEADER.includes(name) || AGENT_MEMBERS.includes(name))) return 'UnsupportedFormat'
  const isFormed =
    $schema !== undefined &&
    [sxId, sxVersion, sxOriginalVersion].every(isId) &&
    (sxPreviousVersion === undefined || isId(sxPreviousVersion)) &&
    isDate(sxVersionDate) &&
    isDate(sxOriginalDate) &&
    isText(sxType, /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/) &&
    sxType.length <= 64 &&
    isText(sxLevel, /^(raw|config|artifact|derived)$/) &&
    isText(sxSha256, /^[0-9a-f]{64}$/) &&
    isSignature(sxSignature) &&
    sxSignature['date'] === sxVersionDate &&
    (sxRegistration === undefined || isSignature(sxRegistration)) &&
    sxFiles === undefined &&
    (sxAgreement === undefined || typeof sxAgreement === 'object') &&
    (sxType === 'agent' || !reserved.some((name) => AGENT_MEMBERS.includes(name)))
  if (!isFormed) return 'InvalidDocument'
  const isOfVersions =
    sxPreviousVersion === undefined
      ? sxVersion === sxOriginalVersion && sxVersionDate === sxOriginalDate
      : sxPreviousVersion !== sxVersion && sxVersion !== sxOriginalVersion && sxVersionDate >= sxOriginalDate
  return isOfVersions ? undefined : 'InvalidDocument'
}

interface Known {
  readonly name: string
  readonly keys: readonly KnownKey[]
  readonly trusted: ReadonlySet<string>
}

/** Section 8; a code where the keys of an agent cannot be told. */
function resolve(all: readonly Source[]): Known | string {
  const own = all.filter(({ kind }) => kind === 'own')
  const order = ['own', 'trust', 'directory', 'named']
  const sources = (own.length > 0 ? own : all).toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  if (sources.length === 0) return 'UnknownSigner'
  let most: readonly KnownKey[] = []
  for (const { keys } of sources) {
    if (typeof keys === 'string') return keys
    if (keys.length > most.length) most = keys
  }
  const ids = most.map(({ keyId }) => keyId)
  const trusted = new Set<string>()
  let keys = most
  for (const { kind, keys: held } of sources) {
    if (typeof held === 'string') return held
    const isDocument = kind === 'own' || kind === 'trust'
    const agrees = held.every(({ keyId }, n) => (isDocument ? ids[n] === keyId : ids.includes(keyId)))
    if (!agrees) return 'KeyConflict'
    if (isDocument) for (const { keyId } of held) trusted.add(keyId)
    keys = keys.map((key) => ({ ...key, ...held.find(({ keyId }) => keyId === key.keyId) }))
  }
  return { name: sources.find(({ name }) => name !== '')?.name ?? '', keys, trusted }
}

const canonical = (value: Members): string => canonicalize(value) ?? ''

/** Section 9. */
export function verifyDocument(document: Members, sourcesOf: (agentId: string) => readonly Source[]): DocumentVerdict {
  const no = (code: string, keyId = ''): DocumentVerdict => ({
    code,
    keyId,
    signerName: '',
    algorithm: '',
    signedAt: '',
    trusted: false,
  })
  const fault = form(document)
  if (fault !== undefined) return no(fault)
  const { sxRegistration: _, sxSignature, ...rest } = document
  const { signature = '', ...head } = sxSignature as { readonly [name: string]: string }
  const { agentID, keyId, date, signingAlgorithm } = head
  const known = resolve(sourcesOf(agentID ?? ''))
  if (typeof known === 'string') return no(known, keyId)
  const key = known.keys.find((one) => one.keyId === keyId)
  if (key === undefined || key.algorithm !== signingAlgorithm) return no('KeyMismatch', keyId)
  const { revoked } = key
  if (revoked !== undefined && (revoked.reason === 'compromised' || (date ?? '') >= revoked.at))
    return no('KeyRevoked', keyId)
  const payload = canonical({ ...rest, sxSignature: head })
  if (!isSigned(key, statementOf('sx-document-v1', payload), Buffer.from(signature, 'base64')))
    return no('BadSignature', keyId)
  const { sxSha256, ...hashed } = rest
  if (createHash('sha256').update(canonical(hashed)).digest('hex') !== sxSha256) return no('HashMismatch', keyId)
  if (document['sxType'] === 'agent') return no('InvalidAgent', keyId)
  return {
    code: null,
    keyId: key.keyId,
    signerName: known.name,
    algorithm: key.algorithm,
    signedAt: date ?? '',
    trusted: known.trusted.has(key.keyId),
  }
}
