import * as core from '#core'
import { call } from '../../core.ts'
import type { Operation } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { names } from '../../names.ts'
import type { AgentPlace } from '../../session.ts'
import { type KeyAtRest, readKey } from '../../state/private-key.ts'
import type { AgentOptions } from '../../types.ts'
import { candidatesOf } from '../opening.ts'
import { findPassword, readSaved } from '../password.ts'
import type { Report } from './report.ts'

/**
 * What was found out about the private key: the password that was found has opened it, or opens nothing; an external
 * signer has it; or it could not be tried.
 */
export type Opening = 'opened' | 'refused' | 'external' | 'untried'

/** In characters: what is shorter can be guessed by whoever gets the key file. */
const SHORT_PASSWORD = 12
/** So many different characters no password of words or chance has too few of. */
const FEW_CHARACTERS = 6

/** Where the password comes from, whether it is one, and whether it is saved where it should not be. */
export function* auditPassword(
  report: Report,
  options: AgentOptions,
  place: AgentPlace,
  opening: Opening,
): Operation<void> {
  const passed = 'The password is long enough and is stored where nobody else can read it.'
  yield* report.look('password', passed, function* () {
    if (opening === 'external') {
      report.pass('An external signer has the private key, so there is no password.')
      return
    }
    const found = yield* findPassword(options, place)
    const key = yield* keyOf(place)
    const candidates = found && key !== undefined ? candidatesOf(key, found) : found?.candidates
    if (found === undefined || candidates === undefined) {
      report.skip('The password was not checked: it was not passed and is not stored.')
    } else if (opening === 'refused') {
      report.skip('The password was not checked: it does not decrypt the private key.')
    } else if (candidates.some(isWeak)) {
      const message = `The password of the private key is short or repetitive. Change it with reencryptKey to one of at least ${SHORT_PASSWORD} characters.`
      report.risk('medium', 'WeakPassword', found.source, message)
    }
    const [only, another] = candidates ?? []
    const opens = opening === 'opened' && another === undefined ? only : undefined
    if (key !== undefined) yield* auditCopies(report, place, key, { opening, opens })
  })
}

const isWeak = (password: string): boolean =>
  password.length < SHORT_PASSWORD || new Set(password).size < FEW_CHARACTERS

/** The private key at rest; nothing where it cannot be told, which the look at it says. */
function* keyOf({ directories, config }: AgentPlace): Operation<KeyAtRest | undefined> {
  try {
    return yield* readKey({ keys: directories.keys, file: [config.privateKeyFilename] })
  } catch (error) {
    if (error instanceof SxError && error.code !== 'Internal') return undefined
    throw error
  }
}

/**
 * The password in `.sx_password`, and the one that a key record has for that file or the configuration.
 *
 * @param opens the password that opens the private key, where it is known
 */
function* auditCopies(
  report: Report,
  place: AgentPlace,
  { number, saved }: KeyAtRest,
  { opening, opens }: { readonly opening: Opening; readonly opens: string | undefined },
): Operation<void> {
  const { config, directories } = place
  const path = directories.keyPath(names().passwordFile)
  const record = directories.keyPath(
    number > 1 ? call(() => core.keyRecordFile(config.privateKeyFilename, number)) : '',
  )
  if (saved !== null && opens !== undefined && saved !== opens) {
    const found = `The saved password in the key record ${record} does not decrypt the private key.`
    report.risk('high', 'StalePassword', record, `${found} Change the password with reencryptKey.`)
  }
  let file: string | undefined
  try {
    file = yield* readSaved(place)
  } catch (error) {
    report.failure(error, path, 'medium')
    return
  }
  if (file === undefined) {
    if (saved === null || config.password) return
    const found = `The key record ${record} contains the password of the private key, but ${path} and the configuration no longer do.`
    report.risk('medium', 'PasswordInRecord', record, `${found} Change the password with reencryptKey.`)
  } else if (opening !== 'refused' && file !== (opens ?? saved ?? file)) {
    if (saved !== null && saved === (opens ?? saved)) {
      const found = `${path} contains a different password than the key record ${record}. The record counts.`
      report.risk('low', 'StalePassword', path, `${found} The next start that uses the file corrects it.`)
      return
    }
    const found = `${path} does not contain the password of the private key.`
    const what = 'Write the password into it or remove the file, unless another agent in this directory uses it.'
    report.risk('medium', 'StalePassword', path, `${found} ${what}`)
  }
}
