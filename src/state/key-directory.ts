import { type Effect, type Operation, perform } from '../effects.ts'
import { get, storing } from '../home.ts'
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

/** Opens a key directory; where it cannot be read at once, what it holds now is remembered for synchronous calls. */
export function openKeyDirectory(keys: Storage): Effect<KeyDirectory> {
  return storing(
    async () => new KeyDirectory(keys, isSyncStorage(keys) ? undefined : await copied(keys)),
    () => new KeyDirectory(requireSync(keys), undefined),
  )
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
  get refreshed(): Effect<void> {
    return storing(
      async () => {
        if (this.#copy !== undefined) this.#copy = await copied(this.#keys)
      },
      () => {
        if (this.#copy !== undefined) requireSync(this.#keys)
      },
    )
  }

  /** The PEM file of an agent, if there is one. */
  *read(agentId: string): Operation<Uint8Array | undefined> {
    const file = publicKeyFile(agentId)
    const copy = this.#copy
    if (copy === undefined) return yield* perform(get(this.#keys, file))
    return yield* perform(
      storing(
        async () => {
          const pem = foundBytes(await this.#keys.get(file))
          if (pem === undefined) copy.deleteSync(file)
          else copy.putSync(file, pem)
          return pem
        },
        () => copy.getSync(file),
      ),
    )
  }
}
