/** How the library lays out its storage: what the simulation reads on the disk to know what is true. */
import { createHash } from 'node:crypto'
import type { Disk } from './disk.ts'

const DATA = 'sx_data'
const KEYS = 'sx_keys'
/** Where the key directory is. */
export const KEY_FOLDER: string = KEYS
const ID = /^sx_data\/documents\/..\/([0-9a-f-]{36})[./]/
const AGENT = /^sx_(?:data|keys)\/trust\/([0-9a-f-]{36})\./
const WITNESSED = `${KEYS}/trust/.witnessed`

/** The document that a path belongs to. */
export function documentOf(path: string): string | undefined {
  return ID.exec(path)?.[1]
}

/** The agent whose trust a path belongs to. */
export function trustOf(path: string): string | undefined {
  return AGENT.exec(path)?.[1]
}

const chainOf = (id: string): string => `${DATA}/documents/${id.slice(0, 2)}/${id}`

/** The texts of the versions of a document that are part of its history, from the first on. */
export function historyOf(disk: Disk, id: string): string[] {
  const texts: string[] = []
  for (let number = 1; ; number++) {
    const text = disk.text(`${chainOf(id)}.${number}.json`)
    if (text === undefined) return texts
    texts.push(text)
  }
}

/** The text of the last entry of a chain. */
function lastOf(disk: Disk, pathOf: (number: number) => string): string | undefined {
  let latest: string | undefined
  for (let number = 1; ; number++) {
    const text = disk.text(pathOf(number))
    if (text === undefined) return latest
    latest = text
  }
}

/** The document that counts in the trust store for an agent: of a store from before there were witnesses the last one. */
export function trustedText(disk: Disk, id: string): string | undefined {
  const decision = (number: number): string => `${DATA}/trust/${id}.${number}.json`
  let latest = lastOf(disk, decision)
  if (disk.text(WITNESSED) !== undefined) {
    const witness = lastOf(disk, (number) => `${KEYS}/trust/${id}.${number}.witness`)
    const named = witness === undefined ? undefined : (JSON.parse(witness) as { number: number }).number
    latest = named === undefined ? undefined : disk.text(decision(named))
  }
  return latest !== undefined && latest.includes(`"sxId":"${id}"`) ? latest : undefined
}

/** All entries of a document. */
export function entriesOf(disk: Disk, id: string): [path: string, bytes: Uint8Array][] {
  return disk.paths().flatMap((path) => {
    const bytes = documentOf(path) === id ? disk.get(path) : undefined
    return bytes === undefined ? [] : [[path, bytes]]
  })
}

/** The entry that makes an unsigned text the next version of a document, as rubbish in the storage would. */
export function planted(disk: Disk, id: string, text: string): [path: string, text: string] {
  return [`${chainOf(id)}.${historyOf(disk, id).length + 1}.json`, text]
}

const CONFIGURATION = 'sx.config.json'

/** Whether a path may hold the private key or its password. */
export function isSecret(path: string): boolean {
  return (
    path === CONFIGURATION ||
    (path.startsWith(`${KEYS}/`) && !path.startsWith(`${KEYS}/trust/`) && !path.endsWith('.public.pem'))
  )
}

/** Saves the password of the private key, as a person does. */
export function savePassword(disk: Disk, where: 'file' | 'configuration', password: string): void {
  if (where === 'file') disk.put(`${KEYS}/.sx_password`, new TextEncoder().encode(`${password}\n`))
  else {
    const fields = JSON.parse(disk.text(CONFIGURATION) ?? '{}') as object
    const text = JSON.stringify({ ...fields, sxPrivateKeyPassword: password })
    disk.put(CONFIGURATION, new TextEncoder().encode(text))
  }
}

/** The public key files of an agent. */
export function publicKeyFiles(disk: Disk, id: string): (string | undefined)[] {
  return [`${KEYS}/sx.public.pem`, `${KEYS}/${id}.public.pem`].map((path) => disk.text(path))
}

/**
 * How many different private keys are at rest that nothing waits for, and for which versions others wait. Of one that is
 * with an external signer there is nothing, and a record says so.
 */
export function keysAtRest(disk: Disk): { left: number; waiting: number[] } {
  const records = disk.paths().filter((path) => /^sx_keys\/sx\.private\.pem\.\d+$/.test(path))
  const pems = new Set([disk.text(`${KEYS}/sx.private.pem`) ?? ''])
  const waiting: number[] = []
  for (const path of records) {
    const { pem, next = [] } = JSON.parse(disk.text(path) ?? '{}') as {
      pem: string | null
      next?: { number: number }[]
    }
    if (pem !== null) pems.add(pem)
    waiting.push(...next.map(({ number }) => number))
  }
  pems.delete('')
  return { left: pems.size, waiting }
}

