// What is compared: signing and verifying a whole document, by us and by others.
//
// Every `sign` takes JSON text, and every `verify` takes what that gave and gives the payload. Signed is the text of a
// document with an id, a version, a date and the signer in what is signed; “bare” is less than that: the text as it
// came, and its signature.
import * as crypto from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import {
  CompactSign,
  compactVerify,
  exportSPKI,
  FlattenedSign,
  flattenedVerify,
  generateKeyPair,
  importSPKI,
} from 'jose'
import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const agentId = crypto.randomUUID()

/** Ours: `createDocument` without storing, and `verify`, of a signer that is always the same. Both forms of each. */
export async function ours(algorithm) {
  const options = { storage: memoryStorage(), password: crypto.randomUUID() }
  await simple.quickstart({ name: 'Benchmark', domain: 'example.com', algorithm, ...options })
  const agent = new SxAgent(options)
  await agent.load()
  return {
    async: {
      sign: (text) => agent.createDocument(text, null, null, true),
      verify: async (text) => payloadOf(await simple.verify(text)),
    },
    sync: {
      sign: (text) => agent.createDocumentSync(text, null, null, true),
      verify: (text) => payloadOf(simple.verifySync(text)),
    },
  }
}

/** The payload of a document that is valid. */
export function payloadOf({ valid, errors, data }) {
  if (!valid) throw new Error(errors.join('\n'))
  return data
}

function document(text) {
  const header = { id: crypto.randomUUID(), version: crypto.randomUUID(), date: new Date().toISOString(), agentId }
  return { ...JSON.parse(text), ...header }
}

function withoutHeader({ id: _id, version: _version, date: _date, agentId: _agentId, ...payload }) {
  return payload
}

const refused = () => new Error('A peer refused its own signature.')

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

/** A line with the signature, and the text as it came behind it. */
function overTextAsItCame(signBytes, verifyBytes) {
  return {
    sign: (text) => `${signBytes(encoder.encode(text)).toString('base64')}\n${text}`,
    verify(signed) {
      const end = signed.indexOf('\n')
      const text = signed.slice(end + 1)
      if (!verifyBytes(encoder.encode(text), Buffer.from(signed.slice(0, end), 'base64'))) throw refused()
      return JSON.parse(text)
    },
  }
}

/** The runtime's own cryptography. */
const native = (form) => ({
  generate: (algorithm) => crypto.generateKeyPairSync(algorithm === 'ed25519' ? 'ed25519' : 'ml-dsa-87'),
  write: (publicKey) => publicKey.export({ type: 'spki', format: 'pem' }),
  read: (pem) => crypto.createPublicKey(pem),
  job: ({ privateKey, publicKey }) =>
    form(
      (bytes) => crypto.sign(null, bytes, privateKey),
      (bytes, signature) => crypto.verify(null, bytes, publicKey, signature),
    ),
})

/** Cryptography in JavaScript. */
const noble = {
  generate(algorithm) {
    const scheme = algorithm === 'ed25519' ? ed25519 : ml_dsa87
    const { secretKey, publicKey } = scheme.keygen()
    return { scheme, privateKey: secretKey, publicKey }
  },
  job: ({ scheme, privateKey, publicKey }) =>
    overCanonicalText(
      (bytes) => scheme.sign(bytes, privateKey),
      (bytes, signature) => scheme.verify(signature, bytes, publicKey),
    ),
}

const nameInJose = (algorithm) => (algorithm === 'ed25519' ? 'Ed25519' : 'ML-DSA-87')

/** JSON Web Signatures. */
const jose = (job) => ({
  async generate(algorithm) {
    const alg = nameInJose(algorithm)
    return { alg, ...(await generateKeyPair(alg, { extractable: true })) }
  },
  write: exportSPKI,
  read: (pem, algorithm) => importSPKI(pem, nameInJose(algorithm)),
  job,
})

/** The text as it came, in the compact form. */
const compact = ({ alg, privateKey, publicKey }) => ({
  sign: (text) => new CompactSign(encoder.encode(text)).setProtectedHeader({ alg }).sign(privateKey),
  verify: async (token) => JSON.parse(decoder.decode((await compactVerify(token, publicKey)).payload)),
})

/** Flattened. They carry the signed bytes along, so that verifying needs no canonical form. */
const flattened =
  (write) =>
  ({ alg, privateKey, publicKey }) => ({
    async sign(text) {
      const payload = encoder.encode(write(document(text)))
      return JSON.stringify(await new FlattenedSign(payload).setProtectedHeader({ alg }).sign(privateKey))
    },
    async verify(text) {
      const { payload } = await flattenedVerify(JSON.parse(text), publicKey)
      return withoutHeader(JSON.parse(decoder.decode(payload)))
    },
  })

/**
 * By the name of a row: `generate` makes keys, with which `job` makes `sign` and `verify`; `write` and `read` are what
 * turns a public key to text and back, where a signer that was never seen before is measured.
 */
export const peers = {
  'jose, bare': jose(compact),
  'jose, canonical text': jose(flattened(canonicalize)),
  'jose, JSON.stringify': jose(flattened(JSON.stringify)),
  'node:crypto, bare': native(overTextAsItCame),
  'node:crypto, canonical text': native(overCanonicalText),
  noble,
}

/** Names of the peers that exist here: ML-DSA in the runtime itself is there from Node 24 on. */
export function present(algorithm) {
  const isNative = algorithm === 'ed25519' || Number(process.versions.node.split('.')[0]) >= 24
  return Object.keys(peers).filter((name) => isNative || name === 'noble')
}
