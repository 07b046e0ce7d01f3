import type { AgentOptions } from './settings.ts'

/** Options of `verifyStandalone`. */
export interface StandaloneOptions {
  /** How keys are found. Only `local`, the default: in folders, or among those passed in. */
  keyResolution?: 'local' | (string & {})
  /** Folder with agent documents and a trust store; in Node `./sx_data` if neither folder is named. */
  dataDirectory?: string
  /** Public keys by agent id, each SPKI PEM; not beside `keyDirectory`. */
  keys?: Readonly<Record<string, string>>
  /** Folder of `<agentId>.public.pem` files, or the keys themselves; in Node `./sx_keys` if neither folder is named. */
  keyDirectory?: string | Readonly<Record<string, string>>
  /**
   * The only public key that counts, SPKI PEM. A signature by this key is valid, whichever signer it names. Any other
   * signature is not valid. No signer is `trusted`. Cannot be combined with folders or `keys`.
   */
  key?: string
  /** How much the document may hold (protocol, section 14). */
  limits?: AgentOptions['limits']
}
