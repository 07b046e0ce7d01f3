/**
 * `repairStore`: the way on for a copy of a store that was made while somebody wrote. Hints then name entries that the
 * copy lacks, which is `Rollback` for good. Who repairs it says that the rollback is meant.
 *
 * @module
 */

import { closed, flushed, get, isCurrent } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { isVerdict, SxError } from '../errors.ts'
import { DEFAULT_CONFIG_PATH } from '../home.ts'
import { limitsText } from '../limits.ts'
import { documentChain, names } from '../names.ts'
import { agentOptions } from '../options.ts'
import type { AgentPlace } from '../session.ts'
import { readStoredAgent } from '../state/agent-identity.ts'
import type { Documents } from '../state/documents.ts'
import type { Storage } from '../storage/contract.ts'
import type { RepairOptions, RepairResult, StoreProblem } from '../types.ts'
import { eachChain, lastOf, type StoredChain } from './audit/chains.ts'
import { checkStorage, type NamedAgent, openHome, readNaming } from './naming.ts'
import { openStores } from './opening.ts'
import { type Findings, repairHints, reportGap } from './repair-hints.ts'
import { repairTrust } from './repair-trust.ts'
import { stagedDocument } from './staging.ts'
import { publicKeyIdOf } from './tidy.ts'

/** `repairStore` */
export function* repairStore(given: RepairOptions): Operation<RepairResult> {
  const { configPath = DEFAULT_CONFIG_PATH, storage } = given
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
    const { keys, data } = directories
    if (!((yield* perform(isCurrent(keys))) && (yield* perform(isCurrent(data))))) {
      // What a copy in memory has not read yet would be repaired as if it were lost.
      throw new SxError('SyncStorageUnavailable')
    }
    yield* eachChain(data, names().documents, documentChain, (chain) => repairDocument(data, chain, findings))
    yield* repairTrust(directories, findings)
    yield* checkAgent(place, agent, findings)
    yield* perform(flushed(place.directories))
  } finally {
    yield* perform(closed(place.directories))
  }
  const { repaired, problems } = findings
  return Object.freeze({
    configPath: home.configPath,
    repaired: Object.freeze(repaired.map((one) => Object.freeze(one))),
    problems: Object.freeze(problems.map((one) => Object.freeze(one))),
  })
}

/** Has the hints of a document name what is there, and says what is gone. Versions stay as they are. */
function* repairDocument(data: Storage, chain: StoredChain, findings: Findings): Operation<void> {
  const { id } = chain
  reportGap(chain, documentChain(id), findings)
  const to = lastOf(chain)
  const from = yield* repairHints(data, chain, documentChain(id))
  if (from !== to) findings.repaired.push({ id, kind: 'document', from, to })
}

type Report = (code: StoreProblem['code'], found: string) => void

/** Reports a public key file that is newer than the agent document: its key is not in the document. */
function* checkPublicKey(place: AgentPlace, documents: Documents, id: string, report: Report): Operation<void> {
  const { config, directories } = place
  const bytes = yield* perform(get(directories.keys, [config.publicKeyFilename]))
  const keyId = bytes && publicKeyIdOf(bytes)
  const latest = yield* documents.latest(id)
  if (keyId === undefined || latest === undefined) return
  const { version, keyIds } = readStoredAgent(latest.text, limitsText(undefined))
  if (keyIds.includes(keyId)) return
  const path = directories.keyPath(config.publicKeyFilename)
  const found = `The public key file ${path} contains the key ${keyId}, which the agent document (version ${version}) does not contain.`
  report('KeyMismatch', `${found} The keys are newer than the data, or belong to another agent.`)
}

/** Says whether the agent that the configuration names can be opened. */
function* checkAgent(place: AgentPlace, { id, version }: NamedAgent, { problems }: Findings): Operation<void> {
  const { ring, documents } = openStores({}, place)
  const report: Report = (code, found) => {
    const advice = `Restore a backup to another location, or copy the store of the agent ${id} again.`
    problems.push({ code, subject: id, message: `${found} ${advice}` })
  }
  try {
    if ((yield* perform(get(documents.storage, documentChain(id).entry(1)))) === undefined) {
      if ((yield* stagedDocument(place, id)) !== undefined) return // the next start moves it
      report('NotFound', 'The document of the agent that the configuration names is missing.')
    } else if ((yield* documents.exact(id, version)) === undefined) {
      const what = `The configuration names version ${version} of the agent document`
      report('Rollback', `${what}, which is missing.`)
    } else yield* checkPublicKey(place, documents, id, report)
  } catch (error) {
    if (!(error instanceof SxError && isVerdict(error.code))) throw error
    report(error.code, error.found)
  } finally {
    ring.dispose()
  }
}
