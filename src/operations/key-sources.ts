import { decode } from '../bytes.ts'
import { call } from '../core.ts'
import { type Effect, type Operation, perform } from '../effects.ts'
import { atOnce, storing } from '../home.ts'
import type { Places } from '../platform.ts'
import type { Loaded } from '../session.ts'
import { isSyncStorage, requireSync, type Storage, type SyncStorage } from '../storage/contract.ts'
import { memoryStorage } from '../storage/memory.ts'
import { type MirroredStorage, mirrored } from '../storage/mirror.ts'
import { prefixed } from '../storage/prefix.ts'
import { names } from './names.ts'

/** Fills a ring with all that is known of an agent's keys. */
export type FindKeys = (agentId: string) => Operation<void>

/** The trust store, which is always readable at once: read into memory where the storage is not. */
export function openTrust({ data }: Places): Effect<SyncStorage | MirroredStorage> {
  const trust = prefixed(data, [names().trust])
  return storing<SyncStorage | MirroredStorage>(
    async () => (isSyncStorage(trust) ? trust : mirrored(trust)),
    () => requireSync(trust),
  )
}

/** The key directory, likewise; of other agents' keys only, not of the private key. */
export function openDirectory({ keys }: Places): Effect<SyncStorage> {
  return storing<SyncStorage>(
    async () => (isSyncStorage(keys) ? keys : copied(keys)),
    () => requireSync(keys),
  )
}

async function copied(keys: Storage): Promise<SyncStorage> {
  const copy = memoryStorage()
  for await (const key of keys.list([])) {
    if (!key.at(-1)?.endsWith('.public.pem')) continue
    const bytes = await keys.get(key)
    if (bytes !== undefined) copy.putSync(key, bytes)
  }
  return copy
}

/** Reads an agent's key file, and again what others may have changed of its trusted document. */
function read(
  { trust, directory, places: { keys } }: Loaded,
  keyFile: string,
  trustFile: string,
): Effect<Uint8Array | undefined> {
  return storing(
    async () => {
      await trust.invalidate?.([[trustFile]])
      const pem = await keys.get([keyFile])
      if (keys === directory) return pem
      if (pem === undefined) directory.deleteSync([keyFile])
      else directory.putSync([keyFile], pem)
      return pem
    },
    () => directory.getSync([keyFile]),
  )
}

/** Finds keys where a loaded agent does: its own, its trust store, its key directory. */
export function keysOf(loaded: Loaded): FindKeys {
  return function* (agentId) {
    if (agentId === loaded.id) return
    const trustFile = call((core) => core.trustFile(agentId))
    const keyFile = call((core) => core.publicKeyFile(agentId))
    const pem = yield* perform(read(loaded, keyFile, trustFile))
    // Together and right before the verdict: other verifications share the ring.
    const trusted = atOnce(() => loaded.trust.getSync([trustFile]))
    loaded.ring.set(agentId, 'trust', trusted)
    loaded.ring.set(agentId, 'directory', pem)
  }
}

/** What is known of an agent: of the loaded one its own document, of others the trusted one. */
export function knownDocument(loaded: Loaded, agentId: string): string | undefined {
  if (agentId === loaded.id) return loaded.document.text
  const file = call((core) => core.trustFile(agentId))
  const bytes = atOnce(() => loaded.trust.getSync([file]))
  return bytes && decode(bytes, `The trusted document of ${agentId}`)
}
