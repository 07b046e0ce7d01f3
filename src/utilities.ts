import { call, text } from './core.ts'
import { toJsonText } from './json.ts'
import { plainOptions } from './options.ts'

/** Fields of the configuration (specification 2.1). What is left out gets its default. */
export interface ConfigOptions {
  /** Kept, and never weakens anything. */
  sxUseSecurity?: string
  /** Default `./sx_data`. */
  sxDataDirectory?: string
  /** Default `./sx_keys`. */
  sxKeyDirectory?: string
  /** Default `sx.private.pem`. */
  sxAgentPrivateKeyFilename?: string
  /** Default `sx.public.pem`. */
  sxAgentPublicKeyFilename?: string
  /** `pq2025` (default) or `ed25519`. */
  sxAgentKeyAlgorithm?: string
  /** Rather set SX_PRIVATE_KEY_PASSWORD: this one stands readable in the file. */
  sxPrivateKeyPassword?: string
  /** The agent as `id:version`. */
  sxAgentIdAndVersion?: string
  /** `fs` (default) or, in a page, `indexeddb`. */
  sxDefaultStorage?: string
}

/**
 * SHA-256 of a text's UTF-8 bytes (FIPS 180-4).
 *
 * @returns 64 lower-case hexadecimal digits
 * @throws SxError `NotInitialized` in a page before `init()`
 * @example
 * hashString('abc') // 'ba7816bf…f20015ad'
 */
export function hashString(data: string): string {
  const checked = text(data, 'data')
  return call((core) => core.hashString(checked))
}

/**
 * Builds a configuration file.
 *
 * @returns JSON text, a field a line
 * @throws SxError `InvalidConfig` naming the field; `NotInitialized` in a page before `init()`
 * @example
 * createConfig({ sxAgentKeyAlgorithm: 'ed25519' })
 */
export function createConfig(options: ConfigOptions = {}): string {
  const given = Object.fromEntries(Object.entries(plainOptions(options)).filter(([, value]) => value !== undefined))
  const json = toJsonText(given)
  return call((core) => core.createConfig(json))
}
