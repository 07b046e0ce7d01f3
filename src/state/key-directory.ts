import { get, storing } from '../effects/entries.ts'
import { type EffectOf, type Operation, perform } from '../effects.ts'
import { publicKeyFile } from '../names.ts'
import {
  foundBytes,
  foundKeys,
  isSyncStorage,
  type Key,
  requireSync,
  type Storage,
  type SyncStorage,
} from '../storage/contract.ts'
import { memoryStorage } from '../storage/memory.ts'

const COPY_KEYS = /* @__PURE__ */ storing('copyKeys', {
  async: async ({ storage }) => (isSyncStorage(storage) ? undefined : await copied(storage)),
  sync: ({ storage }) => void requireSync(storage),
})

/** Opens a key directory; where it cannot be read at once, what it holds now is remembered for synchronous calls. */
export function* openKeyDirectory(keys: Storage): Operation<KeyDirectory> {
  const copying: EffectOf<'copyKeys'> = { kind: COPY_KEYS, storage: keys }
  return new KeyDirectory(keys, yield* perform(copying))
}

/** Sorts after most names in a folder. */
const LAST = /* @__PURE__ */ 'z'.repeat(128)

/** The public keys only: the private key stays where it is. Folders in the key directory are stepped over. */
async function copied(keys: Storage): Promise<SyncStorage> {
  const copy = memoryStorage()
  let after: Key | undefined
  let folder: string | undefined
  for (;;) {
    let isDone = true
    for await (const key of foundKeys(keys.list([], after === undefined ? {} : { after }))) {
      const [name = ''] = key
      if (key.length > 1) {
        if (name === folder) continue
        folder = name
        after = [name, LAST]
        isDone = false
        break
      }
      if (!name.endsWith('.public.pem')) continue
      const bytes = foundBytes(await keys.get(key))
      if (bytes !== undefined) copy.putSync(key, bytes)
    }
    if (isDone) return copy
  }
}

/** Other agents' public keys, each in a file of its agent's name. */
export class KeyDirectory {
  readonly #keys: Storage
  /** What it held when it was read last, where it cannot be read at once. */
  #copy: SyncStorage | undefined

  constructor(keys: Storage, copy: SyncStorage | undefined) {
    this.#keys = keys
    this.#copy = copy
  }

  /** Has synchronous calls show what it holds now. */
  async refresh(): Promise<void> {
    if (this.#copy !== undefined) this.#copy = await copied(this.#keys)
  }

  /** {@link refresh} where there is nothing to wait for. */
  refreshSync(): void {
    if (this.#copy !== undefined) requireSync(this.#keys)
  }

  /** The PEM file of an agent, if there is one. */
  read(agentId: string): Operation<Uint8Array | undefined> {
    const key = publicKeyFile(agentId)
    return perform(this.#copy === undefined ? get(this.#keys, key) : getCopied(this.#keys, this.#copy, key))
  }
}

function getCopied(storage: Storage, copy: SyncStorage, key: Key): EffectOf<'getCopied'> {
  return { kind: GET_COPIED, storage, copy, key }
}

const GET_COPIED = /* @__PURE__ */ storing('getCopied', {
  async: async ({ storage, copy, key }) => {
    const pem = foundBytes(await storage.get(key))
    if (pem === undefined) copy.deleteSync(key)
    else copy.putSync(key, pem)
    return pem
  },
  sync: ({ copy, key }) => copy.getSync(key),
})
