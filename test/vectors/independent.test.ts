// Checks the vectors with code that shares nothing with the library: OpenSSL through node:crypto, noble's ML-DSA,
// canonicalize and jose. What passes here is right by the standards, not merely unchanged.
import { createDecipheriv, createHash, createPrivateKey, createPublicKey, scryptSync, sign, verify } from 'node:crypto'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import agents from './agents.json' with { type: 'json' }
import agreements from './agreements.json' with { type: 'json' }
import standalone from './standalone-agreements.json' with { type: 'json' }
import documents from './documents.json' with { type: 'json' }
import json from './json.json' with { type: 'json' }
import keys from './keys.json' with { type: 'json' }
import pae from './pae.json' with { type: 'json' }
import signatures from './signatures.json' with { type: 'json' }
import verdicts from './verdicts.json' with { type: 'json' }

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
const base64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))

function frame(context: string, payload: string): Buffer {
  return Buffer.from(`SXv2 ${context.length} ${context} ${Buffer.byteLength(payload)} ${payload}`)
}

/** The raw key is all that follows the algorithm in its SPKI. */
function rawKey(algorithm: string, pem: string): Uint8Array {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64')
  return new Uint8Array(der.subarray(algorithm === 'ed25519' ? 12 : 22))
}

function verifies(algorithm: string, publicKey: string, message: Uint8Array, signature: string): boolean {
  return algorithm === 'ed25519'
    ? verify(null, message, createPublicKey(publicKey), base64(signature))
    : ml_dsa87.verify(base64(signature), message, rawKey(algorithm, publicKey))
}

interface Signed extends Record<string, unknown> {
  sxSha256: string
  sxSignature: Record<string, string>
}

/** The protocol's verification of a signature and a hash, written from its text. */
function check(raw: string, algorithm: string, publicKey: string): { hashed: string; signed: string; good: boolean } {
  const { sxSignature, sxSha256, sxRegistration: _registration, ...rest } = JSON.parse(raw) as Signed
  const { signature = '', ...signatureHead } = sxSignature
  const hashed = canonicalize(rest) ?? ''
  const signed = canonicalize({ ...rest, sxSha256, sxSignature: signatureHead }) ?? ''
  const good =
    sha256(hashed) === sxSha256 && verifies(algorithm, publicKey, frame('sx-document-v1', signed), signature)
  return { hashed, signed, good }
}

const publicKeys = new Map(keys.keys.map((key) => [key.algorithm, key.publicKey]))

describe('keys', () => {
  test.each(keys.keys)('$algorithm: key id and JWK', async ({ algorithm, jwk, keyId, publicKey, publicKeyRaw }) => {
    expect(await calculateJwkThumbprint(jwk as JWK)).toBe(keyId)
    const raw = Buffer.from(rawKey(algorithm, publicKey))
    expect(raw.toString('base64')).toBe(publicKeyRaw)
    expect(raw.toString('base64url')).toBe('x' in jwk ? jwk.x : jwk.pub)
  })

  test('ed25519: OpenSSL derives the public key and makes the same signatures', () => {
    const [key] = keys.keys
    const secret = createPrivateKey(key!.privateKey)
    expect(createPublicKey(secret).export({ type: 'spki', format: 'pem' })).toBe(key!.publicKey)
    expect(Buffer.from(key!.seed, 'hex')).toEqual(Buffer.from(secret.export({ format: 'jwk' }).d ?? '', 'base64url'))
    for (const { message, signature } of key!.signatures) {
      expect(sign(null, Buffer.from(message), secret).toString('base64')).toBe(signature)
    }
  })

  test('pq2025: noble derives the public key and makes the same signatures', () => {
    const key = keys.keys[1]
    const { publicKey, secretKey } = ml_dsa87.keygen(bytesOf(key!.seed))
    expect(Buffer.from(publicKey).toString('base64')).toBe(key!.publicKeyRaw)
    for (const { message, signature, ...rest } of key!.signatures) {
      const extraEntropy = bytesOf('rnd' in rest ? rest.rnd : '')
      const made = ml_dsa87.sign(Buffer.from(message), secretKey, { extraEntropy })
      expect(Buffer.from(made).toString('base64')).toBe(signature)
    }
  })

  test('ed25519: OpenSSL opens the encrypted key file, and nothing with a wrong password', () => {
    const { encrypted, privateKey } = keys.keys[0]!
    const opened = createPrivateKey({ key: encrypted.privateKey, passphrase: encrypted.password })
    expect(opened.export({ type: 'pkcs8', format: 'pem' })).toBe(privateKey)
    expect(() => createPrivateKey({ key: encrypted.privateKey, passphrase: 'wrong' })).toThrow(/decrypt/)
  })

  // OpenSSL 3.0 knows no ML-DSA, so the file is opened piece by piece.
  test.each(keys.keys)('$algorithm: the encryption is scrypt and AES-256-CBC as it says', ({ encrypted, privateKey }) => {
    const file = Buffer.from(encrypted.privateKey.replace(/-----[^-]+-----/g, ''), 'base64')
    const plain = Buffer.from(privateKey.replace(/-----[^-]+-----/g, ''), 'base64')
    const key = scryptSync(encrypted.password, bytesOf(encrypted.salt), 32, { N: 16384, r: 8, p: 5 })
    const cipher = createDecipheriv('aes-256-cbc', key, bytesOf(encrypted.iv))
    const ciphertext = file.subarray(file.length - (plain.length + 16 - (plain.length % 16)))
    expect(Buffer.concat([cipher.update(ciphertext), cipher.final()])).toEqual(plain)
    expect(file.toString('hex')).toContain(encrypted.salt)
    expect(file.toString('hex')).toContain(encrypted.iv)
  })
})

