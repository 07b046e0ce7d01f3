// Signing without the core: what a forger does, or another implementation of the protocol.
import { createPrivateKey, sign as signEd25519 } from 'node:crypto'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import { canonicalize, hex, pae, sha256 } from './core.mjs'

const seedOf = ({ der }) => der.subarray(der.length - 32)

/** A signature over these bytes. */
export function signature(key, statement) {
  if (key.algorithm === 'ed25519') {
    return signEd25519(null, statement, createPrivateKey({ key: key.der, format: 'der', type: 'pkcs8' }))
  }
  return ml_dsa87.sign(statement, ml_dsa87.keygen(seedOf(key)).secretKey, { extraEntropy: false })
}

/** The document's texts that are hashed and signed (protocol, section 4). */
export function texts(document) {
  const { sxSha256, sxSignature, sxRegistration: _registration, ...hashed } = document
  const { signature: _signature, ...unsigned } = sxSignature
  return {
    hashed: canonicalize(hashed),
    signed: canonicalize({ ...hashed, sxSha256, sxSignature: unsigned }),
  }
}

/** Changes a signed document and signs it with this key, as it then is. */
export function resigned(raw, key, change = () => {}, { keepHash = false } = {}) {
  const document = JSON.parse(raw)
  change(document)
  if (!keepHash) document.sxSha256 = hex(sha256(texts(document).hashed))
  const bytes = signature(key, pae('sx-document-v1', texts(document).signed))
  document.sxSignature.signature = Buffer.from(bytes).toString('base64')
  return canonicalize(document)
}

/** A document countersigned by this key, with these members of the registration; in this context. */
export function registered(raw, key, registration, context = 'sx-registration-v1') {
  const document = { ...JSON.parse(raw), sxRegistration: registration }
  const bytes = signature(key, pae(context, canonicalize(document)))
  document.sxRegistration = { ...registration, signature: Buffer.from(bytes).toString('base64') }
  return canonicalize(document)
}
