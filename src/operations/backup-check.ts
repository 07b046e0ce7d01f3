/** Whether a backup is one: what its manifest says, whose it is, and what it holds of an agent. */
import * as core from '#core'
import { type Backup, CONFIG, chainEntry, damaged, keyOwner, nameOf, PRIVATE_KEY } from '../backup.ts'
import { encode } from '../bytes.ts'
import { call, LONGEST_TEXT } from '../core.ts'
import { isVerdict, SxError } from '../errors.ts'
import { DIRECTORY_FIELDS } from '../home.ts'
import { limitsText } from '../limits.ts'
import type { Config } from '../platform.ts'
import { type AgentIdentity, readStoredAgent } from '../state/agent-identity.ts'
import { parseConfig } from './naming.ts'
import type { Parts } from './staging.ts'

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
  /** The current key of its agent document, which has signed the manifest. */
  readonly keyId: string
  /** Those of all its keys, oldest first. */
  readonly keyIds: readonly string[]
  /** When the manifest was signed. */
  readonly savedAt: string
  readonly fields: Fields
  readonly parts: Parts
}

/**
 * Has the core verify the manifest beside the agent document in the backup.
 *
 * @throws SxError `CorruptStore`
 */
export function checkManifest({ manifest, entries, contents }: Backup): Restored {
  const { fields, config } = readConfig(entries.get(CONFIG))
  const { agentId: id, agentVersion: version } = config
  if (id === null || version === null) throw damaged(`${CONFIG} names no agent`)
  const versions = chainOf(entries, id)
  const [first, latest] = [versions[0], versions.at(-1)]
  if (first === undefined || latest === undefined) throw damaged('the agent document is missing')
  const { name, keyId, keyIds, publicKey } = agentOf(latest, id, versions.length)
  if (!versions.some((text) => isVersion(text, version))) {
    throw damaged(`the version of the agent document that ${CONFIG} names is missing`)
  }
  const { entries: count, sha256 } = contents
  const savedAt = call(() => core.backupCheck(manifest, latest, count, sha256, limitsText(undefined)))
  const privateKey = entries.get(PRIVATE_KEY)
  if (privateKey !== undefined) checkEncrypted(privateKey)
  const parts = {
    document: first,
    publicKey,
    ...(privateKey !== undefined && { privateKey }),
    ...(latest !== first && { latest }),
    ...whatCounts(entries),
  }
  return { id, name, keyId, keyIds, savedAt, fields, parts }
}

/** In characters: as one JSON text it is still one that the core can take, however much of it is escaped. */
const LARGEST_STAGED = LONGEST_TEXT / 2

/** What would count for another agent too, and so is put where it belongs only once this one is there. */
function whatCounts(entries: ReadonlyMap<string, string>): Pick<Parts, 'keys' | 'trust'> {
  const keys: Record<string, string> = {}
  const trust: Record<string, string[]> = {}
  let size = 0
  for (const [name, text] of entries) {
    const [owner, entry] = [keyOwner(name), chainEntry(name)]
    if (owner !== undefined || entry?.isTrust === true) size += text.length
    if (size > LARGEST_STAGED) {
      const found = `The decisions and public keys in the backup have more than ${LARGEST_STAGED} characters.`
      throw new SxError('LimitExceeded', found)
    }
    if (owner !== undefined) keys[owner] = text
    if (entry?.isTrust === true) {
      const decisions = trust[entry.id] ?? []
      decisions.push(text)
      trust[entry.id] = decisions
    }
  }
  return { keys, trust }
}

function readConfig(text: string | undefined): { fields: Fields; config: Config } {
  if (text === undefined) throw damaged(`${CONFIG} is missing`)
  let config: Config
  try {
    config = parseConfig(encode(text))
  } catch (cause) {
    throw asDamage(cause, `${CONFIG} is not a configuration`)
  }
  const fields = JSON.parse(text) as Fields
  if (configOf(fields) !== text) throw damaged(`${CONFIG} is malformed`)
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
  const what = `${nameOf({ isTrust: false, id, number })} is not the document of its agent`
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

function checkEncrypted(privateKey: string): void {
  try {
    if (call(() => core.keyDerivation(privateKey)) !== undefined) return
  } catch (cause) {
    if (!(cause instanceof SxError) || cause.code === 'Internal') throw cause
    throw damaged(`${PRIVATE_KEY} is not a private key`, cause)
  }
  throw damaged(`${PRIVATE_KEY} is not encrypted`)
}
