/**
 * What a process that died while it changed the password or the key has left undone: whoever loads the agent next ends it
 * (protocol, section 12).
 *
 * @module
 */
import * as core from '#core'
import { letPass } from '../belated.ts'
import { decode, encode } from '../bytes.ts'
import { call } from '../core.ts'
import { get, put } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { documentChain, publicKeyFile } from '../names.ts'
import type { AgentPlace, Loaded } from '../session.ts'
import { isPending } from '../state/chain.ts'
import type { AgentDocument } from '../state/own-document.ts'
import { decideNext, type KeyAtRest, type KeyPlace, pemFor, readKey, settleKey } from '../state/private-key.ts'
import type { AgentOptions } from '../types.ts'
import { configWith, type PasswordSource, readSaved, vaultOf, writeSaved } from './password.ts'

/** The password that has opened the key, and where it comes from. */
export interface UsedPassword {
  readonly password: string
  readonly source: PasswordSource
}

/**
 * Ends what a process that died while it changed the password or the key has left to do. A storage that takes no writes
 * is left as it is: what counts is what the latest record and the agent document say.
 */
export function* tidy(
  { place, own, documents }: Loaded,
  keyPlace: KeyPlace,
  key: KeyAtRest,
  { password, source }: UsedPassword,
): Operation<void> {
  const { current } = own
  try {
    const isLasting = !isPending(documents.storage, documentChain(current.id), current.number)
    const decided = isLasting ? yield* decideNext(keyPlace, key, current) : key
    if (decided === undefined) return // whoever has replaced it ends it
    yield* settleKey(keyPlace, decided)
    yield* settlePublicKeys(place, current)
    if (key.saved !== password) return
    if (source === 'file' && (yield* readSaved(place)) !== password) yield* writeSaved(place, password)
    const { password: configured } = place.config
    if (source !== 'config' || configured === null || configured === password) return
    const config = yield* configWith(place, configured, password)
    if (config !== undefined) yield* perform(place.home.replaceConfig(config))
  } catch (error) {
    letPass(error)
  }
}

/**
 * Drops the private keys that the agent document has decided about, and brings the copies up to date. What fails the next
 * start does again.
 */
export function* settleKeys({ place, own, signing, documents }: Loaded, keyPlace: KeyPlace): Operation<void> {
  const { current } = own
  if (isPending(documents.storage, documentChain(current.id), current.number)) return
  const isExternal = signing?.external !== undefined
  try {
    for (;;) {
      const key = yield* readKey(keyPlace)
      // What its owner has put beside a key that an external signer has is not the agent's.
      if (key === undefined || (isExternal && pemFor(key, current) !== undefined)) break
      const decided = yield* decideNext(keyPlace, key, current)
      if (decided === undefined) continue // somebody else has replaced it
      yield* settleKey(keyPlace, decided)
      break
    }
    yield* settlePublicKeys(place, current)
  } catch (error) {
    letPass(error)
  }
}

/** Has the public key files hold the current key where they hold an earlier one of the agent. */
function* settlePublicKeys(
  { config, directories }: AgentPlace,
  { id, keyId, keyIds, publicKey }: AgentDocument,
): Operation<void> {
  if (keyIds.length === 1) return
  for (const file of [[config.publicKeyFilename], publicKeyFile(id)]) {
    const bytes = yield* perform(get(directories.keys, file))
    const there = bytes && publicKeyIdOf(bytes)
    if (there === undefined || there === keyId || !keyIds.includes(there)) continue
    yield* perform(put(directories.keys, file, encode(publicKey)))
  }
}

/** The key id of a public key file; nothing of what is none. */
export function publicKeyIdOf(bytes: Uint8Array): string | undefined {
  try {
    return call(() => core.publicKeyId(decode(bytes, 'The public key file')))
  } catch (error) {
    letPass(error)
    return undefined
  }
}

/**
 * Drops the passwords that the page keeps and that a change of the password, which broke off, has left: they open
 * nothing. An agent whose password was never changed here may have come from a backup, and they open another one.
 */
export function* dropKept(
  options: AgentOptions,
  place: AgentPlace,
  keyPlace: KeyPlace,
  { number, pem }: KeyAtRest,
  password: string,
): Operation<void> {
  const vault = vaultOf(options)
  if (vault === undefined || number === 1) return
  try {
    const kept = yield* perform(vault.read(place.home.configPath))
    if (kept.length === 0 || kept.includes(password)) return // that one may just be followed by another
    if ((yield* readKey(keyPlace))?.pem !== pem) return // they may be those of another key by now
    for (const one of kept) yield* perform(vault.drop(place.home.configPath, one))
  } catch (error) {
    letPass(error)
  }
}
