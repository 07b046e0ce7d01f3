import { type CoreObject, text } from './core.ts'
import { perform, runSync } from './effects.ts'
import { entropy } from './entropy.ts'
import { generateSecret, publicOf } from './state/private-key.ts'
import type { KeyAlgorithm } from './types.ts'

/** In characters; longer than any name of an algorithm. */
const LONGEST_NAME = 1024

/**
 * An agent for one program run: a key pair in memory. Nothing of it is stored, so it is gone with the object. All its
 * methods return directly; a page calls `init()` once before.
 *
 * @example
 * const agent = SxSimpleAgent.ephemeral('ed25519')
 * console.log(agent.getPublicKeyPem().split('\n').length) // 4
 */
export class SxSimpleAgent {
  readonly #secret: CoreObject

  private constructor(secret: CoreObject) {
    this.#secret = secret
  }

  /**
   * An agent with a new key pair.
   *
   * @param algorithm of its key; default `pq2025`
   * @throws SxError `InvalidOption` for another algorithm; `NoEntropy`; `NotInitialized` in a page before `init()`
   * @example
   * const agent = SxSimpleAgent.ephemeral('pq2025')
   * console.log(agent.getPublicKeyPem().split('\n')[0]) // -----BEGIN PUBLIC KEY-----
   */
  static ephemeral(algorithm: KeyAlgorithm = 'pq2025'): SxSimpleAgent {
    const name = text(algorithm, 'algorithm', LONGEST_NAME)
    const random = runSync(() => perform(entropy))
    return new SxSimpleAgent(generateSecret(name, random))
  }

  /**
   * The public key: SPKI PEM (RFC 8410, RFC 9881).
   *
   * @example
   * const key = SxSimpleAgent.ephemeral('ed25519').getPublicKeyPem()
   * console.log(key.length) // 113
   */
  getPublicKeyPem(): string {
    return publicOf(this.#secret).pem
  }
}
