/** An agent that the trust store took. */
export interface TrustedAgent {
  /** Its `sxId`. */
  readonly agentId: string
  /** What it calls itself, from its document. */
  readonly name: string
  /** RFC 7638 thumbprint of the key that signed the document, to compare with its owner. */
  readonly keyId: string
  /** Those of all keys that it has had, oldest first; the last one is `keyId`. */
  readonly keyIds: readonly string[]
}
