import { type Effect, type Operation, perform } from '../effects.ts'
import { get, storing } from '../home.ts'
import { publicKeyFile } from '../names.ts'
import { isSyncStorage, requireSync, type Storage, type SyncStorage } from '../storage/contract.ts'
import { memoryStorage } from '../storage/memory.ts'

/** Opens a key directory; where it cannot be read at once, what it holds now is remembered for synchronous calls. */
export function openKeyDirectory(keys: Storage): Effect<KeyDirectory> {
  return storing(
    async () => new KeyDirectory(keys, isSyncStorage(keys) ? undefined : await copied(keys)),
    () => new KeyDirectory(requireSync(keys), undefined),
  )
}

/** The public keys only: the private key stays where it is. */
async function copied(keys: Storage): Promise<SyncStorage> {
  const copy = memoryStorage()
  for await (const key of keys.list([])) {
    if (key.length !== 1 || !key[0]?.endsWith('.public.pem')) continue
    const bytes = await keys.get(key)
    if (bytes !== undefined) copy.putSync(key, bytes)
  }
  return copy
}

/** Other agents' public keys, each in a file of its agent's name. */
export class KeyDirectory {
  readonly #keys: Storage
  /** What it held when it was read last, where it cannot be read at once. */
  readonly #copy: SyncStorage | undefined

  constructor(keys: Storage, copy: SyncStorage | undefined) {
    this.#keys = keys
    this.#copy = copy
  }

  /** The PEM file of an agent, if there is one. */
  *read(agentId: string): Operation<Uint8Array | undefined> {
    const file = publicKeyFile(agentId)
    const copy = this.#copy
    if (copy === undefined) return yield* perform(get(this.#keys, file))
    return yield* perform(
      storing(
        async () => {
          const pem = await this.#keys.get(file)
          if (pem === undefined) copy.deleteSync(file)
          else copy.putSync(file, pem)
          return pem
        },
        () => copy.getSync(file),
      ),
    )
  }
}
