// Signatures of Ed25519 by keys with a part of small order, on which verifiers differ.
import { createHash } from 'node:crypto'
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js'
import { core, drawn, must, pae, verify } from './core.mjs'
import { documents } from './documents.mjs'
import { publicPem } from './keys.mjs'

const { Point } = ed25519
const L = Point.Fn.ORDER
const small = ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex))
/** A point of order 8. */
const eighth = small.find((point) => !point.multiplyUnsafe(4n).is0())
const torsion = (times) => eighth.multiplyUnsafe(BigInt(times))

/** @type {(number: bigint, by: bigint) => bigint} */
const modulo = (number, by) => ((number % by) + by) % by
const read = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
const write = (number) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()
const scalar = (name) => modulo(read(drawn(name, 'scalar')), L)
const challenge = (...parts) => modulo(read(createHash('sha512').update(Buffer.concat(parts)).digest()), L)

/** A = aB + T, where T is so many times the point of order 8. */
function key(times) {
  const secret = scalar(`key ${times}`)
  const raw = Buffer.from(Point.BASE.multiply(secret).add(torsion(times)).toBytes())
  return { times, secret, raw, publicKey: publicPem('ed25519', raw) }
}

/**
 * S such that the equation holds but for parts of small order, and an R whose part `partOf` chooses by k modulo 8: the
 * first nonce for which it is the part that was taken before k was known.
 */
function sign({ times, secret, raw }, message, partOf, more = 0n) {
  for (let at = 0; ; at++) {
    const nonce = scalar(`nonce ${at} of ${times}`)
    const part = at % 8
    const commitment = Buffer.from(Point.BASE.multiply(nonce).add(torsion(part)).toBytes())
    const k = challenge(commitment, raw, message)
    // A k that is 0 modulo 8 would not tell.
    if (modulo(k * BigInt(times), 8n) === 0n && times > 0) continue
    if (partOf(k, times) !== part) continue
    return Buffer.concat([commitment, write(modulo(nonce + k * secret, L) + more)])
  }
}

const eight = (number) => Number(modulo(number, 8n))
/** The part of [S]B - [k]A. */
const right = (k, times) => eight(-k * BigInt(times))
/** The part of [S]B + [L - k]A. */
const withScalarNegated = (k, times) => eight((L - k) * BigInt(times))
/** A part that is neither: right with the cofactor alone. */
const withCofactor = (k, times) => {
  const others = [right(k, times), withScalarNegated(k, times)]
  return [0, 1, 2, 3, 4, 5, 6, 7].find((part) => !others.includes(part))
}

function cases() {
  const message = 'signed by a key with a part of small order'
  const bytes = Buffer.from(message)
  const list = [4, 2, 1].flatMap((times) => {
    const signer = key(times)
    const of = `a key with a part of order ${8 / times}`
    return [
      { name: `${of}: right`, signer, signature: sign(signer, bytes, right), valid: true },
      { name: `${of}: right if k is negated modulo L`, signer, signature: sign(signer, bytes, withScalarNegated) },
      { name: `${of}: right with the cofactor`, signer, signature: sign(signer, bytes, withCofactor) },
      { name: `${of}: right but for S + L`, signer, signature: sign(signer, bytes, right, L) },
    ]
  })
  const signer = key(1)
  const weak = small
    .map((point) => Buffer.from(point.toBytes()))
    .find((commitment) => {
      const k = challenge(commitment, signer.raw, bytes)
      return torsion(right(k, 1)).equals(Point.fromBytes(commitment))
    })
  if (weak !== undefined) {
    const response = modulo(challenge(weak, signer.raw, bytes) * signer.secret, L)
    list.push({ name: 'R of small order', signer, signature: Buffer.concat([weak, write(response)]) })
  }
  return list.map(({ name, signer, signature, valid = false }) => {
    const encoded = signature.toString('base64')
    const said = core.verifyString(message, encoded, Buffer.from(signer.publicKey), 'ed25519')
    must(said === valid, `${name} is ${said}`)
    return { name, publicKey: signer.publicKey, message, signature: encoded, valid }
  })
}

/** The first document of the vectors, as if a key with a part of order 8 had signed it. */
function signedDocuments() {
  const { signed, raw } = documents().documents.find(({ algorithm }) => algorithm === 'ed25519')
  const { agentID: agentId, keyId: honest, signature: theirs } = JSON.parse(raw).sxSignature
  const signer = key(1)
  const jwk = `{"crv":"Ed25519","kty":"OKP","x":"${signer.raw.toString('base64url')}"}`
  const keyId = createHash('sha256').update(jwk).digest('base64url')
  const statement = pae('sx-document-v1', signed.replace(honest, keyId))
  return [
    { name: 'right', partOf: right, code: null },
    { name: 'right if k is negated modulo L', partOf: withScalarNegated, code: 'BadSignature' },
  ].map(({ name, partOf, code }) => {
    const signature = sign(signer, statement, partOf).toString('base64')
    const text = raw.replace(honest, keyId).replace(theirs, signature)
    const found = verify(text, [{ agentId, source: 'directory', bytes: signer.publicKey }]).code ?? null
    must(found === code, `the document that is ${name} is ${found}`)
    return { name, agentId, publicKey: signer.publicKey, text, code }
  })
}

export const signatures = () => ({
  description: 'Signatures of Ed25519 on which verifiers differ.',
  about: [
    'The public key of each is A = aB + T, with T of the order that its name says.',
    '`signatures`: whether `signature` (base64) is one over the UTF-8 bytes of `message` by `publicKey` (SPKI).',
    '`documents`: the verdict on `text`, where `publicKey` is the key of `agentId` in a key directory, and nobody is trusted: `code`, or null where it is valid.',
    'What is right if k is negated modulo L meets [S]B + [L - k]A = R, and not [S]B - [k]A = R: the two differ by [L]A, which is not the identity for these keys.',
  ],
  signatures: cases(),
  documents: signedDocuments(),
})
