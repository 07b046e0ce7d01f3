/** Where the command line gets passwords from (protocol, section 13): never from an argument, never made up in silence. */

import { readFile } from 'node:fs/promises'
import { env } from 'node:process'
import { type FindAgentOptions, type FoundAgent, findAgent, SxError } from '../../src/simple.ts'
import type { Variable } from './environment.ts'
import { EXIT, Stop, setUp } from './exit.ts'
import { kindOf, type PromptOptions, readNamed } from './files.ts'
import { ask } from './terminal.ts'
import { refuseWeak, type WeakOptions, weaknessOf } from './weak.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Largest password file, in bytes. */
const PASSWORD_LIMIT = 4096

const HOW = 'Pass a file that contains the password.'

/**
 * The password in a file that was named.
 *
 * @param source how it was named: a variable or an option
 */
export async function readPasswordFile(file: string, source: string): Promise<string> {
  const kind = kindOf(file)
  if (kind === 'folder' || kind === 'device') {
    throw new Stop(EXIT.usage, 'NotFound', `${file} (from ${source}) is a ${kind}. ${HOW}`)
  }
  const bytes = await readNamed(file, PASSWORD_LIMIT)
  if (bytes === undefined)
    throw new Stop(EXIT.usage, 'NotFound', `There is no file at ${file} (from ${source}). ${HOW}`)
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch (cause) {
    const found = `The file ${file} (from ${source}) is not UTF-8 text. ${HOW}`
    throw new Stop(EXIT.usage, 'InvalidOption', found, { cause })
  }
  const password = text.replace(/\r?\n$/, '')
  if (password === '')
    throw new Stop(EXIT.usage, 'PasswordRequired', `The file ${file} (from ${source}) is empty. ${HOW}`)
  return password
}

/** A variable with a password, or with the file of one; `undefined` if it is not set. */
export function passwordVariable(name: Variable): string | undefined {
  const value = env[name]
  if (value !== '') return value
  throw setUp(new SxError('InvalidOption', `The environment variable ${name} is empty. Give it a value, or unset it.`))
}

/** The password that was handed in by a file. What the environment says otherwise the library finds itself. */
export async function givenPassword(): Promise<string | undefined> {
  if (passwordVariable('SX_PRIVATE_KEY_PASSWORD') !== undefined) return undefined
  const file = passwordVariable('SX_PASSWORD_FILE')
  return file === undefined ? undefined : await readPasswordFile(file, 'SX_PASSWORD_FILE')
}

/** What is known before an agent is opened. */
export interface Found {
  /** Whether there is a configuration. */
  readonly exists: boolean
  /** Whether there is an agent: a configuration may be prepared for one that is to be created. */
  readonly hasAgent: boolean
  readonly password: string | undefined
}

/** What the library finds; of the file of a saved password that is empty also what helps at a command line. */
async function findAt(options: FindAgentOptions): Promise<FoundAgent> {
  try {
    return await findAgent(options)
  } catch (cause) {
    if (!(cause instanceof SxError && cause.code === 'PasswordRequired')) throw cause
    const how = 'Write the password of the private key into it, or remove it and set'
    const found = `${cause.found} ${how} SX_PRIVATE_KEY_PASSWORD or SX_PASSWORD_FILE.`
    throw new Stop(EXIT.usage, cause.code, found, { cause })
  }
}

/** The password that was found. */
async function passwordIn(
  { passwordFrom, passwordPath = '' }: FoundAgent,
  given: string | undefined,
): Promise<string | undefined> {
  switch (passwordFrom) {
    case 'argument':
      return given
    case 'environment':
      return env['SX_PRIVATE_KEY_PASSWORD']
    case 'config': {
      const config = JSON.parse(await readFile(passwordPath, 'utf8')) as { readonly sxPrivateKeyPassword?: string }
      return config.sxPrivateKeyPassword
    }
    case 'file':
      return await readPasswordFile(passwordPath, 'the key directory')
    case 'vault': // only a page has one
    case undefined:
      return undefined
  }
}

/**
 * Looks for the password of a configuration's private key, without asking anybody.
 *
 * @param given the one that was handed in, if any; it wins
 */
export async function lookForPassword(configPath: string, given: string | undefined): Promise<Found> {
  try {
    const found = await findAt({ configPath, ...(given !== undefined && { password: given }) })
    const { hasConfig: exists, agentId } = found
    return { exists, hasAgent: agentId !== undefined, password: await passwordIn(found, given) }
  } catch (error) {
    throw setUp(error)
  }
}

/** The file with the saved password of a configuration's private key, if the password comes from there. */
export async function savedPasswordPath(configPath: string): Promise<string | undefined> {
  const { passwordFrom, passwordPath } = await findAt({ configPath })
  return passwordFrom === 'file' ? passwordPath : undefined
}

/** Refuses a saved password that nothing can be made of, before it would have to be replaced. */
export async function checkSavedPassword(configPath: string): Promise<void> {
  await findAt({ configPath, env: {} })
}

/**
 * Asks for a password, without echo.
 *
 * @param how what to do where nobody can be asked, as a sentence
 * @param what which password it is
 */
export async function askPassword(
  question: string,
  { input }: PromptOptions,
  how: string,
  what = 'password',
): Promise<string> {
  const missing = (how: string): Stop => refused(`No ${what} for the private key was given. ${how}`)
  if (!input) throw missing(`${how} With --no-input there is no prompt.`)
  const answer = await ask(question)
  if (answer === undefined) throw missing(how)
  if (answer === '') throw missing('Nothing was entered.')
  return answer
}

/** So often somebody may type a password that is not taken. */
export const TRIES = 3

/** Asks for a new password, twice; again where it is weak. */
export async function askNewPassword(
  options: PromptOptions & WeakOptions,
  how: string,
  what = 'password',
): Promise<string> {
  let first = await askPassword('New password: ', options, how, what)
  for (let tries = 1; tries < TRIES; tries += 1) {
    const weakness = options.allowWeakPassword ? undefined : weaknessOf(first)
    if (weakness === undefined) break
    first = await askPassword(`This password is weak: it ${weakness}.\nNew password: `, options, how, what)
  }
  refuseWeak(first, options)
  const second = await askPassword('Repeat the new password: ', options, how, what)
  if (first !== second) {
    throw refused(
      'The two passwords differ. Nothing was changed. Run the command again and enter the same password twice.',
    )
  }
  return first
}

function refused(message: string): Stop {
  return new Stop(EXIT.usage, 'PasswordRequired', message)
}
