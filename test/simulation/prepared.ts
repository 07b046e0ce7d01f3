import { Disk } from './disk.ts'
import { Actor } from './history.ts'
import { CONFIG, type Library, type Made } from './process.ts'
import { Random } from './random.ts'
import { inRuntime } from './runtime.ts'
import { immediateStorage } from './storages.ts'

/** The password of the prepared agent. */
export const PASSWORD = 'the first password'
/** What agents are called. */
export const PROFILE = { name: 'Billing', domain: 'example.com', algorithm: 'ed25519' } as const

/** A process that nothing happens to. */
export function observer(disk: Disk): Actor {
  const ports = {
    disk,
    now: <T>(_actor: Actor, _access: string, _what: string, perform: () => T) => perform(),
    later: () => Promise.reject(new Error('An observer awaits nothing.')),
  }
  return new Actor('observer', 'server', 0, immediateStorage(ports))
}

let prepared: Promise<Disk> | undefined
let ready: Disk | undefined

async function prepare(library: Library): Promise<Disk> {
  const disk = new Disk()
  const random = new Random(0)
  const source = {
    time: () => Date.UTC(2026, 4, 1),
    fill: (bytes: Uint8Array) => random.fill(bytes),
    wake: () => {},
    unheard: (error: unknown) => {
      throw new Error('Preparing a disk fails.', { cause: error })
    },
  }
  await inRuntime(source, async () => {
    const { storage } = observer(disk)
    const agent = library.agent({ storage, password: PASSWORD, env: {} })
    library.now(agent, 'create', [{ ...PROFILE, storage, password: PASSWORD, configPath: CONFIG, env: {} }])
    const { id } = library.now(agent, 'signMessage', [{ call: 0 }]) as Made
    library.now(agent, 'updateById', [id, { call: -1 }])
  })
  disk.takeChanges()
  return disk
}

/** A disk with an agent and a document of two versions; made once. */
export async function preparedDisk(library: Library): Promise<Disk> {
  prepared ??= prepare(library)
  ready = await prepared
  return ready.copy()
}

/** The same, once it was made. */
export function preparedNow(): Disk {
  if (ready === undefined) throw new Error('No disk was prepared.')
  return ready.copy()
}
