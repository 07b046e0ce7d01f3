/** What all commands share: their options, and how an agent is opened for them. */
import type { Command } from 'commander'
import { SxAgent } from '../../src/agent.ts'
import { DEFAULT_CONFIG_PATH } from '../../src/operations/load.ts'
import { EXIT, Stop, setUp } from './exit.ts'
import { isInput, readDocument } from './files.ts'
import { type Outcome, type OutputOptions, present } from './output.ts'
import { askPassword, type Found, lookForPassword, type PromptOptions } from './password.ts'

/** The options of the program. */
export interface Options extends OutputOptions, PromptOptions {
  readonly config?: string
}

/** Arguments of a command, those left out as `undefined`. */
export type Arguments = readonly (string | undefined)[]

/** Gives a command its examples and its work. */
export function define<O extends Options>(
  command: Command,
  examples: readonly [string, string],
  work: (options: O, args: Arguments) => Promise<Outcome>,
): void {
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`)
  command.action(async () => {
    const options = command.optsWithGlobals<O>()
    process.exitCode = present(await work(options, command.processedArgs as Arguments), options)
  })
}

/** The options of a command that writes what it makes to a file. */
export function writes(command: Command, what: string): Command {
  return command
    .option('-o, --output <file>', `write ${what} to a file, whole or not at all; - is standard output`)
    .option('--force', 'overwrite that file')
}

/** Where the configuration stands. */
export function configPath({ config }: Options): string {
  return config ?? DEFAULT_CONFIG_PATH
}

const HOW = 'Set SX_PRIVATE_KEY_PASSWORD or SX_PASSWORD_FILE.'

/** The password of the configuration's agent; asks for it where it is not to be found. */
export async function passwordOf(options: Options, found?: Found): Promise<string> {
  const path = configPath(options)
  const { exists, password } = found ?? (await lookForPassword(path)) // once: it may come out of a pipe
  if (!exists) {
    const how = 'Create an agent with `sx quickstart`, or name its configuration with --config.'
    throw new Stop(EXIT.usage, 'NotFound', `There is no configuration at ${path}. ${how}`)
  }
  return password ?? (await askPassword('Password of the private key: ', options, HOW))
}

/** Opens the agent of the configuration. */
export async function openAgent(options: Options): Promise<SxAgent> {
  const password = await passwordOf(options)
  const agent = new SxAgent({ password })
  try {
    await agent.load(configPath(options))
  } catch (error) {
    throw setUp(error)
  }
  return agent
}

/**
 * Opens the agent and reads a document. The document comes first, so that nobody types a password for one that
 * cannot be used; but not where both come from the terminal, which ends with the document.
 *
 * @param check refuses a text
 */
export async function openAndRead(
  options: Options,
  file: string | undefined,
  check: (text: string) => void = () => {},
): Promise<[SxAgent, string]> {
  const read = async (): Promise<string> => {
    const text = await readDocument(file, options)
    check(text)
    return text
  }
  if (isInput(file) && process.stdin.isTTY) return [await openAgent(options), await read()]
  const text = await read()
  return [await openAgent(options), text]
}
