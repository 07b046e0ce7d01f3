import type { PlatformDerivation } from '../src/platform.ts'

/** What the core writes: scrypt (RFC 7914), or PBKDF2 with HMAC-SHA-256 (RFC 8018). */
type Parameters = { readonly salt: string } & (
  | { readonly kdf: 'scrypt'; readonly n: number; readonly r: number; readonly p: number }
  | { readonly kdf: 'pbkdf2'; readonly iterations: number }
)

const KEY_LENGTH = 32

/** The core allows no scrypt that needs more than about half of it; the default would allow less than that. */
const MEMORY = 128 << 20

/** The derivation of OpenSSL, or of what the runtime has in its place: two to three times as fast as the core's. */
export const derivation: Required<PlatformDerivation> = {
  async: (parameters, password) =>
    new Promise((resolve) => {
      const done = (error: Error | null, key?: Uint8Array): void => resolve(error ? undefined : key)
      try {
        const { crypto, salt, ...how } = parsed(parameters)
        if (how.kdf === 'pbkdf2') crypto.pbkdf2(password, salt, how.iterations, KEY_LENGTH, 'sha256', done)
        else crypto.scrypt(password, salt, KEY_LENGTH, { N: how.n, r: how.r, p: how.p, maxmem: MEMORY }, done)
      } catch {
        resolve(undefined)
      }
    }),
  sync: (parameters, password) => {
    try {
      const { crypto, salt, ...how } = parsed(parameters)
      return how.kdf === 'pbkdf2'
        ? crypto.pbkdf2Sync(password, salt, how.iterations, KEY_LENGTH, 'sha256')
        : crypto.scryptSync(password, salt, KEY_LENGTH, { N: how.n, r: how.r, p: how.p, maxmem: MEMORY })
    } catch {
      return undefined
    }
  },
}

function parsed(parameters: string) {
  const { salt, ...how } = JSON.parse(parameters) as Parameters
  const crypto = process.getBuiltinModule('node:crypto')
  return { crypto, salt: Buffer.from(salt, 'base64'), ...how }
}
