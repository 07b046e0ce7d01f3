/** Where things stand in a storage. The core has the rules (protocol, section 12); here their results become keys. */
import * as core from '#core'
import { call } from './core.ts'
import { SxError } from './errors.ts'
import type { Key } from './storage/contract.ts'

interface Names {
  readonly documents: string
  readonly trust: string
  readonly revocations: string
  readonly output: string
  readonly passwordFile: string
  readonly staging: string
  readonly witnessed: string
  readonly agreements: string
}

let known: Names | undefined

/** Names of the storage's top entries. */
export function names(): Names {
  known ??= JSON.parse(call(() => core.storageNames())) as Names
  return known
}

/** A document's id, with or without one of its versions. */
export interface DocumentKey {
  readonly id: string
  readonly version: string | null
}

/** Longer than any `id:version`. */
const LONGEST_KEY = 80

/**
 * Reads `id` or `id:version`.
 *
 * @throws SxError `InvalidId`
 */
export function parseKey(key: unknown): DocumentKey {
  if (typeof key !== 'string' || key.length > LONGEST_KEY) throw new SxError('InvalidId')
  return JSON.parse(call(() => core.documentKey(key))) as DocumentKey
}

/**
 * An id of an agent or a document, without a version.
 *
 * @throws SxError `InvalidId`
 */
export function parseId(id: unknown): string {
  const parsed = parseKey(id)
  if (parsed.version !== null) throw new SxError('InvalidId')
  return parsed.id
}

const split = (name: string): Key => name.split('/')

/** The names of a chain's entries and hints (protocol, section 12). */
export interface ChainNames {
  /** What the chain is of, for people. */
  readonly label: string
  /** The entry of a number. */
  readonly entry: (number: number) => Key
  /** The hint where to begin looking for the latest entry. */
  readonly latest: () => Key
  /** The hint which number a version has. */
  readonly index?: (version: string) => Key
}

/** The chain of a document's versions. */
export function documentChain(id: string): ChainNames {
  return {
    label: `the document ${id}`,
    entry: (number) => split(call(() => core.documentEntry(id, number))),
    latest: () => split(call(() => core.documentLatest(id))),
    index: (version) => split(call(() => core.documentIndex(id, version))),
  }
}

/** Where the terms of an agreement stand, or one of its events. */
export function agreementEntry(id: string, eventId?: string): Key {
  return split(call(() => core.agreementEntry(id, eventId)))
}

/** Where the intent stands to rotate an agent's key in the version of this number. */
export function rotationIntent(agentId: string, number: number): Key {
  return split(call(() => core.rotationIntent(agentId, number)))
}

/** The chain of the decisions whether an agent is trusted. */
export function trustChain(agentId: string): ChainNames {
  return {
    label: `the trust in ${agentId}`,
    entry: (number) => split(call(() => core.trustEntry(agentId, number))),
    latest: () => split(call(() => core.trustLatest(agentId))),
  }
}

/** The revocation of this number that a key of the agent itself has stated. */
export function revocationEntry(agentId: string, number: number): Key {
  return split(call(() => core.revocationEntry(agentId, number)))
}

/** The chain of the witnesses, which say which decisions on an agent count; in the key directory. */
export function witnessChain(agentId: string): ChainNames {
  return {
    label: `the witnesses of the trust in ${agentId}`,
    entry: (number) => split(call(() => core.trustWitnessEntry(agentId, number))),
    latest: () => split(call(() => core.trustWitnessLatest(agentId))),
  }
}

/** What the name of an entry of a document's or a decision's chain says, if it is one. People may keep other things there. */
export function readEntryName(name: string | undefined): { id: string; number: number } | undefined {
  return readName(name, false)
}

/** What the name of a witness says, if it is one. */
export function readWitnessName(name: string | undefined): { id: string; number: number } | undefined {
  return readName(name, true)
}

function readName(name: string | undefined, isWitness: boolean): { id: string; number: number } | undefined {
  if (name === undefined) return undefined
  const read = call(() => core.readEntryName(name, isWitness))
  return read === undefined ? undefined : (JSON.parse(read) as { id: string; number: number })
}

/** The file of an agent's public key in a key directory. */
export function publicKeyFile(agentId: string): [string] {
  return [call(() => core.publicKeyFile(agentId))]
}

/** The name of a file as names are compared: macOS can write the same one with other code points. */
export const composed = (name: string): string => name.normalize('NFC')
