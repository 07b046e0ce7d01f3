import type { ExternalSigner } from './secrets.ts'

/** Why a key was revoked. What a `compromised` one has signed never counts, whatever its date. */
export type RevocationReason = 'superseded' | 'compromised' | 'unspecified'

/** A key of an agent. */
export interface AgentKey {
  /** RFC 7638 thumbprint of the public key, in base64url. */
  readonly keyId: string
  /** `pq2025` or `ed25519`. */
  readonly algorithm: string
  /** When (RFC 3339) and why it was revoked, by a rotation or by a revocation that was made in advance. Missing otherwise. */
  readonly revoked?: { readonly at: string; readonly reason: RevocationReason }
}

/** Options of `rotateKey`. */
export interface RotateOptions {
  /** Of the new key: `pq2025` or `ed25519`; default that of the old one. */
  algorithm?: string
  /**
   * Has the new key, and signs with it from then on. An agent with an external signer needs it; the private key file of
   * any other goes.
   */
  signer?: ExternalSigner
  /** Why the old key is revoked; default `superseded`. */
  reason?: RevocationReason
  /** Opens the private key now, and so does it the new one; default what `load` finds. */
  password?: string
  /**
   * Rotate even if the agent has signed something that is dated later than this clock. It stops being valid; default
   * false.
   */
  force?: boolean
}

/** What `rotateKey` returns. */
export interface RotatedKey {
  /** RFC 7638 thumbprint of the new key. */
  readonly keyId: string
  /** That of the key before it. */
  readonly formerKeyId: string
  /** Of the new key: `pq2025` or `ed25519`. */
  readonly algorithm: string
  /** The agent document that names the new key, for those who trust this agent: canonical JSON. */
  readonly agent: string
  /**
   * From this date on signatures by the former key do not count (RFC 3339); if it is `compromised`, none does. If it is not
   * about the present, the clock is wrong.
   */
  readonly revokedAt: string
  /** What there is to do now: `BackupOutdated`, since backups made before restore the key before. */
  readonly warnings: readonly RotationWarning[]
}

/** Something to do after a rotation. */
export interface RotationWarning {
  readonly code: 'BackupOutdated'
  /** A sentence for people. */
  readonly message: string
}

/** Options of `revokeKey`. */
export interface RevokeOptions {
  /** Default `unspecified`. */
  reason?: RevocationReason
  /**
   * End the key now if it is revoked from a later date, because a clock was ahead. What it has signed with later dates stops
   * being valid; default false.
   */
  force?: boolean
}

/** In place of a key id: a revocation that was made in advance. */
export interface RevokeByStatement {
  /** What `createRevocation` returned. */
  statement: string
  /**
   * Apply a revocation that is dated later than this clock: it counts from now on. It is for a revocation that was made by a
   * clock that was ahead; default false.
   */
  force?: boolean
}

/** Options of `createRevocation`. */
export interface RevocationOptions {
  /** The key: the current one, which is the default. */
  keyId?: string
  /**
   * Why the key will be revoked; default `compromised`. Any other reason counts from now on: from after all that the agent
   * has stored and this process has signed.
   */
  reason?: RevocationReason
}

/** Options of `exportKey`. */
export interface ExportKeyOptions {
  /** Opens what is exported. Not empty. */
  password: string
}
