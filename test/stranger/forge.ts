// Signs texts as docs/protocol.md, section 20, has it, also texts that nobody should sign. Deterministic.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import agents from '../vectors/agents.json' with { type: 'json' }
import keys from '../vectors/keys.json' with { type: 'json' }
import type { Members, Value } from './documents.ts'
import { keyOf, statementOf } from './keys.ts'

export interface Signer {
  readonly agentId: string
  readonly agentVersion: string
  readonly keyId: string
  readonly algorithm: string
  readonly publicKey: string
  /** Its agent document; nothing if it is known by its key alone. */
  readonly document: string | undefined
  readonly sign: (statement: Buffer) => Buffer
}

const ed25519 = (key: KeyObject) => (statement: Buffer) => sign(null, statement, key)

function ofVectors(index: number): Signer {
  const { agentId, agentVersion, raw } = agents.agents[index]!
  const { algorithm, seed, privateKey, publicKey, keyId } = keys.keys[index]!
  const known = { agentId, agentVersion, keyId, algorithm, publicKey, document: raw }
  if (algorithm === 'ed25519') return { ...known, sign: ed25519(createPrivateKey(privateKey)) }
  const { secretKey } = ml_dsa87.keygen(Buffer.from(seed, 'hex'))
  return { ...known, sign: (statement) => Buffer.from(ml_dsa87.sign(statement, secretKey, { extraEntropy: false })) }
}

function third(): Signer {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = String(createPublicKey(key).export({ format: 'pem', type: 'spki' }))
  const found = keyOf(publicKey)
  if (typeof found === 'string') throw new TypeError(found)
  const id = '0190d3a0-1111-7222-8333-444455556666'
  const [agentId, agentVersion] = [id, id.replace('1111', '1112')]
  return {
    agentId,
    agentVersion,
    keyId: found.keyId,
    algorithm: 'ed25519',
    publicKey,
    document: undefined,
    sign: ed25519(key),
  }
}

/** Two agents of the vectors, by Ed25519 and by ML-DSA-87, and one that is known by its Ed25519 key alone. */
export const signers: readonly [ed25519: Signer, pq2025: Signer, third: Signer] = [ofVectors(0), ofVectors(1), third()]

const DATE = '2026-01-02T03:04:05.678Z'
const idOf = (number: number): string => `0190d3a0-2222-7333-8444-${String(number).padStart(12, '0')}`
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const canonical = (value: Members): string => canonicalize(value) ?? ''

/** A document with its hash and signature made anew. */
export function seal(document: Members, signer: Signer): Members {
  const { sxSignature, sxSha256: _hash, sxRegistration, ...hashed } = document
  const { signature: _signature, ...head } = sxSignature as Members
  const whole = { ...hashed, sxSha256: sha256(canonical(hashed)) }
  const statement = statementOf('sx-document-v1', canonical({ ...whole, sxSignature: head }))
  const signature = signer.sign(statement).toString('base64')
  const registered = sxRegistration === undefined ? {} : { sxRegistration }
  return { ...whole, ...registered, sxSignature: { ...head, signature } }
}

/** The document of a block about this text. */
export function documentOf(text: Buffer, signer: Signer): Members {
  const { agentId: agentID, agentVersion, keyId, algorithm: signingAlgorithm } = signer
  const document = {
    $schema: 'urn:sx-agent:schemas/header/v1/header.schema.json',
    content: { length: text.length, scheme: 'sx-text-v1', sha256: sha256(text) },
    sxId: idOf(1),
    sxLevel: 'raw',
    sxOriginalDate: DATE,
    sxOriginalVersion: idOf(2),
    sxSignature: { agentID, agentVersion, date: DATE, keyId, nonce: 'AAAAAAAAAAAAAAAAAAAAAA', signingAlgorithm },
    sxType: 'sx-text',
    sxVersion: idOf(2),
    sxVersionDate: DATE,
  }
  return seal(document, signer)
}

const byName = ([a]: [string, Value], [b]: [string, Value]): number => (a < b ? -1 : 1)

function lines(members: Members, indent: string): string[] {
  return Object.entries(members)
    .toSorted(byName)
    .flatMap(([name, value]) => {
      const start = `${indent}${name}:`
      if (typeof value === 'object') return [start, ...lines(value, '  ')]
      if (typeof value === 'number') return [`${start} ${value}`]
      const parts = value.match(/.{1,64}/gs) ?? ['']
      return `${start} "${parts.join(`\\\n${indent}  `)}"`.split('\n')
    })
}

/** The block of a document, without a line feed at its end. */
export function blockOf(document: Members): string {
  return ['-----BEGIN SX SIGNATURE-----', ...lines(document, ''), '-----END SX SIGNATURE-----'].join('\n')
}

/** A text with blocks after it. */
export function signedText(text: Buffer, blocks: readonly string[]): Buffer {
  const gap = text.length === 0 || text.at(-1) === 10 ? '' : '\n'
  return Buffer.concat([text, Buffer.from(gap + blocks.map((block) => `${block}\n`).join(''), 'latin1')])
}
