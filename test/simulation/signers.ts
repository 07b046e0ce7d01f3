/** Private keys that are somewhere else: a service that all processes of a world may ask, and that fails now and then. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { ExternalSigner } from '../../src/types.ts'
import type { Actor } from './history.ts'
import type { World } from './world.ts'

/** What stands before the 32 bytes of an Ed25519 private key in PKCS#8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** RFC 7638, of an Ed25519 key. */
function thumbprint(key: KeyObject): string {
  const { crv, kty, x } = key.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
}

export class Signers {
  readonly #world: World
  readonly #keys = new Map<string, KeyObject>()
  readonly #doFail: boolean

  constructor(world: World) {
    this.#world = world
    this.#doFail = world.random.chance(0.5)
  }

  /** A new key, as a process may use it. */
  create(actor: Actor): ExternalSigner {
    const seed = new Uint8Array(32)
    this.#world.random.fill(seed)
    const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
    const keyId = thumbprint(createPublicKey(key))
    this.#keys.set(keyId, key)
    return this.#signer(actor, key)
  }

  /** The signer of a key, if it has one. */
  of(actor: Actor, keyId: string | undefined): ExternalSigner | undefined {
    const key = this.#keys.get(keyId ?? '')
    return key && this.#signer(actor, key)
  }

  /** The key that a signer has. */
  keyIdOf({ publicKey }: ExternalSigner): string {
    return thumbprint(createPublicKey(publicKey as string))
  }

  has(keyId: string | undefined): boolean {
    return this.#keys.has(keyId ?? '')
  }

  #signer(actor: Actor, key: KeyObject): ExternalSigner {
    return {
      algorithm: 'ed25519',
      publicKey: createPublicKey(key).export({ format: 'pem', type: 'spki' }),
      sign: async (bytes) => {
        await this.#world.turn(actor, 'the signer answers')
        if (this.#doFail && this.#world.random.chance(0.1)) {
          this.#world.note(() => `${actor.name}:   -- the signer fails`)
          actor.process.hasSignerFailed = true
          throw new Error('The simulated signer fails.')
        }
        return new Uint8Array(sign(null, bytes, key))
      },
    }
  }
}
