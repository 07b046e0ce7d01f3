import * as core from '#core'
import { ownerOf } from '../../backup.ts'
import { decode, encode, equalBytes } from '../../bytes.ts'
import { call } from '../../core.ts'
import { cursor, get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { limitsText } from '../../limits.ts'
import { names, publicKeyFile } from '../../names.ts'
import type { Loaded } from '../../session.ts'
import { readStoredAgent } from '../../state/agent-identity.ts'
import type { AgentOptions, ExternalSigner } from '../../types.ts'
import { openKeyToSee, openSigner } from '../opening.ts'
import { externalKey } from '../signing.ts'
import { publicKeyIdOf } from '../tidy.ts'
import { auditPassword, type Opening } from './password.ts'
import { auditRecords } from './records.ts'
import type { Report } from './report.ts'

/**
 * Whether the private key is the agent's, whether its password is one, and what stands in files of public keys.
 */
export function* auditKeys(report: Report, options: AgentOptions, loaded: Loaded): Operation<void> {
  let opening: Opening = options.signer === undefined ? 'untried' : 'external'
  yield* report.look('private_key', 'The private key can be decrypted and belongs to the agent.', function* () {
    const { signer } = options
    if (signer !== undefined) yield* auditSigner(report, options, loaded, signer)
    else opening = yield* auditPrivateKey(report, options, loaded)
  })
  yield* auditPassword(report, options, loaded.place, opening)
  yield* report.look('public_keys', "The public key files contain the agent's key and usable keys.", function* () {
    yield* auditPublicKeys(report, loaded)
  })
}

/** Whether an external signer has the agent's key. It signs nothing. */
function* auditSigner(
  report: Report,
  options: AgentOptions,
  { place, own }: Loaded,
  external: ExternalSigner,
): Operation<void> {
  report.pass("The external signer has the agent's key.")
  const key = externalKey(external)
  try {
    const { signer } = yield* openSigner(options, place, own.current, key)
    signer.dispose()
  } finally {
    key.secret.dispose()
  }
}

function* auditPrivateKey(report: Report, options: AgentOptions, { place, own }: Loaded): Operation<Opening> {
  const path = place.directories.keyPath(place.config.privateKeyFilename)
  let opening: Opening = 'untried'
  let isDamaged = false
  try {
    yield* openKeyToSee(options, place, own.current)
    opening = 'opened'
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    if (error.code === 'WrongPassword') opening = 'refused'
    isDamaged = error.code === 'CorruptStore'
    if (error.code === 'PasswordRequired') report.skip(`${path} was not decrypted, because there is no password.`)
    else if (error.code === 'KeyMismatch') {
      report.absence('a key record', 'high', error.code, 'private_key', error.message)
    } else if (error.code !== 'NotFound') report.failure(error, 'private_key')
    else {
      const message = `There is no private key at ${path}. If an external signer has it, pass it as \`signer\`.`
      report.absence(path, 'medium', 'NotFound', path, message)
    }
  }
  yield* auditRecords(report, place, isDamaged)
  return opening
}

function* auditPublicKeys(report: Report, { id, own, place, trust }: Loaded): Operation<void> {
  const { config, directories } = place
  const { publicKey } = own.current
  const ownFiles = [config.publicKeyFilename, ...publicKeyFile(id)]
  for (const file of ownFiles) {
    const bytes = yield* perform(get(directories.keys, [file]))
    if (bytes !== undefined && equalBytes(bytes, encode(publicKey))) continue
    const path = directories.keyPath(file)
    if (bytes === undefined)
      report.risk('low', 'NotFound', path, `${path} is missing. It contains the agent's public key.`)
    else if (own.current.keyIds.includes(publicKeyIdOf(bytes) ?? '')) {
      report.risk(
        'low',
        'KeyMismatch',
        path,
        `${path} contains an earlier key of the agent. The next start replaces it.`,
      )
    } else {
      const found = `${path} does not contain the agent's public key.`
      const advice =
        'If the key was rotated, the version of the agent document that names the new key is lost: restore it from a backup. Otherwise replace the file.'
      report.absence('a version of the agent document', 'high', 'KeyMismatch', path, `${found} ${advice}`)
    }
  }
  let count = 0
  const next = cursor(directories.keys, [])
  for (let key = yield* perform(next); key !== undefined; key = yield* perform(next)) {
    count++
    const [file = ''] = key
    if (key.length === 2 && file === names().staging) {
      const name = key.join('/')
      report.risk('low', 'Unfinished', name, `${name} contains the parts of an agent whose creation was interrupted.`)
    }
    const owner = key.length === 1 ? ownerOf(file) : undefined
    if (owner === undefined || ownFiles.includes(file)) continue
    const path = directories.keyPath(file)
    try {
      const bytes = (yield* perform(get(directories.keys, key))) ?? new Uint8Array()
      const keyId = call(() => core.publicKeyId(decode(bytes, path)))
      const known = yield* trust.document(owner)
      if (known === undefined || readStoredAgent(known, limitsText(undefined)).keyIds.includes(keyId)) continue
      report.risk(
        'high',
        'KeyConflict',
        path,
        `${path} contains a different key than the trusted document of its agent.`,
      )
    } catch (error) {
      report.failure(error, path)
    }
  }
  if (count > 0) return
  const path = directories.keyDirectory
  const found = `${path} is missing, empty or not a folder: the agent's keys are lost.`
  report.risk('high', 'NotFound', path, `${found} Restore it from a backup.`)
}
