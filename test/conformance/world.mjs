// Agents for the cases, on memory storage, so that they are the same in every runtime.
import agents from '../vectors/agents.json' with { type: 'json' }
import { keyFiles, password } from './key-files.mjs'

export { password }

/** Entries of a storage by their keys, joined. */
export function entries(store) {
  return new Map([...store.listSync([])].map((key) => [key.join('/'), store.getSync(key)]))
}

/** A storage that passes everything on, after `before` has seen it; what that throws is what the caller gets. */
export function watched(inner, before) {
  const seen =
    (method) =>
    (key, ...rest) => {
      before(method, key)
      return inner[method](key, ...rest)
    }
  return {
    capabilities: inner.capabilities,
    getSync: seen('getSync'),
    putSync: seen('putSync'),
    deleteSync: seen('deleteSync'),
    listSync: seen('listSync'),
    get: async (...given) => seen('getSync')(...given),
    put: async (...given) => seen('putSync')(...given),
    delete: async (...given) => seen('deleteSync')(...given),
    async *list(...given) {
      yield* seen('listSync')(...given)
    },
    flush: async () => {},
    close: async () => {},
  }
}

/** Runs with another function in the place of an object's own or inherited one. */
export async function replaced(object, name, value, work) {
  const before = Object.getOwnPropertyDescriptor(object, name)
  const rights = before?.configurable === false ? {} : { configurable: true, writable: true } // of those globals only the value can change
  Object.defineProperty(object, name, { value, ...rights })
  try {
    return await work()
  } finally {
    if (before === undefined) delete object[name]
    else Object.defineProperty(object, name, before)
  }
}

export function world({ main, simple, storage }) {
  const made = new Map()

  /** A copy of a storage. */
  function copy(store) {
    const fresh = storage.memoryStorage()
    for (const [key, bytes] of entries(store)) fresh.putSync(key.split('/'), bytes)
    return fresh
  }

  async function create(algorithm, name) {
    const store = storage.memoryStorage()
    const { plain, encrypted } = await keyFiles(algorithm, name)
    const { agentId } = await simple.create({ name, password, storage: store, importKey: { pem: plain } })
    store.putSync(['sx_keys', 'sx.private.pem'], new TextEncoder().encode(encrypted))
    return { store, agentId }
  }

  /** The storage of an agent as it was when it was created; each name is another agent. */
  async function stored(algorithm, name) {
    const key = `${algorithm} ${name}`
    if (!made.has(key)) made.set(key, create(algorithm, name))
    const { store, agentId } = await made.get(key)
    return { store: copy(store), agentId }
  }

  /** An agent on such a storage. */
  async function open(algorithm, name, options = {}) {
    const { store, agentId } = await stored(algorithm, name)
    const agent = new main.SxAgent({ storage: store, password, ...options })
    await agent.load()
    return { agent, store, agentId }
  }

  /** An agent that trusts those of the vectors. */
  async function verifier(options) {
    const opened = await open('ed25519', 'Verifier', options)
    for (const { raw } of agents.agents) opened.agent.trustAgent(raw)
    return opened
  }

  return { main, simple, storage, SxError: main.SxError, copy, stored, open, verifier }
}
