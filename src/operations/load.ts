// Loading an agent: putting together what was opened of it, and making it a session's.

import { platform } from '#platform'
import { encode } from '../bytes.ts'
import { closed } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { heldLimits, limitsText } from '../limits.ts'
import { checkLimits } from '../options.ts'
import type { Home } from '../platform.ts'
import {
  type AgentPlace,
  agentClosed,
  type Entrance,
  isShut,
  type Loaded,
  letGo,
  type Session,
  type Signing,
  wipe,
  wipeSigning,
} from '../session.ts'
import { Behind } from '../state/behind.ts'
import { openKeyDirectory } from '../state/key-directory.ts'
import { type AgentDocument, OwnDocument } from '../state/own-document.ts'
import { openTrust } from '../state/trust-store.ts'
import { groundOf } from '../storage/ground.ts'
import type { AgentInfo, AgentOptions } from '../types.ts'
import { lostError, markedAt, markLoaded } from './marker.ts'
import { checkStorage, type NamedAgent, openHome, readNaming, settleClaim } from './naming.ts'
import { keyPlaceOf, openOwn, openStores, ownDocument, type Stores } from './opening.ts'
import { forgetPasskeys, passkeysFor } from './passkey.ts'
import { finishCreation } from './staging.ts'
import { dropKept, settleKeys, tidy } from './tidy.ts'

/** `load`: opens the agent that a configuration names. The session changes only if all succeeds, and it is not closed. */
export function* load(at: Entrance, configPath: unknown, options: AgentOptions): Operation<Loaded> {
  checkLimits(options.limits)
  if (options.verifyOnly !== true) passkeysFor(options)
  const home = yield* openHome(options, configPath)
  let naming = yield* readNaming(home)
  if (naming === undefined) {
    const marker = yield* markedAt(options, home)
    if (marker !== undefined) naming = yield* readNaming(home)
    if (naming === undefined) throw marker === undefined ? missingError(home) : lostError(home, marker)
  }
  const { config, agent } = naming
  checkStorage(options, config)
  if (agent === undefined) {
    throw new SxError('InvalidConfig', "The configuration names no agent in 'sxAgentIdAndVersion'.")
  }
  return yield* loadAt(at, options, { home, config, directories: home.open(config) }, agent)
}

function missingError({ configPath }: Home): SxError {
  const advice = 'Create an agent there with quickstart, or restore a backup with importStore.'
  return new SxError('NotFound', `There is no configuration at ${configPath}.`, { advice })
}

/** Opens an agent at its place. */
export function* loadAt(at: Entrance, options: AgentOptions, place: AgentPlace, agent: NamedAgent): Operation<Loaded> {
  const { session } = at
  const stores = openStores(options, place)
  let loaded: Loaded | undefined
  try {
    loaded = yield* openAt(options, place, stores, agent)
    // Another call may have followed a later version, or a revocation, since this one has read its own.
    if (session.loaded?.id === loaded.id && session.loaded.own.isAheadOf(loaded.own)) yield* loaded.own.follow()
    if (isShut(at)) throw agentClosed()
    return enter(session, loaded)
  } catch (error) {
    if (loaded === undefined) stores.ring.dispose()
    else yield* drop(loaded)
    throw error
  }
}

/** Wipes an agent that was opened and does not become a session's. */
export function* drop(loaded: Loaded): Operation<void> {
  wipe(loaded)
  yield* perform(closed(loaded.trust))
}

function* openAt(options: AgentOptions, place: AgentPlace, stores: Stores, agent: NamedAgent): Operation<Loaded> {
  if (options.verifyOnly === true) {
    const document = yield* ownDocument(stores.documents, agent, options, place, true)
    return yield* assemble(options, place, stores, agent.id, document)
  }
  yield* settleClaim(place.home)
  const left = yield* finishCreation(place, agent.id)
  const keyPlace = keyPlaceOf(place)
  const { document, opened, signing } = yield* openOwn(options, place, stores.documents, agent, left)
  try {
    const loaded = yield* assemble(options, place, stores, agent.id, document, signing)
    if (left === undefined && opened === undefined) yield* settleKeys(loaded, keyPlace)
    if (left === undefined && opened !== undefined) {
      const { atRest, password, source } = opened
      yield* tidy(loaded, keyPlace, atRest, { password, source })
      if (source !== 'vault') yield* dropKept(options, place, keyPlace, atRest, password)
    }
    // Others were made for agents that lost this place to this one, or were never finished.
    if (options.passkey === true) yield* forgetPasskeys(options, place, (passkey) => passkey.agentId !== agent.id)
    yield* markLoaded(loaded)
    return loaded
  } catch (error) {
    wipeSigning(signing)
    throw error
  }
}

/** Puts the parts of a loaded agent together. */
export function* assemble(
  options: AgentOptions,
  place: AgentPlace,
  { ring, documents }: Stores,
  id: string,
  document: AgentDocument,
  signing?: Signing,
): Operation<Loaded> {
  const verify = (held: string): void => ring.set(id, 'own', encode(held))
  const sign = (changed: AgentDocument): void => signing?.renew(changed)
  verify(document.text)
  const own = new OwnDocument(documents, id, document, heldLimits(options.limits), { sign, verify })
  yield* own.readRevocations()
  return {
    id,
    options,
    place,
    documents,
    own,
    trust: yield* openTrust(place.directories.keys, place.directories.data, limitsText(options.limits)),
    directory: yield* openKeyDirectory(place.directories.keys),
    ring,
    behind: new Behind(),
    signing,
    before: new Set(),
  }
}

/** Makes an agent the session's. */
export function enter(session: Session, loaded: Loaded): Loaded {
  const former = session.loaded
  if (former !== undefined) {
    loaded.trust.follow(former.trust)
    for (const one of former.before) loaded.before.add(one)
    const end = (): void => letGo(session, () => wipe(former))
    if (isSameAgent(former, loaded)) {
      loaded.behind = former.behind
      former.own.leaveTo(loaded.own)
      end()
    } else if (!former.behind.isEmpty) {
      const { signing } = former
      if (signing !== undefined) letGo(session, () => wipeSigning(signing))
      loaded.before.add({ loaded: former, end })
    } else end()
  }
  if (loaded.signing !== undefined) loaded.signing.letGo = (wiping) => letGo(session, wiping)
  session.options = loaded.options
  session.loaded = loaded
  return loaded
}

/** Whether both are one agent at one place: a copy of it somewhere else has other entries. */
function isSameAgent(former: Loaded, loaded: Loaded): boolean {
  const [one, other] = [groundOf(former.documents.storage), groundOf(loaded.documents.storage)]
  return former.id === loaded.id && one.store === other.store && JSON.stringify(one.path) === JSON.stringify(other.path)
}

/** What people need to know of a loaded agent. */
export function describe({ id, own, place, options }: Loaded): AgentInfo {
  const { config, directories, home } = place
  const persisted = options.storage === undefined ? platform.isPersisted?.() : undefined
  const { revoked } = own
  return Object.freeze({
    agentId: id,
    name: own.latest.name,
    publicKeyPath: directories.keyPath(config.publicKeyFilename),
    configPath: home.configPath,
    privateKeyPath: directories.keyPath(config.privateKeyFilename),
    keyDirectory: directories.keyDirectory,
    dataDirectory: directories.dataDirectory,
    algorithm: own.latest.algorithm,
    keyId: own.latest.keyId,
    keyIds: Object.freeze([...own.latest.keyIds]),
    ...(revoked !== undefined && { revoked: Object.freeze(revoked) }),
    ...(persisted !== undefined && { persisted }),
  })
}
