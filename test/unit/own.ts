// Agents on storages that can be held, for tests of what stands after their own documents.
import { SxAgent } from 'sx-agent'
import { memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'

export const password = 'correct horse battery staple'

/** A storage that has to be awaited, and counts what is read. */
export function counting(inner: SyncStorage): { storage: Storage; reads: string[] } {
  const reads: string[] = []
  const storage: Storage = {
    capabilities: { ...inner.capabilities, sync: false },
    get: (key) => {
      reads.push(key.join('/'))
      return inner.get(key)
    },
    put: (...given) => inner.put(...given),
    delete: (key) => inner.delete(key),
    list: (...given) => inner.list(...given),
    flush: () => inner.flush(),
    close: () => inner.close(),
  }
  return { storage, reads }
}

/** Stores of agents by their names; all others are copies, for to make a key takes long. */
const originals = new Map<string, SyncStorage>()

/** An agent on a storage in memory, which may already contain other agents. */
interface Begun {
  readonly agent: SxAgent
  readonly agentId: string
  readonly memory: SyncStorage
  readonly configPath: string
}

export async function begin(name = 'A', memory = memoryStorage()): Promise<Begun> {
  const configPath = `./${name}/sx.config.json`
  let original = originals.get(name)
  if (original === undefined) {
    originals.set(name, (original = memoryStorage()))
    await SxAgent.create({ name, algorithm: 'ed25519', password, storage: original, configPath })
  }
  for (const key of original.listSync([])) memory.putSync(key, original.getSync(key) ?? new Uint8Array())
  const agent = await another(memory, configPath)
  return { agent, agentId: agent.getAgentInfo()?.agentId ?? '', memory, configPath }
}

export async function another(storage: Storage, configPath: string): Promise<SxAgent> {
  const agent = new SxAgent({ storage, password })
  await agent.load(configPath)
  return agent
}

/** Something that waits until it is let through. */
export function gate(): { readonly reached: Promise<void>; pass(): Promise<void>; open(): void } {
  let [reach, open] = [(): void => {}, (): void => {}]
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const pass = (): Promise<void> => {
    reach()
    return opened
  }
  return { reached, pass, open: () => open() }
}

export const dataOf = (name: string, key: string): string[] => [name, 'sx_data', ...key.split('/')]
export const intentOf = (agentId: string, number: number): string =>
  `documents/${agentId.slice(0, 2)}/${agentId}.${number}.rotation`
