// What is compared: signing and verifying a whole document, by us and by others.
//
// Every `sign` takes JSON text and gives the text of a signed document with an id, a version, a
// date and the signer in what is signed; every `verify` takes that text and gives the payload.
import * as crypto from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import { FlattenedSign, flattenedVerify, generateKeyPair } from 'jose'
import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const agentId = crypto.randomUUID()

/** Ours: `createDocument` without storing, and `verify`. Both forms of each. */
export async function ours(algorithm) {
  const options = { storage: memoryStorage(), password: crypto.randomUUID() }
  await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm, ...options })
  const agent = new SxAgent(options)
  await agent.load()
  const payload = (result) => {
    if (!result.valid) throw new Error(result.errors.join('\n'))
    return result.data
  }
  return {
    async: {
      sign: (text) => agent.createDocument(text, null, null, true),
      verify: async (text) => payload(await simple.verify(text)),
    },
    sync: {
      sign: (text) => agent.createDocumentSync(text, null, null, true),
      verify: (text) => payload(simple.verifySync(text)),
    },
  }
}

function document(text) {
  const header = { id: crypto.randomUUID(), version: crypto.randomUUID(), date: new Date().toISOString(), agentId }
  return { ...JSON.parse(text), ...header }
}

function withoutHeader({ id: _id, version: _version, date: _date, agentId: _agentId, ...payload }) {
  return payload
}

/** A signature over the canonical text, put in as its last member; verified over the canonical text of the rest. */
function overCanonicalText(signBytes, verifyBytes) {
  return {
    sign(text) {
      const canonical = canonicalize(document(text))
      const signature = Buffer.from(signBytes(encoder.encode(canonical))).toString('base64')
      return `${canonical.slice(0, -1)},"signature":"${signature}"}`
    },
    verify(text) {
      const { signature, ...signed } = JSON.parse(text)
      if (!verifyBytes(encoder.encode(canonicalize(signed)), Buffer.from(signature, 'base64'))) throw refused()
      return withoutHeader(signed)
    },
  }
}

const refused = () => new Error('A peer refused its own signature.')

/** The runtime's own cryptography. */
export function native(algorithm) {
  const type = algorithm === 'ed25519' ? 'ed25519' : 'ml-dsa-87'
  const { privateKey, publicKey } = crypto.generateKeyPairSync(type)
  return overCanonicalText(
    (bytes) => crypto.sign(null, bytes, privateKey),
    (bytes, signature) => crypto.verify(null, bytes, publicKey, signature),
  )
}

/** Cryptography in JavaScript. */
export function noble(algorithm) {
  const scheme = algorithm === 'ed25519' ? ed25519 : ml_dsa87
  const { secretKey, publicKey } = scheme.keygen()
  return overCanonicalText(
    (bytes) => scheme.sign(bytes, secretKey),
    (bytes, signature) => scheme.verify(signature, bytes, publicKey),
  )
}

/**
 * JSON Web Signatures, flattened. They carry the signed bytes along, so that verifying needs no
 * canonical form.
 *
 * @param write makes the text that is signed
 */
export async function jose(algorithm, write = canonicalize) {
  const alg = algorithm === 'ed25519' ? 'Ed25519' : 'ML-DSA-87'
  const { privateKey, publicKey } = await generateKeyPair(alg)
  return {
    async sign(text) {
      const payload = encoder.encode(write(document(text)))
      return JSON.stringify(await new FlattenedSign(payload).setProtectedHeader({ alg }).sign(privateKey))
    },
    async verify(text) {
      const { payload: bytes } = await flattenedVerify(JSON.parse(text), publicKey)
      return withoutHeader(JSON.parse(decoder.decode(bytes)))
    },
  }
}
