/**
 * `audit`: looks at an agent and at all that is stored of it, and says what is wrong. It loads the agent for verifying
 * only, for itself alone, and writes nothing.
 *
 * @module
 */

import { platform } from '#platform'
import type { AuditOptions, AuditResult } from '../../audit-types.ts'
import { decode, encode } from '../../bytes.ts'
import { closed, isCurrent } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { DEFAULT_CONFIG_PATH } from '../../home.ts'
import { documentChain } from '../../names.ts'
import { agentOptions } from '../../options.ts'
import type { Config, Home } from '../../platform.ts'
import { type AgentPlace, entrance, type Loaded, type Session } from '../../session.ts'
import type { AgentOptions } from '../../types.ts'
import { close } from '../closing.ts'
import { load } from '../load.ts'
import { checkStorage, openHome, parseConfig, readNaming } from '../naming.ts'
import { auditDocuments } from './documents.ts'
import { auditKeys } from './keys.ts'
import { auditPassword } from './password.ts'
import { Report } from './report.ts'
import { auditTrust } from './trust.ts'

/** `audit` */
export function* audit(given: AuditOptions): Operation<AuditResult> {
  const { configPath = DEFAULT_CONFIG_PATH, recentN, ...others } = given
  if (recentN !== undefined && !(Number.isSafeInteger(recentN) && recentN >= 0)) {
    throw new SxError('InvalidOption', "'recentN' is not a non-negative integer.")
  }
  const options = agentOptions(others)
  const home = yield* openHome(options, configPath)
  const report = new Report()
  let config: Config | undefined
  yield* report.look('configuration', 'The configuration names an agent and has no unknown fields.', function* () {
    config = yield* auditConfig(report, options, home)
  })
  if (config === undefined) return report.result()
  const place: AgentPlace = { home, config, directories: home.open(config) }
  const { keys, data } = place.directories
  report.isCopy = !((yield* perform(isCurrent(keys))) && (yield* perform(isCurrent(data))))
  try {
    yield* auditFiles(report, place)
    yield* auditAgent(report, options, place, recentN)
    yield* auditStorage(report, options)
  } finally {
    yield* perform(closed(place.directories))
  }
  return report.result()
}

function* auditConfig(report: Report, options: AgentOptions, home: Home): Operation<Config | undefined> {
  const naming = yield* readNaming(home)
  if (naming === undefined) throw new SxError('NotFound', `There is no configuration at ${home.configPath}.`)
  const { bytes, config, agent } = naming
  const fields = JSON.parse(decode(bytes, 'The configuration')) as Record<string, unknown>
  for (const name of Object.keys(fields).filter((name) => !isField(name))) {
    const message = `The configuration has an unknown field '${name}'. Remove it or correct its name.`
    report.risk('low', 'UnknownConfigField', name, message)
  }
  if (config.password !== null) {
    const message =
      'The configuration contains the password of the private key. Remove it, and set the environment variable SX_PRIVATE_KEY_PASSWORD instead.'
    report.risk('medium', 'PasswordInConfig', home.configPath, message)
  }
  checkStorage(options, config)
  if (agent !== undefined) return config
  throw new SxError('InvalidConfig', "The configuration names no agent in 'sxAgentIdAndVersion'.")
}

/** Whether the core reads a field: of those alone it refuses a value of another type. */
function isField(name: string): boolean {
  try {
    parseConfig(encode(JSON.stringify({ [name]: 0 })))
    return false
  } catch (error) {
    if (error instanceof SxError && error.code === 'InvalidConfig') return true
    throw error
  }
}

/** Files that others may read or change, and what writes that broke off have left. */
function* auditFiles(report: Report, { home, config }: AgentPlace): Operation<void> {
  const found = home.inspect === undefined ? undefined : yield* perform(home.inspect(config))
  // oxlint-disable-next-line require-yield -- all is known already
  yield* report.look('permissions', 'Only the owner can read the keys and change the stored data.', function* () {
    if (found === undefined) report.skip('This storage has no file permissions.')
    for (const { path, mode, why } of found?.loose ?? []) {
      const message = `${path} has the permissions ${mode.toString(8).padStart(4, '0')}: ${why}`
      report.risk('high', 'LooseFileMode', path, message)
    }
  })
  yield* report.look('leftovers', 'There are no remains of interrupted writes.', function* () {
    for (const path of found?.leftovers ?? []) {
      report.risk('low', 'Unfinished', path, `${path} remains from an interrupted write. The next write removes it.`)
    }
    const claim = yield* perform(home.readClaim)
    if (claim === undefined) return
    const message = 'An agent was created here, but its configuration is not written yet. The next load writes it.'
    report.risk('low', 'Unfinished', home.configPath, message)
  })
}

/** What needs the agent's document and keys. */
function* auditAgent(
  report: Report,
  options: AgentOptions,
  place: AgentPlace,
  recentN: number | undefined,
): Operation<void> {
  const session: Session = { options: {}, loaded: undefined }
  const { password: _, signer: __, ...verifying } = options
  let loaded: Loaded | undefined
  yield* report.look('agent', 'The agent document exists and is signed by its key.', function* () {
    loaded = yield* load(entrance(session), place.home.configPath, { ...verifying, verifyOnly: true })
    report.agentId = loaded.id
    const { missing } = loaded.own
    if (missing === undefined) return
    const found = `Version ${missing} of the agent document is missing. It existed when a revocation was applied.`
    const entry = documentChain(loaded.id).entry(missing).join('/')
    report.absence(entry, 'high', 'Rollback', loaded.id, `${found} Restore it from a backup.`)
  })
  if (loaded === undefined) {
    yield* auditPassword(report, options, place, options.signer === undefined ? 'untried' : 'external')
    return
  }
  try {
    yield* auditKeys(report, options, loaded)
    yield* auditDocuments(report, loaded, recentN)
    yield* auditTrust(report, loaded)
  } finally {
    yield* perform(closed({ close: () => close(session) }))
  }
}

function* auditStorage(report: Report, { storage }: AgentOptions): Operation<void> {
  // oxlint-disable-next-line require-yield -- nothing is awaited
  yield* report.look('storage', 'Only its owner can delete the stored data.', function* () {
    if (storage !== undefined) {
      report.skip('The storage was passed by the caller, who decides how long it lasts.')
      return
    }
    if (platform.isPersisted === undefined || platform.isPersisted() === true) return
    const message =
      'The browser may delete the data of this page when space runs out. Request persistence (navigator.storage.persist) and keep a backup (exportStore).'
    report.risk('medium', 'NotPersisted', 'IndexedDB', message)
  })
}