// OpenSSL takes an R of small order, which is for a strict verifier to refuse.
const strict = signatures.signatures.filter(({ name }) => name !== 'R of small order')
test.each(strict)('C01: OpenSSL on $name', ({ publicKey, message, signature, valid }) => {
  expect(verifies('ed25519', publicKey, Buffer.from(message), signature)).toBe(valid)
})

test.each(pae.statements)('PAE of $context, $payload', ({ context, payload, bytes, length, sha256: digest }) => {
  expect(frame(context, payload).toString('hex')).toBe(bytes)
  expect(bytesOf(bytes).length).toBe(length)
  expect(sha256(bytesOf(bytes))).toBe(digest)
})

test.each(json.accepted)('JSON: $name', ({ text, canonical }) => {
  expect(canonicalize(JSON.parse(text))).toBe(canonical)
  expect(canonicalize(JSON.parse(canonical))).toBe(canonical)
})

test('agreement: its terms and their hash', () => {
  expect(canonicalize(standalone.terms)).toBe(standalone.canonical)
  expect(sha256(frame('sx-agreement-v2', standalone.canonical))).toBe(standalone.agreementHash)
})

test.each(standalone.events)('event of an agreement: $name', (vector) => {
  const { name, algorithm, raw, unsigned, eventId } = vector
  const { signature, ...rest } = JSON.parse(raw) as { signature: string; agreementHash: string }
  expect({ signature, unsigned: canonicalize(rest), raw: canonicalize({ ...rest, signature }) }).toEqual({
    signature: vector.signature,
    unsigned,
    raw,
  })
  expect(rest.agreementHash).toBe(standalone.agreementHash)
  expect(sha256(frame('sx-agreement-event-id', unsigned))).toBe(eventId)
  const publicKey = publicKeys.get(algorithm) ?? ''
  const isGood = verifies(algorithm, publicKey, frame('sx-agreement-event-v2', unsigned), signature)
  expect(isGood).toBe(name !== 'sign of Bob, damaged')
  if (!('rnd' in vector) || !isGood) return
  const { secretKey } = ml_dsa87.keygen(bytesOf(keys.keys[1]!.seed))
  const extraEntropy = bytesOf(vector.rnd ?? '')
  const made = ml_dsa87.sign(frame('sx-agreement-event-v2', unsigned), secretKey, { extraEntropy })
  expect(Buffer.from(made).toString('base64')).toBe(signature)
})

test.each(documents.documents)('document: $name', (vector) => {
  const { algorithm, raw } = vector
  const { hashed, signed, good } = check(raw, algorithm, publicKeys.get(algorithm) ?? '')
  expect(good).toBe(true)
  expect(hashed).toBe(vector.hashed)
  expect(signed).toBe(vector.signed)
  expect(sha256(hashed)).toBe(vector.sxSha256)
  const statement = frame('sx-document-v1', signed)
  expect({ length: statement.length, sha256: sha256(statement) }).toEqual(vector.statement)
  expect(canonicalize(JSON.parse(raw))).toBe(raw)
})

