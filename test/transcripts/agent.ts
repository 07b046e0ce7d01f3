// The agent that the operations are called on: the same in every run.
import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage, type SyncStorage } from 'sx-agent/storage'
import { beginning, sessionOf } from '../../src/api/form.ts'
import { type Operation, type Performers, performers, runAsync, runSync } from '../../src/effects.ts'
import { agreementsBy } from '../conformance/cases/twins.mjs'
import { keyFiles, password } from '../conformance/key-files.mjs'
import { entries, watched } from '../conformance/world.mjs'
import agents from '../vectors/agents.json' with { type: 'json' }

/** What there is before an operation is called. */
export interface State {
  readonly store: SyncStorage
  readonly agentId: string
  readonly agentText: string
  /** A document of two versions. */
  readonly id: string
  readonly raw: string
  readonly exact: string
  readonly older: string
  readonly backup: Uint8Array
  readonly artifact: string
  /** See `agreementsBy` of the cases of twins. */
  readonly terms: object
  readonly agreement: object
  readonly foreign: string | undefined
  /** The artifact with an agreement, which is not signed, and with its signature. */
  readonly asked: string
  readonly agreed: string
}

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

/**
 * A runtime whose time and randomness are the same in every run: a second for each look, other bytes for each draw.
 *
 * @param from the number of the first of both
 */
export function fixed(from = 0): Performers {
  let looks = from
  let draws = from
  const now = (): number => START + 1000 * looks++
  const random = ({ length }: { readonly length: number }): Uint8Array => {
    draws++
    return Uint8Array.from({ length }, (_, at) => (draws * 31 + at * 7) & 255)
  }
  return { ...performers, now: { async: now, sync: now }, random: { async: random, sync: random } }
}

/** A storage that has nothing of the library's own, as another runtime's has not. */
const plain = (store: SyncStorage): SyncStorage => watched(store, () => {})

function copy(store: SyncStorage): SyncStorage {
  const fresh = memoryStorage()
  for (const [key, bytes] of entries(store)) fresh.putSync(key.split('/'), bytes)
  return fresh
}

/** An agent whose operations somebody else drives. */
interface Driven {
  call(name: string, ...given: unknown[]): Operation<unknown>
  /** Its own document, once it is loaded. */
  document(): string
}

/** An agent on a storage, not loaded yet. */
export function agentOn(storage: SyncStorage): Driven {
  const agent = new SxAgent({ storage, password, env: {} })
  const session = sessionOf(agent)
  return {
    call: (name, ...given) => beginning(Reflect.get(agent, name) as object, session, given),
    document: () => agent.exportAgent(),
  }
}

async function make(isRotated: boolean): Promise<State> {
  const table = fixed(-100)
  const store = memoryStorage()
  const run = (operation: () => Operation<unknown>): Promise<unknown> => runAsync(operation, table)
  const { plain: pem, encrypted } = await keyFiles('ed25519', 'Transcript')
  const creating = { name: 'Twin', password, storage: store, importKey: { pem }, env: {} }
  const session = { options: {}, loaded: undefined }
  const { agentId } = (await run(() => beginning(simple.create, session, [creating]))) as { agentId: string }
  store.putSync(['sx_keys', 'sx.private.pem'], new TextEncoder().encode(encrypted))
  const agent = agentOn(store)
  await run(() => agent.call('load'))
  await run(() => agent.call('trustAgent', agents.agents[0]?.raw))
  const first = (await run(() => agent.call('createDocument', '{"content":{"a":0}}'))) as string
  const { sxId: id = '', sxVersion: version = '' } = JSON.parse(first) as Record<string, string>
  const raw = (await run(() => agent.call('updateDocument', id, '{"a":1}'))) as string
  const draft = (await run(() => agent.call('signArtifact', '1', 'draft'))) as string
  const artifact = (await run(() => agent.call('signArtifact', '2', 'result', `[${draft}]`))) as string
  const backup = (await run(() => agent.call('exportStore'))) as Uint8Array
  if (isRotated) await run(() => agent.call('rotateKey'))
  const agentText = agent.document()
  const exact = `${id}:${(JSON.parse(raw) as Record<string, string>)['sxVersion']}`
  const asked = (await run(() => agent.call('createAgreement', artifact, [agentId], 'Do you agree?'))) as string
  const agreed = (await run(() => agent.call('signAgreement', asked))) as string
  const later = agentOn(plain(copy(store))) // the storage stays as it is
  runSync(() => later.call('load'), table)
  const { terms, make } = agreementsBy((name, ...given) => runSync(() => later.call(name, ...given), table), agentId)
  const agreements = { terms, agreement: make(), foreign: agents.agents[0]?.agentId }
  const made = { store, agentId, agentText, id, raw, exact, older: `${id}:${version}`, backup, artifact }
  return { ...made, asked, agreed, ...agreements }
}

const made = new Map<boolean, Promise<State>>()

/** The state, on a storage of one's own. @param isRotated whether the key was rotated: only an earlier one can be revoked */
export async function freshState(isRotated: boolean): Promise<State> {
  const known = made.get(isRotated) ?? make(isRotated)
  made.set(isRotated, known)
  const state = await known
  return { ...state, store: plain(copy(state.store)) }
}
