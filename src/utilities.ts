import * as core from '#core'
import type { ModuleSources } from '#modules'
import { agreementSource } from '#modules/agreement/source.js'
import { exchangeSource } from '#modules/exchange/source.js'
import { schemaSource } from '#modules/schema/source.js'
import { boundKept, call, ensureReady, text } from './core.ts'
import { toJsonText } from './json.ts'
import { fetchModule, setModuleSources } from './module-sources.ts'
import type { NamesOf } from './option-names.ts'
import { plainOptions } from './options.ts'
import type { CoreSource } from './types.ts'
import { type ScriptPolicy, setScriptPolicy } from './worker/script-policy.ts'

/** Fields of the configuration (protocol, section 13). What is left out gets its default. */
export interface ConfigOptions {
  /** Kept, and never weakens anything. */
  sxUseSecurity?: string
  /** Absolute, or relative to the configuration and without `..`; default `./sx_data`. */
  sxDataDirectory?: string
  /** As `sxDataDirectory`; default `./sx_keys`. */
  sxKeyDirectory?: string
  /** A plain file name in the key directory; default `sx.private.pem`. */
  sxAgentPrivateKeyFilename?: string
  /** As `sxAgentPrivateKeyFilename`; default `sx.public.pem`. */
  sxAgentPublicKeyFilename?: string
  /** `pq2025` (default) or `ML-DSA-87`; `ed25519`, `Ed25519` or `ring-Ed25519`. */
  sxAgentKeyAlgorithm?: string
  /** Rather set SX_PRIVATE_KEY_PASSWORD: this one stands readable in the file. */
  sxPrivateKeyPassword?: string
  /** The agent as `id:version`, or empty where there is none yet. An agent older than this version is not loaded (`Rollback`). */
  sxAgentIdAndVersion?: string
  /** `fs` (default) or, in a page, `indexeddb`. */
  sxDefaultStorage?: string
}

/** How much the core keeps of public keys by which signatures were right several times. 0 keeps nothing. */
export interface KeptKeys {
  /** Most keys; default 128, at most 1,024. */
  keys?: number
  /** Most bytes of the keys and of what is derived from them, 71 or 89 KB a key; default 12 MiB, at most 128 MiB. */
  bytes?: number
}

/** Options of `init`. */
export interface InitOptions extends Omit<ModuleSources<CoreSource>, 'agreement' | 'exchange' | 'schema'> {
  /** Where the module for agreements is; with it, or with `true` for the file of the package, it is loaded now. */
  agreement?: CoreSource | boolean
  /** Where the module for requests is; with it, or with `true` for the file of the package, it is loaded now. */
  exchange?: CoreSource | boolean
  /** Where the module for custom schemas is; with it, or with `true` for the file of the package, it is loaded now. */
  schema?: CoreSource | boolean
  /** How much is kept of keys that are met several times. */
  keptKeys?: KeptKeys
  /** In a page that requires Trusted Types: a policy that allows the addresses of the library's workers. */
  trustedTypes?: ScriptPolicy
}

/** `init` */
export async function initialise(options: InitOptions = {}): Promise<void> {
  const { core: source, keptKeys, trustedTypes, ...others } = options
  const bounds = keptKeys === undefined ? undefined : boundsOf(keptKeys)
  setScriptPolicy(trustedTypes)
  setModuleSources(others)
  const { agreement = false, exchange = false, schema = false } = others
  await ensureReady(source)
  if (bounds !== undefined) boundKept(bounds)
  if (agreement !== false) await fetchModule('agreement', agreementSource)
  if (exchange !== false) await fetchModule('exchange', exchangeSource)
  if (schema !== false) await fetchModule('schema', schemaSource)
}

const KEPT_KEYS = { keys: true, bytes: true } as const satisfies NamesOf<KeptKeys>

/** Both bounds as the core takes them; it refuses what is no whole number within their range. */
function boundsOf(keptKeys: KeptKeys): string {
  const { keys, bytes } = plainOptions(keptKeys, KEPT_KEYS, 'bounds of kept keys')
  const shown = (bound: unknown): string => {
    if (bound === undefined) return ''
    return typeof bound === 'number' ? String(bound) : 'no number'
  }
  return `${shown(keys)},${shown(bytes)}`
}

/**
 * SHA-256 of a text's UTF-8 bytes (FIPS 180-4).
 *
 * @returns 64 lower-case hexadecimal digits
 * @throws SxError `NotJson` for half a surrogate pair, which has no UTF-8; `NotInitialized` in a page
 *   before `init()`
 * @example
 * console.log(hashString('abc').slice(0, 8)) // ba7816bf
 */
export function hashString(data: string): string {
  const checked = text(data, 'data')
  return call(() => core.hashString(checked))
}

const CONFIG_OPTIONS = {
  sxUseSecurity: true,
  sxDataDirectory: true,
  sxKeyDirectory: true,
  sxAgentPrivateKeyFilename: true,
  sxAgentPublicKeyFilename: true,
  sxAgentKeyAlgorithm: true,
  sxPrivateKeyPassword: true,
  sxAgentIdAndVersion: true,
  sxDefaultStorage: true,
} as const satisfies NamesOf<ConfigOptions>

/**
 * Builds the text of a configuration file (protocol, section 13).
 * It writes nothing: `create` and `quickstart` make their own.
 *
 * @param options the fields that are not to have their defaults
 * @returns JSON text, a field a line; without `sxAgentIdAndVersion` if none was given
 * @throws SxError `InvalidConfig` naming the field; `InvalidOption` for a field that is not known; the JSON codes (see SxError) for a value that
 *   is no JSON; `NotInitialized` in a page before `init()`
 * @example
 * const config = JSON.parse(createConfig({ sxAgentKeyAlgorithm: 'ed25519' }))
 * console.log(config.sxAgentKeyAlgorithm, config.sxKeyDirectory) // ed25519 ./sx_keys
 */
export function createConfig(options: ConfigOptions = {}): string {
  const own = plainOptions(options, CONFIG_OPTIONS)
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  const json = toJsonText(given)
  return call(() => core.createConfig(json))
}