const hedged = documents.documents.filter(({ algorithm }) => algorithm === 'pq2025')
test.each(hedged)('document: $name is signed with its rnd', ({ signed, rnd = '', signature }) => {
  const { secretKey } = ml_dsa87.keygen(bytesOf(keys.keys[1]!.seed))
  const made = ml_dsa87.sign(frame('sx-document-v1', signed), secretKey, { extraEntropy: bytesOf(rnd) })
  expect(Buffer.from(made).toString('base64')).toBe(signature)
})

test.each(agents.agents)('agent: $algorithm', ({ algorithm, publicKey, raw, second, keyId }) => {
  for (const text of [raw, second]) {
    expect(check(text, algorithm, publicKey).good).toBe(true)
    const { sxPublicKeys, sxSignature } = JSON.parse(text) as { sxPublicKeys: object[]; sxSignature: object }
    expect(sxPublicKeys).toEqual([{ keyId, algorithm, publicKey, validFrom: '2026-01-02T03:04:05.678Z' }])
    expect(sxSignature).toMatchObject({ keyId, signingAlgorithm: algorithm })
  }
})

/** The text of a case, as `about` of the file describes it. */
function textOf({ text, document, before, edits = [], after }: (typeof verdicts.cases)[number]): string {
  if (text !== undefined) return text
  const raw = documents.documents.find(({ name }) => name === document)?.raw ?? ''
  return before + edits.reduce((present, [found = '', put = '']) => present.replace(found, () => put), raw) + after
}

// Codes that the shape decides are the header's business; here the ones that signature and hash decide.
const decided = verdicts.cases.filter(({ code }) => [null, 'BadSignature', 'HashMismatch'].includes(code))
test.each(decided)('verdict: $name', (vector) => {
  const text = textOf(vector)
  const { signingAlgorithm = '' } = (JSON.parse(text) as Signed).sxSignature
  const { good } = check(text, signingAlgorithm, publicKeys.get(signingAlgorithm) ?? '')
  expect(good).toBe(vector.code === null)
})

/** The protocol's rules of agreements in documents (section 23), written from its text. */
describe('agreements', () => {
  interface Entry extends Record<string, string> {
    agentID: string
    signature: string
    signingAlgorithm: string
  }
  interface Agreement extends Record<string, unknown> {
    agreementHash: string
    documentHash: string
    signatures: Entry[]
  }
  const VERSIONED = 'sxVersion,sxVersionDate,sxPreviousVersion,sxSignature,sxRegistration,sxSha256'.split(',')
  const read = (raw: string, field: string) => {
    const document = JSON.parse(raw) as Record<string, unknown>
    const agreement = document[field] as Agreement
    const rest = Object.entries(document).filter(([name]) => name !== field && !VERSIONED.includes(name))
    const { v: _, agreementHash, signatures, ...terms } = agreement
    return {
      agreement,
      hashed: canonicalize(Object.fromEntries(rest)) ?? '',
      shown: canonicalize({ ...terms, sxId: document['sxId'], field }) ?? '',
      signed: signatures.map(({ signature: __, ...entry }) => canonicalize({ ...entry, agreementHash }) ?? ''),
    }
  }

  test.each(agreements.agreements)('$name: hashes and signatures', (vector) => {
    const { asked, copies, both, field } = vector
    for (const raw of [asked, ...copies, both]) {
      const { agreement, hashed, shown, signed } = read(raw, field)
      expect([hashed, shown]).toEqual([vector.hashed, vector.shown])
      expect(agreement.documentHash).toBe(sha256(hashed))
      expect(agreement.agreementHash).toBe(sha256(frame('sx-agreement-v1', shown)))
      for (const [at, { signingAlgorithm, signature }] of agreement.signatures.entries()) {
        const statement = frame('sx-agreement-v1-sign', signed[at] ?? '')
        expect(verifies(signingAlgorithm, publicKeys.get(signingAlgorithm) ?? '', statement, signature)).toBe(true)
      }
    }
    expect(read(both, field).signed).toEqual(vector.signed)
    expect(read(both, field).agreement.signatures.map(({ agentID }) => agentID)).toHaveLength(2)
  })
})
