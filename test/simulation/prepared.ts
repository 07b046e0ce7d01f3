import type { Bytes } from '../../src/types.ts'
import { Disk } from './disk.ts'
import { foreignDocuments } from './foreign.ts'
import { Actor } from './history.ts'
import { CONFIG, type Library, type Made, type Opened } from './process.ts'
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

/** A backup of the prepared agent. */
export interface PreparedBackup {
  readonly id: string
  readonly bytes: Bytes
}

interface Prepared {
  readonly disk: Disk
  readonly backup: PreparedBackup
}

let prepared: Promise<Prepared> | undefined
let ready: Prepared | undefined

async function prepare(library: Library): Promise<Prepared> {
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
  let backup: PreparedBackup | undefined
  await inRuntime(source, async () => {
    const { storage } = observer(disk)
    const agent = library.agent({ storage, password: PASSWORD, env: {} })
    library.now(agent, 'create', [{ ...PROFILE, storage, password: PASSWORD, configPath: CONFIG, env: {} }])
    const { id } = library.now(agent, 'signMessage', [{ call: 0 }]) as Made
    library.now(agent, 'updateById', [id, { call: -1 }])
    backup = backupOf(library, disk.copy())
  })
  disk.takeChanges()
  return { disk, backup: backup as PreparedBackup }
}

/** Makes a backup once the agent trusts another one. */
function backupOf(library: Library, disk: Disk): PreparedBackup {
  const agent = library.agent({ storage: observer(disk).storage, password: PASSWORD, env: {} })
  const { id } = library.now(agent, 'load', [CONFIG]) as Opened
  library.now(agent, 'trustAgent', [foreignDocuments[0] ?? ''])
  return { id, bytes: library.now(agent, 'exportStore', [PASSWORD]) as Bytes }
}

/** A disk with an agent and a document of two versions; made once. */
export async function preparedDisk(library: Library): Promise<Disk> {
  prepared ??= prepare(library)
  ready = await prepared
  return ready.disk.copy()
}

/** A backup of the prepared agent, which trusts another one. No seed has a part in it: the first one is as the others. */
export function preparedBackup(): PreparedBackup {
  if (ready === undefined) throw new Error('Nothing was prepared.')
  return ready.backup
}
