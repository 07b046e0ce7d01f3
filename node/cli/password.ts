/** Where the command line gets passwords from (decisions 11): never from an argument, never made up in silence. */
import { env, stderr, stdin } from 'node:process'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { encode } from '../../src/bytes.ts'
import { type Operation, perform, runAsync } from '../../src/effects.ts'
import { openHome, parseConfig } from '../../src/operations/load.ts'
import { findPassword } from '../../src/operations/password.ts'
import { createConfig } from '../../src/utilities.ts'
import { EXIT, Stop, setUp } from './exit.ts'
import { readPasswordFile } from './files.ts'

/** What is known before an agent is opened. */
export interface Found {
  /** Whether there is a configuration. */
  readonly exists: boolean
  /** Whether it names an agent: one may be prepared for an agent that is to be created. */
  readonly hasAgent: boolean
  readonly password: string | undefined
}

function* look(configPath: string, given: string | undefined): Operation<Found> {
  const home = yield* openHome({}, configPath)
  const bytes = yield* perform(home.readConfig)
  const config = parseConfig(bytes ?? encode(createConfig()))
  const options = given === undefined ? {} : { password: given }
  const found = yield* findPassword(options, { home, config, directories: home.open(config) })
  return { exists: bytes !== undefined, hasAgent: config.agentId !== null, password: found?.candidates[0] }
}

/** Looks for the password of a configuration's private key, without asking anybody. */
export async function lookForPassword(configPath: string): Promise<Found> {
  const { SX_PRIVATE_KEY_PASSWORD, SX_PASSWORD_FILE } = env
  try {
    const isFile = !SX_PRIVATE_KEY_PASSWORD && SX_PASSWORD_FILE
    const given = isFile ? await readPasswordFile(SX_PASSWORD_FILE, 'SX_PASSWORD_FILE') : undefined
    return await runAsync(() => look(configPath, given))
  } catch (error) {
    throw setUp(error)
  }
}

/** Whether a command may ask. */
export interface PromptOptions {
  /** False after `--no-input`. */
  readonly input: boolean
}

/**
 * Asks for a password, without echo.
 *
 * @param how what to do where nobody can be asked, as a sentence
 */
export async function askPassword(question: string, { input }: PromptOptions, how: string): Promise<string> {
  if (!input) throw missing(`${how} With --no-input nobody is asked for it.`)
  if (!stdin.isTTY || !stderr.isTTY) throw missing(how)
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: muted, terminal: true, historySize: 0 })
  stderr.write(question)
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('close', () => reject(missing('Nothing was entered.'))) // Ctrl-C and Ctrl-D
    })
    if (answer === '') throw missing('Nothing was entered.')
    return answer
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

/** Asks for a new password, twice. */
export async function askNewPassword(options: PromptOptions, how: string): Promise<string> {
  const first = await askPassword('New password: ', options, how)
  const second = await askPassword('The same again: ', options, how)
  if (first !== second) throw missing('The two passwords differ.')
  return first
}

function missing(how: string): Stop {
  return new Stop(EXIT.usage, 'PasswordRequired', `No password for the private key was given. ${how}`)
}
