// Something to verify for each of the programs.
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import { exportJWK, FlattenedSign, generateKeyPair } from 'jose'
import { sample } from '../sample.mjs'

const base64 = (bytes) => Buffer.from(bytes).toString('base64')

async function ours(algorithm, text) {
  const { documents, keyDirectory } = await sample(algorithm, [text])
  return { program: 'verify', given: { document: documents[0], keys: keyDirectory } }
}

async function jose(text) {
  const alg = 'Ed25519'
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const signed = await new FlattenedSign(Buffer.from(text)).setProtectedHeader({ alg }).sign(privateKey)
  return { program: 'jose', given: { document: JSON.stringify(signed), key: await exportJWK(publicKey), alg } }
}

function noble(name, scheme, text) {
  const { secretKey, publicKey } = scheme.keygen()
  const signature = base64(scheme.sign(Buffer.from(canonicalize(JSON.parse(text))), secretKey))
  const document = JSON.stringify({ ...JSON.parse(text), signature })
  return { program: `noble-${name}`, given: { document, key: base64(publicKey) } }
}

/** By the name of a row. Ours of ML-DSA-87 is what the aims are about. */
export async function samples(text) {
  return {
    Ed25519: await ours('ed25519', text),
    'Ed25519, jose and the runtime’s own': await jose(text),
    'Ed25519, `@noble/curves`': noble('ed25519', ed25519, text),
    'ML-DSA-87': await ours('pq2025', text),
    'ML-DSA-87, `@noble/post-quantum`': noble('ml-dsa-87', ml_dsa87, text),
  }
}
