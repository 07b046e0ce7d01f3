/** What all commands share: their options, and how an agent is opened for them. */
import { join } from 'node:path'
import type { Command } from 'commander'
import type { AgentOptions, SxAgent } from '../../src/index.ts'
import { type AgentInfo, SxError } from '../../src/simple.ts'
import { type Variable, variablesHelp } from './environment.ts'
import { EXIT, isPasswordMissing, Stop, setUp, unknownCommand, usage } from './exit.ts'
import { isInput, kindOf, type PromptOptions } from './files.ts'
import { type Outcome, type OutputOptions, present } from './output.ts'
import { askPassword, givenPassword, lookForPassword, TRIES } from './password.ts'
import { DEFAULT_CONFIG_PATH, isMissing } from './places.ts'

/** The options of the program. */
export interface Options extends OutputOptions, PromptOptions {
  readonly config?: string
}

/** Arguments of a command, as they were typed. */
export type Arguments = readonly string[]

/**
 * Gives a command its examples and its work.
 *
 * @param variables of the environment that it reads
 */
export function define<O extends Options>(
  command: Command,
  examples: readonly [string, string],
  work: (options: O, args: Arguments) => Promise<Outcome | readonly Outcome[]>,
  variables: readonly Variable[] = [],
): void {
  onceEach(command)
  if (variables.length > 0) command.addHelpText('after', variablesHelp(variables))
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}\n`).join('')}`)
  command.action(async () => {
    const options = command.optsWithGlobals<O>()
    process.exitCode = present(await work(options, command.args), options)
  })
}

/** Refuses an option that is there twice: of the two values one would be ignored without a word. */
export function onceEach({ options }: Command): void {
  for (const option of options.filter(({ required }) => required)) {
    const { parseArg = (value: string) => value } = option
    option.argParser((value, previous: string | undefined) => {
      if (previous !== undefined) throw usage(`${option.long} was passed twice. Pass it once.`)
      return parseArg(value, previous)
    })
  }
}

/** Refuses to show the help of a group in place of the help of a command that does not exist. */
export function knowsItsCommands(group: Command): void {
  group.addHelpText('before', () => {
    const [first, second] = group.args
    const name = first === 'help' ? second : first
    const isCommand = name === undefined || name.startsWith('-') || group.commands.some((one) => one.name() === name)
    if (!isCommand) throw unknownCommand(group, name)
    return ''
  })
}

/** The options of a command that writes what it makes to a file. */
export function writes(command: Command, what: string): Command {
  return command
    .option('-o, --output <file>', `write ${what} to a file, atomically; - is standard output`)
    .option('--force', 'overwrite the output file')
}

/**
 * Where the configuration stands.
 *
 * @param or what else takes a folder, as a sentence
 */
export function configPath({ config }: Options, or = ''): string {
  const kind = config === undefined ? undefined : kindOf(config)
  if (config !== undefined && kind === 'folder') {
    const how = `Pass the configuration in it, such as ${join(config, DEFAULT_CONFIG_PATH)}. ${or}`
    throw usage(`--config requires a file, but ${config} is a folder. ${how}`.trimEnd())
  }
  if (kind === 'device' || kind === 'pipe') throw usage(`--config requires a file, but ${config} is a ${kind}.`)
  return config ?? DEFAULT_CONFIG_PATH
}

const CREATE = 'Create an agent with `sx quickstart`, or pass its configuration with --config.'

/** There is no configuration. */
function missing(path: string, how: string): Stop {
  return new Stop(EXIT.usage, 'NotFound', `There is no configuration at ${path}. ${how}`)
}

/** What people need to know of an opened agent. */
export function infoOf(agent: SxAgent): AgentInfo {
  const info = agent.getAgentInfo()
  if (info === null) throw new SxError('NoAgentLoaded')
  return info
}

/** Agents are read only where there is one to open: reading their class takes time. */
async function newAgent(options: AgentOptions): Promise<SxAgent> {
  const { SxAgent } = await import('../../src/index.ts')
  return new SxAgent(options)
}

/** Does a command's work with an agent, and lets go of the agent, whatever comes of it. */
export async function withAgent<T>(agent: SxAgent, work: (agent: SxAgent) => Promise<T>): Promise<T> {
  let result: T
  try {
    result = await work(agent)
  } catch (error) {
    await agent.close().catch(() => {}) // what failed first is the error to report
    throw error
  }
  await agent.close()
  return result
}

/**
 * Works with the agent of a configuration without its private key, so that nobody needs a password.
 *
 * @param how what to do where there is no configuration, as a sentence
 */
export async function withVerifier<T>(
  path: string,
  work: (agent: SxAgent) => Promise<T>,
  how: string = CREATE,
): Promise<T> {
  const agent = await newAgent({ verifyOnly: true })
  try {
    if (isMissing(path)) throw missing(path, how)
    await agent.load(path)
  } catch (error) {
    throw setUp(error)
  }
  return await withAgent(agent, work)
}

/** An agent with its private key. */
interface Opened {
  readonly agent: SxAgent
  /** The password that was handed in or asked for; none where the library has found it. */
  readonly password: string | undefined
}

async function load(path: string, password: string | undefined): Promise<Opened> {
  const agent = await newAgent(password === undefined ? {} : { password })
  await agent.load(path)
  return { agent, password }
}

/**
 * Opens the agent of the configuration with its private key; asks for the password where it is not to be found, and
 * only if nothing else stands in the way. A wrong one that was typed can be typed again.
 *
 * @param given the password that was handed in, where it has been read already: it may come out of a pipe
 */
export async function openSigner(options: Options, given?: string): Promise<Opened> {
  const path = configPath(options)
  const password = given ?? (await givenPassword())
  const { exists } = await lookForPassword(path, password)
  if (!exists) throw missing(path, CREATE)
  try {
    return await load(path, password)
  } catch (error) {
    if (!isPasswordMissing(error)) throw setUp(error)
  }
  const how = 'Set SX_PRIVATE_KEY_PASSWORD or SX_PASSWORD_FILE.'
  const question = 'Password of the private key: '
  let answer = await askPassword(question, options, how)
  for (let tries = 1; ; tries += 1) {
    try {
      return await load(path, answer)
    } catch (error) {
      if (tries === TRIES || !isWrongPassword(error)) throw setUp(error)
    }
    answer = await askPassword(`That password does not decrypt the private key.\n${question}`, options, how)
  }
}

const isWrongPassword = (error: unknown): boolean => error instanceof SxError && error.code === 'WrongPassword'

/**
 * Works with the opened agent and an input. The input comes first, so that nobody types a password for one that
 * cannot be used; but not where both come from the terminal, which ends with the input.
 *
 * @param read reads the input, and refuses it
 */
export async function withSigner<S, T>(
  options: Options,
  file: string | undefined,
  read: () => Promise<S>,
  work: (agent: SxAgent, input: S) => Promise<T>,
): Promise<T> {
  const input = isInput(file) && process.stdin.isTTY ? undefined : { read: await read() }
  const { agent } = await openSigner(options)
  return await withAgent(agent, async () => await work(agent, input === undefined ? await read() : input.read))
}
