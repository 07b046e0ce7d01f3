/** Another agent: three versions of its document, the last with its key revoked, and a document that it signed. */
import { createHash, createPrivateKey, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import agents from '../vectors/agents.json' with { type: 'json' }
import documents from '../vectors/documents.json' with { type: 'json' }
import keys from '../vectors/keys.json' with { type: 'json' }

interface Signed extends Record<string, unknown> {
  sxSignature: Record<string, string>
}

const first = agents.agents.find(({ algorithm }) => algorithm === 'ed25519')
const key = keys.keys.find(({ algorithm }) => algorithm === 'ed25519')
const message = documents.documents.find(({ name }) => name === 'ed25519 message')
if (first === undefined || key === undefined || message === undefined) throw new Error('The vectors miss an agent.')
const privateKey = createPrivateKey(key.privateKey)

/** Changes a signed document and signs it again (protocol, section 6). */
function resigned(raw: string, change: (document: Signed) => void): string {
  const document = JSON.parse(raw) as Signed
  change(document)
  const { sxSha256: _hash, sxSignature, ...rest } = document
  const { signature: _signature, ...head } = sxSignature
  const sxSha256 = createHash('sha256')
    .update(canonicalize(rest) ?? '')
    .digest('hex')
  const signed = canonicalize({ ...rest, sxSha256, sxSignature: head }) ?? ''
  const statement = Buffer.from(`SXv2 14 sx-document-v1 ${Buffer.byteLength(signed)} ${signed}`)
  const signature = sign(null, statement, privateKey).toString('base64')
  return canonicalize({ ...rest, sxSha256, sxSignature: { ...head, signature } }) ?? ''
}

const REVOKED_AT = '2026-03-01T00:00:00.000Z'

function next(raw: string, version: string, date: string, change: (document: Signed) => void): string {
  return resigned(raw, (document) => {
    Object.assign(document, { sxPreviousVersion: document['sxVersion'], sxVersion: version, sxVersionDate: date })
    Object.assign(document.sxSignature, { agentVersion: version, date })
    change(document)
  })
}

const second = next(first.raw, '22222222-2222-4222-8222-222222222222', '2026-01-10T00:00:00.000Z', (document) => {
  document['description'] = 'The second version.'
})
const third = next(second, '33333333-3333-4333-8333-333333333333', '2026-02-01T00:00:00.000Z', (document) => {
  document['description'] = 'The third version.'
  const [entry] = document['sxPublicKeys'] as Record<string, unknown>[]
  Object.assign(entry as object, { revoked: { at: REVOKED_AT, reason: 'superseded' } })
})

/** The agent's id. */
export const foreignId: string = first.agentId
/** Its documents: a later one may take the place of an earlier one, never the other way round. */
export const foreignDocuments: readonly string[] = [first.raw, second, third]
/** Signed after the key was revoked: valid only while nobody knows of that. */
export const foreignMessage: string = resigned(message.raw, (document) => {
  const date = '2026-04-01T00:00:00.000Z'
  Object.assign(document, { sxOriginalDate: date, sxVersionDate: date })
  Object.assign(document.sxSignature, { date })
})
