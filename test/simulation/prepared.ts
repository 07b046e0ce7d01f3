import type { AgreementCopy, AgreementTerms, Bytes } from '../../src/types.ts'
import { Disk } from './disk.ts'
import { foreignDocuments } from './foreign.ts'
import { Actor } from './history.ts'
import { agreementOf } from './layout.ts'
import { type Agent, CONFIG, type Library, type Made, type Opened } from './process.ts'
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

/** The prepared agent and a second one, which trust each other, and their agreements. */
interface PreparedAgreements {
  readonly disk: Disk
  /** The ids of the agents: of {@link CONFIG}, and of {@link SECOND}. */
  readonly agents: readonly string[]
  /** Copies that are not stored, of agreements that were proposed and commented on. */
  readonly copies: readonly string[]
}

/** Where the configuration of the second agent stands. */
export const SECOND = './second.config.json'

interface Prepared {
  readonly disk: Disk
  readonly backup: PreparedBackup
  readonly agreements: PreparedAgreements
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
  let agreements: PreparedAgreements | undefined
  await inRuntime(source, async () => {
    const { storage } = observer(disk)
    const agent = library.agent({ storage, password: PASSWORD, env: {} })
    library.now(agent, 'create', [{ ...PROFILE, storage, password: PASSWORD, configPath: CONFIG, env: {} }])
    const { id } = library.now(agent, 'signMessage', [{ call: 0 }]) as Made
    library.now(agent, 'updateById', [id, { call: -1 }])
    backup = backupOf(library, disk.copy())
    agreements = agreementsOn(library, disk.copy())
  })
  disk.takeChanges()
  return { disk, backup: backup as PreparedBackup, agreements: agreements as PreparedAgreements }
}

/** Terms that two agents agree to. */
export function termsFor(
  agents: readonly string[],
  title: string,
  quorum: 'all' | { m: number } = 'all',
): AgreementTerms {
  const parties = agents.map((agentId, at) => ({ partyId: `p${at}`, agentId, role: 'signer' as const }))
  return { title, terms: 'One pays. The other delivers.', termsFormat: 'text/plain', parties, policy: { quorum } }
}

/** Creates a second agent, with keys of its own and the same documents, and agreements of both. */
function agreementsOn(library: Library, disk: Disk): PreparedAgreements {
  const { storage } = observer(disk)
  const agent = (): Agent => library.agent({ storage, password: PASSWORD, env: {} })
  const [first, second] = [agent(), agent()]
  const { id } = library.now(first, 'load', [CONFIG]) as Opened
  const place = { configPath: SECOND, keyDirectory: './second_keys' }
  const other = library.now(second, 'create', [
    { ...PROFILE, ...place, storage, password: PASSWORD, env: {} },
  ]) as Opened
  library.now(first, 'trustAgent', [second.document()])
  library.now(second, 'trustAgent', [first.document()])
  const agents = [id, other.id]
  const whole = disk.copy()
  const copies: string[] = []
  for (const [at, quorum] of (['all', 'all', { m: 1 }] as const).entries()) {
    const { raw } = library.now(first, 'createAgreement', [termsFor(agents, `prepared ${at}`, quorum)]) as AgreementCopy
    const { raw: proposed } = library.now(at === 1 ? second : first, 'act', [raw, 'propose', '']) as AgreementCopy
    if (at === 0) {
      const stored = disk.paths().filter((path) => agreementOf(path) !== undefined)
      for (const path of stored) whole.put(path, disk.get(path) ?? new Uint8Array())
      continue
    }
    for (const one of [first, second, second, first]) {
      copies.push((library.now(one, 'act', [proposed, 'comment', 'prepared']) as AgreementCopy).raw)
    }
  }
  whole.takeChanges()
  return { disk: whole, agents, copies }
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

/** A disk with two agents and an agreement, to be copied, and what belongs to it. */
export function preparedAgreements(): PreparedAgreements {
  if (ready === undefined) throw new Error('Nothing was prepared.')
  return ready.agreements
}
