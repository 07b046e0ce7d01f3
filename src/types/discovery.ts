/** A public key as JWK (RFC 8037, RFC 9964), of whichever kind it is. */
export interface PublicJwk {
  /** `OKP` of an Ed25519 key, `AKP` of an ML-DSA-87 key. */
  readonly kty: 'OKP' | 'AKP'
  /** The key id: RFC 7638 thumbprint. */
  readonly kid: string
  /** Of an Ed25519 key: `Ed25519`. */
  readonly crv?: string
  /** Of an Ed25519 key: base64url of its 32 bytes. */
  readonly x?: string
  /** Of an ML-DSA-87 key: `ML-DSA-87`. */
  readonly alg?: string
  /** Of an ML-DSA-87 key: base64url of its 2592 bytes. */
  readonly pub?: string
}

/** What an agent publishes at a well-known address (protocol, section 7). */
export interface WellKnown {
  /** The agent's UUID. */
  readonly agentId: string
  /** `sxVersion` of its agent document. */
  readonly agentVersion: string
  /** Its public keys. */
  readonly keys: readonly PublicJwk[]
  /** The record of `getDnsRecord` for its own domain; null if it names none, or one too long for that. */
  readonly dnsRecord: string | null
}
