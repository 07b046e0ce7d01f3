// The same with noble: cryptography in JavaScript, over canonical text.
import { ed25519 } from '@noble/curves/ed25519.js'
import canonicalize from 'canonicalize'
import { verifyCanonical } from './canonical.mjs'

export const verify = (given) => verifyCanonical(given, canonicalize, ed25519)
