/**
 * `repairStore`: the way on for a copy of a store that was made while somebody wrote. Hints then name entries that the
 * copy lacks, which is `Rollback` for good. Who repairs it says that the rollback is meant.
 *
 * @module
 */
import { encode } from '../bytes.ts'
import { type Operation, perform } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { DEFAULT_CONFIG_PATH, get, putHint, remove } from '../home.ts'
import { type ChainNames, documentChain, names, trustChain } from '../names.ts'
import { REPAIR_OPTIONS } from '../option-names.ts'
import { agentOptions, plainOptions } from '../options.ts'
import type { AgentPlace } from '../session.ts'
import { hole, readEntry, readHint } from '../state/chain.ts'
import { openTrust } from '../state/trust-store.ts'
import { isDamaged, isWitnessed, readCounting, type TrustPlace } from '../state/trust-witness.ts'
import type { Key, Storage } from '../storage/contract.ts'
import type { RepairedChain, RepairOptions, RepairResult, StoreProblem } from '../types.ts'
import { eachChain, gapOf, lastOf, type StoredChain } from './audit/chains.ts'
import { checkStorage, type NamedAgent, openHome, openStores, readNaming } from './load.ts'
import { stagedDocument } from './staging.ts'
import { flushed, released } from './store.ts'

interface Findings {
  readonly repaired: RepairedChain[]
  readonly problems: StoreProblem[]
}

/** `repairStore` */
export function* repairStore(given: RepairOptions): Operation<RepairResult> {
  const { configPath = DEFAULT_CONFIG_PATH, storage } = plainOptions(given, REPAIR_OPTIONS)
  const options = agentOptions(storage === undefined ? {} : { storage })
  const home = yield* openHome(options, configPath)
  const naming = yield* readNaming(home)
  if (naming === undefined) throw new SxError('NotFound', `There is no configuration at ${home.configPath}.`)
  const { config, agent } = naming
  checkStorage(options, config)
  if (agent === undefined) {
    throw new SxError('InvalidConfig', "The configuration names no agent in 'sxAgentIdAndVersion'.")
  }
  const place: AgentPlace = { home, config, directories: home.open(config) }
  const findings: Findings = { repaired: [], problems: [] }
  try {
    const { directories } = place
    const { data } = directories
    yield* eachChain(data, names().documents, documentChain, (chain) =>
      repair(directories, chain, 'document', findings),
    )
    yield* eachChain(data, names().trust, trustChain, (chain) => repair(directories, chain, 'trust', findings))
    yield* checkAgent(place, agent, findings)
    yield* perform(flushed(place))
  } finally {
    yield* perform(released(place))
  }
  const { repaired, problems } = findings
  return Object.freeze({
    configPath: home.configPath,
    repaired: Object.freeze(repaired.map((one) => Object.freeze(one))),
    problems: Object.freeze(problems.map((one) => Object.freeze(one))),
  })
}

/** Has the hints of a chain name what is there, and says what is gone. Entries stay as they are. */
function* repair(
  place: TrustPlace,
  chain: StoredChain,
  kind: RepairedChain['kind'],
  { repaired, problems }: Findings,
): Operation<void> {
  const { id, hints } = chain
  const { data } = place
  const to = lastOf(chain)
  const chainNames = kind === 'trust' ? trustChain(id) : documentChain(id)
  const gap = gapOf(chain)
  if (gap !== undefined) {
    const { code, found } = hole(chainNames, gap)
    const advice = 'It cannot be repaired here: restore a backup, or copy the store again.'
    problems.push({ code, subject: id, message: `${found} ${advice}` })
  }
  let from = to
  for (const key of hints) from = Math.max(from, yield* repairHint(data, key, chainNames, to))
  if (from === to) return
  repaired.push({ id, kind, from, to })
  if (kind === 'trust') yield* takeBack(place, id, problems)
}

/**
 * Repairs a hint that names an entry which is not there.
 *
 * @returns the number of that entry; 0 if the hint is right
 */
function* repairHint(data: Storage, key: Key, chainNames: ChainNames, last: number): Operation<number> {
  const number = yield* readHint(data, key)
  // A hint is written after its entry: what came while the store was listed is there now.
  if (number <= last || (yield* readEntry(data, chainNames, number)) !== undefined) return 0
  const isLatest = key.at(-1) === chainNames.latest().at(-1)
  // There is none for the first entry, and none for a version that is gone.
  if (isLatest && last > 1) yield* perform(putHint(data, key, encode(String(last))))
  else yield* perform(remove(data, key))
  return number
}

/**
 * The decision that is lost may have taken trust back, so no earlier one counts. One that no witness names has never
 * counted.
 */
function* takeBack({ keys, data }: TrustPlace, id: string, problems: StoreProblem[]): Operation<void> {
  const trust = yield* openTrust(keys, data, '')
  try {
    if ((yield* isWitnessed({ keys, data })) && (yield* isWhole({ keys, data }, id))) return
    if (!(yield* trust.remove(id))) return
    yield* perform({ kind: 'storage', async: () => trust.flush(), sync: () => {} })
  } finally {
    yield* perform({ kind: 'storage', async: () => trust.close(), sync: () => void trust.close().catch(() => {}) })
  }
  const message = `The latest decision about the agent ${id} is lost, so it is trusted no more. Trust it again if you do.`
  problems.push({ code: 'Rollback', subject: id, message })
}

/** Whether the decision is there that has the latest witness, if there is one. */
function* isWhole(place: TrustPlace, id: string): Operation<boolean> {
  try {
    yield* readCounting(place, id)
    return true
  } catch (error) {
    if (!isDamaged(error)) throw error
    return false
  }
}

/** Says whether the agent that the configuration names can be opened. */
function* checkAgent(place: AgentPlace, { id, version }: NamedAgent, { problems }: Findings): Operation<void> {
  const { ring, documents } = openStores({}, place)
  const report = (code: StoreProblem['code'], found: string): void => {
    const advice = `Restore a backup in another place, or copy the store of the agent ${id} again.`
    problems.push({ code, subject: id, message: `${found} ${advice}` })
  }
  try {
    if ((yield* perform(get(documents.storage, documentChain(id).entry(1)))) === undefined) {
      if ((yield* stagedDocument(place, id)) !== undefined) return // the next start moves it
      report('NotFound', 'The document of the agent that the configuration names is missing.')
    } else if ((yield* documents.exact(id, version)) === undefined) {
      const what = `The configuration names version ${version} of the agent document`
      report('Rollback', `${what}, which is missing.`)
    }
  } catch (error) {
    if (!(error instanceof SxError && isVerdict(error.code))) throw error
    report(error.code, error.found)
  } finally {
    ring.dispose()
  }
}