/** What makes a place occupied for a new agent: its configuration or a claim on it, and the two files of its key. */
export function occupants(config: string): string[] {
  return [config, `${config}.agent`, `${KEYS}/sx.private.pem`, `${KEYS}/sx.public.pem`]
}

/** Whether a configuration names an agent. */
export function namesAgent(text: string | undefined): boolean {
  return text !== undefined && /"sxAgentIdAndVersion":\s*"[^"]+"/.test(text)
}

/** The agents that configurations name. */
export function namedAgents(disk: Disk): string[] {
  return disk
    .paths()
    .filter((path) => path.endsWith('config.json'))
    .flatMap((path) => /"sxAgentIdAndVersion":\s*"([0-9a-f-]{36}):/.exec(disk.text(path) ?? '')?.[1] ?? [])
}

/** What may stand in the key directory when an agent is there and nobody is creating one. */
export function isExpected(path: string, agentIds: readonly string[]): boolean {
  const file = path.slice(KEYS.length + 1)
  if (file === 'trust/.witnessed' || trustOf(path) !== undefined) return true
  if (/^(?:sx\.private\.pem(?:\.\d+)?|sx\.public\.pem|\.sx_password)$/.test(file)) return true
  // Of two configurations with one key directory the later one keeps its key where it was staged.
  return agentIds.some((id) => file === `${id}.public.pem` || stagedAgent(path) === id)
}

/** Writes a configuration without an agent, as a person prepares one. */
export function prepareConfiguration(disk: Disk, config: string, fields: Record<string, string>): void {
  disk.put(config, new TextEncoder().encode(JSON.stringify(fields)))
}

/** The id of an agent whose key is staged at a path. */
export function stagedAgent(path: string): string | undefined {
  return /^sx_keys\/\.new\/[0-9a-f]{16}\.([0-9a-f-]{36})\.json$/.exec(path)?.[1]
}

/** Whether a staged key is one for this configuration. */
export function isStagedFor(path: string, configPath: string): boolean {
  const place = createHash('sha256').update(`${configPath}\nsx.private.pem`).digest('hex').slice(0, 16)
  return path.startsWith(`${KEYS}/.new/${place}.`)
}

/** What makes decisions on trust in an agent count, from the first on: witnesses, or the decisions themselves. */
export function decisionsOn(disk: Disk, id: string): string[] {
  const isWitnessed = disk.text(WITNESSED) !== undefined
  const texts: string[] = []
  for (let number = 1; ; number++) {
    const path = isWitnessed ? `${KEYS}/trust/${id}.${number}.witness` : `${DATA}/trust/${id}.${number}.json`
    const text = disk.text(path)
    if (text === undefined) return texts
    texts.push(text)
  }
}

/** The keys of an agent that have said themselves, in advance, that they are compromised; beside its document. */
export function statedCompromised(disk: Disk, id: string): string[] {
  const keyIds: string[] = []
  for (let number = 1; ; number++) {
    const text = disk.text(`${DATA}/revocations/${id}.${number}.json`)
    if (text === undefined) return keyIds
    const { statement } = JSON.parse(text) as { statement: string }
    keyIds.push(readRevocation(statement).keyId)
  }
}

/** Whether a path holds what a key of an agent has said of itself. */
export const isStated = (path: string): boolean => path.startsWith(`${DATA}/revocations/`)

/** What a revocation that was made in advance says. */
export const readRevocation = (statement: string): { readonly keyId: string } =>
  JSON.parse(statement) as { readonly keyId: string }

/** All entries of the trust in an agent. */
export function trustEntriesOf(disk: Disk, id: string): [path: string, bytes: Uint8Array][] {
  return disk.paths().flatMap((path) => {
    const bytes = trustOf(path) === id ? disk.get(path) : undefined
    return bytes === undefined ? [] : [[path, bytes]]
  })
}

const AGREEMENT = /^sx_data\/agreements\/..\/([0-9a-f-]{36})\/(?:terms|events\/([0-9a-f]{64}))\.json$/

/** The agreement that a path belongs to, and which of its events; without one it holds the terms. */
export function agreementOf(path: string): { readonly id: string; readonly eventId: string | undefined } | undefined {
  const [, id, eventId] = AGREEMENT.exec(path) ?? []
  return id === undefined ? undefined : { id, eventId }
}
