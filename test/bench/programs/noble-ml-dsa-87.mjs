// The same with noble: cryptography in JavaScript, over canonical text.
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import { verifyCanonical } from './canonical.mjs'

export const verify = (given) => verifyCanonical(given, canonicalize, ml_dsa87)
