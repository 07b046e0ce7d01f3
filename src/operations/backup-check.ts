/** Whether a backup is one: what its manifest says, whose it is, and what it holds of an agent. */
import * as core from '#core'
import { type Backup, CONFIG, type Contents, damaged, nameOf, PRIVATE_KEY } from '../backup.ts'
import { encode } from '../bytes.ts'
import { call } from '../core.ts'
import type { Operation } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { DIRECTORY_FIELDS } from '../home.ts'
import { KeyRing } from '../key-ring.ts'
import { limitsText } from '../limits.ts'
import type { Config } from '../platform.ts'
import { type AgentIdentity, readStoredAgent } from '../state/own-document.ts'
import { parseConfig } from './load.ts'
import type { Parts } from './staging.ts'
import { decide } from './verify.ts'

/** The members of a configuration. */
export type Fields = Record<string, unknown>

const PASSWORD_FIELD = 'sxPrivateKeyPassword'

/** A configuration as a backup has it: without a password, and without directories that only one machine has. */
export function configOf(fields: Fields): string {
  const kept = Object.entries(fields).filter(([name, value]) => {
    if (name === PASSWORD_FIELD) return false
    return !(Object.values(DIRECTORY_FIELDS) as string[]).includes(name) || !isAbsolute(value)
  })
  return call(() => core.createConfig(JSON.stringify(Object.fromEntries(kept))))
}

function isAbsolute(directory: unknown): boolean {
  return typeof directory === 'string' && /^(?:[/\\]|[a-z]:)/i.test(directory)
}

/** What a backup holds, once its manifest is verified. */
export interface Restored {
  readonly id: string
  readonly name: string
  readonly keyId: string
  /** When the manifest was signed. */
  readonly savedAt: string
  readonly fields: Fields
  readonly parts: Parts
}

/**
 * Has the core verify the manifest under the key of the agent document in the backup.
 *
 * @throws SxError `CorruptStore`
 */
export function* verifyBackup({ manifest, entries, contents }: Backup): Operation<Restored> {
  const { fields, config } = readConfig(entries.get(CONFIG))
  const { agentId: id, agentVersion: version } = config
  if (id === null || version === null) throw damaged(`${CONFIG} names no agent`)
  const versions = chainOf(entries, id)
  const [first, latest] = [versions[0], versions.at(-1)]
  if (first === undefined || latest === undefined) throw damaged('the agent document is missing')
  const { name, keyId, publicKey } = agentOf(latest, id, versions.length)
  if (!versions.some((text) => isVersion(text, version))) {
    throw damaged(`the version of the agent document that ${CONFIG} names is missing`)
  }
  const ring = new KeyRing(limitsText(undefined))
  try {
    ring.set(id, 'own', encode(latest))
    // oxlint-disable-next-line require-yield -- the key is there already
    const { result } = yield* decide(manifest, ring, function* () {}, undefined)
    const { type, signed, savedAt } = manifestOf(manifest)
    if (!result.valid || result.signerId !== id || type !== call(() => core.backupType())) {
      throw damaged('its manifest is not signed by its agent', result.errors[0])
    }
    if (signed.entries !== contents.entries || signed.sha256 !== contents.sha256) {
      throw damaged('its entries are others than its manifest says')
    }
    const privateKey = entries.get(PRIVATE_KEY)
    if (privateKey !== undefined) checkEncrypted(privateKey)
    const parts = { document: first, publicKey, ...(privateKey && { privateKey }), ...(latest !== first && { latest }) }
    return { id, name, keyId, savedAt, fields, parts }
  } finally {
    ring.dispose()
  }
}

function readConfig(text: string | undefined): { fields: Fields; config: Config } {
  if (text === undefined) throw damaged(`${CONFIG} is missing`)
  let config: Config
  try {
    config = parseConfig(encode(text))
  } catch (cause) {
    throw asDamage(cause, `${CONFIG} is none`)
  }
  const fields = JSON.parse(text) as Fields
  if (configOf(fields) !== text) throw damaged(`${CONFIG} is not as it is saved`)
  return { fields, config }
}

/** A failure of the core about something in the backup. */
function asDamage(cause: unknown, what: string): SxError {
  const isAbout = cause instanceof SxError && (cause.code === 'InvalidConfig' || isVerdict(cause.code))
  return isAbout ? damaged(what, cause) : (cause as SxError)
}

/** All versions of a document. */
function chainOf(entries: ReadonlyMap<string, string>, id: string): string[] {
  const versions: string[] = []
  for (;;) {
    const version = entries.get(nameOf({ isTrust: false, id, number: versions.length + 1 }))
    if (version === undefined) return versions
    versions.push(version)
  }
}

function agentOf(text: string, id: string, number: number): AgentIdentity {
  const what = `${nameOf({ isTrust: false, id, number })} is not its agent's document`
  try {
    const identity = readStoredAgent(text, limitsText(undefined))
    if (identity.id === id) return identity
  } catch (cause) {
    throw asDamage(cause, what)
  }
  throw damaged(what)
}

function isVersion(text: string, version: string): boolean {
  try {
    return readStoredAgent(text, limitsText(undefined)).version === version
  } catch (cause) {
    throw asDamage(cause, 'a version of its agent document cannot be read')
  }
}

/** What a manifest says, which is believed only once it is verified. */
function manifestOf(manifest: string): { type: unknown; signed: Partial<Contents>; savedAt: string } {
  try {
    const { sxType: type, entries, sha256, sxVersionDate } = JSON.parse(manifest) as Record<string, unknown>
    const signed = { ...(typeof entries === 'number' && { entries }), ...(typeof sha256 === 'string' && { sha256 }) }
    return { type, signed, savedAt: String(sxVersionDate) }
  } catch (cause) {
    throw damaged('its manifest cannot be read', cause)
  }
}

function checkEncrypted(privateKey: string): void {
  try {
    if (call(() => core.keyDerivation(privateKey)) !== undefined) return
  } catch (cause) {
    if (!(cause instanceof SxError) || cause.code === 'Internal') throw cause
    throw damaged(`${PRIVATE_KEY} is no private key`, cause)
  }
  throw damaged(`${PRIVATE_KEY} is not encrypted`)
}
