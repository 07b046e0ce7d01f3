import { platform } from '#platform'
import { decode, encode } from '../bytes.ts'
import { call, text } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { entropy, now } from '../entropy.ts'
import { SxError } from '../errors.ts'
import { get, put } from '../home.ts'
import { toJsonText } from '../json.ts'
import { checkSize, limitsText } from '../limits.ts'
import { checkPassword } from '../options.ts'
import { requireLoaded, type Session } from '../session.ts'
import { names, remember } from './documents.ts'
import { hasSuccessor, readMade, storeNext } from './history.ts'
import { openSecret } from './load.ts'
import { savedPassword, vaultOf } from './password.ts'
import { knownDocument } from './trust.ts'
import { verifySelf } from './verify.ts'

/** `updateAgent`: signs and stores the next version of the loaded agent's document. */
export function* updateAgent(session: Session, agent: unknown): Operation<string> {
  const loaded = requireLoaded(session)
  const { limits } = session.options
  const json = checkSize(typeof agent === 'string' ? text(agent, 'newAgentData') : toJsonText(agent, limits), limits)
  const { data } = loaded.places
  const { version, text: current } = loaded.document
  if (yield* hasSuccessor(data, loaded.id, version)) {
    throw new SxError('VersionConflict', 'The agent document was updated by another process; load the agent again.')
  }
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const made = readMade(
    call((core) => core.agentUpdate(loaded.secret.handle, current, json, at, random, limitsText(limits))),
  )
  yield* storeNext(data, made)
  remember(loaded, made.id, made.version)
  loaded.document = { version: made.version, text: made.raw }
  loaded.name = (JSON.parse(call((core) => core.agentVerify(made.raw, limitsText(limits)))) as { name: string }).name
  loaded.ring.set(loaded.id, 'own', encode(made.raw))
  return made.raw
}

/** `verifyAgent`: whether a file holds a valid agent document; without one, whether the loaded agent's is. */
export function* verifyAgent(session: Session, agentFile: unknown): Operation<boolean> {
  const loaded = requireLoaded(session)
  if (agentFile === undefined || agentFile === null) return (yield* verifySelf(session)).valid
  if (typeof agentFile !== 'string' || agentFile === '') {
    throw new SxError('InvalidOption', "The argument 'agentFile' is not a path.")
  }
  const bytes = yield* perform(platform.readFile(agentFile))
  try {
    const document = checkSize(decode(bytes, 'The agent file'), session.options.limits)
    const limits = limitsText(session.options.limits)
    const { id } = JSON.parse(call((core) => core.agentVerify(document, limits))) as { id: string }
    // A document that the trust store would refuse is not the known agent's.
    const known = knownDocument(loaded, id)
    call((core) => core.trustAdmit(document, known, limits))
    return true
  } catch (error) {
    if (error instanceof SxError && error.code !== 'Internal') return false
    throw error
  }
}

/** `reencryptKey`: encrypts the private key with another password. */
export function* reencryptKey(session: Session, old: unknown, next: unknown): Operation<void> {
  const loaded = requireLoaded(session)
  const password = checkPassword(old)
  const newPassword = checkPassword(next)
  const { keys } = loaded.places
  const bytes = yield* perform(get(keys, [loaded.privateKeyFile]))
  if (bytes === undefined) throw new SxError('NotFound', `There is no private key at ${loaded.privateKeyPath}.`)
  const secret = openSecret(decode(bytes, 'The key file'), password)
  try {
    call((core) =>
      core.agentOpen(secret.handle, loaded.document.text, loaded.publicKeyPem, limitsText(session.options.limits)),
    )
    const random = yield* perform(entropy)
    const pem = call((core) => core.secretEncrypt(secret.handle, encode(newPassword), random))
    yield* perform(put(keys, [loaded.privateKeyFile], encode(pem)))
  } finally {
    secret.dispose()
  }
  // A saved password opens the key no more; whoever relied on it would be locked out.
  const saved = [names().passwordFile]
  if ((yield* perform(get(keys, saved))) !== undefined)
    yield* perform(put(keys, saved, encode(savedPassword(newPassword))))
  const vault = vaultOf({ options: session.options, platform })
  if (vault === undefined) return
  if ((yield* perform(vault.read(loaded.configPath))) !== undefined)
    yield* perform(vault.write(loaded.configPath, newPassword))
}
