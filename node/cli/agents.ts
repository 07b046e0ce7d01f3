/** `sx quickstart`, `sx agent` */
import { env } from 'node:process'
import { type Command, Option } from 'commander'
import { load, quickstart, reencryptKey } from '../../src/simple.ts'
import type { AgentInfo, KeyAlgorithm } from '../../src/types.ts'
import { type Arguments, configPath, define, type Options, openAgent, passwordOf, writes } from './command.ts'
import { setUp } from './exit.ts'
import { checkTarget, hasFile, readPasswordFile, type Target, writeTarget } from './files.ts'
import { type Outcome, remark } from './output.ts'
import { askNewPassword, lookForPassword } from './password.ts'

interface QuickstartOptions extends Options {
  readonly name: string
  readonly domain: string
  readonly description?: string
  readonly algorithm: KeyAlgorithm
}

interface ExportOptions extends Options, Target {
  readonly publicKey?: boolean
}

interface ReencryptOptions extends Options {
  readonly newPasswordFile?: string
}

/** Adds the commands to the program. */
export function addAgentCommands(program: Command): void {
  const start = program.command('quickstart').summary('create an agent, or load the one that is there')
  start
    .description('Creates an agent with a new key pair and its configuration, or loads the one that is there.')
    .requiredOption('--name <name>', 'what people call the agent')
    .requiredOption('--domain <host>', 'the host name it belongs to')
    .option('--description <text>', 'what it does')
    .addOption(new Option('--algorithm <name>', 'of its key').choices(['pq2025', 'ed25519']).default('pq2025'))
  define<QuickstartOptions>(
    start,
    [
      'SX_PASSWORD_FILE=password.txt sx quickstart --name Billing --domain example.com',
      'SX_SAVE_PASSWORD_FILE=true sx quickstart --name Ci --domain example.com --algorithm ed25519 --config ci/sx.config.json',
    ],
    starting,
  )

  const agent = program.command('agent').description('The agent of the configuration.')
  agent.addHelpText('after', '\nExamples:\n  $ sx agent show\n  $ sx agent export -o billing.agent.json\n')

  const show = agent.command('show').description('Shows the agent and where its files are.')
  define<Options>(show, ['sx agent show', 'sx agent show --json | jq -r .agentId'], showing)

  const exporting = agent.command('export').description('Prints the agent document, which others pass to `trust add`.')
  writes(exporting, 'it').option('--public-key', 'print the public key (PEM) instead')
  define<ExportOptions>(
    exporting,
    ['sx agent export -o billing.agent.json', 'sx agent export --public-key > billing.pem'],
    exportingAgent,
  )

  const reencrypt = agent.command('reencrypt-key').description('Encrypts the private key with another password.')
  reencrypt.option('--new-password-file <file>', 'take the new password from a file (or set SX_NEW_PASSWORD_FILE)')
  define<ReencryptOptions>(
    reencrypt,
    ['sx agent reencrypt-key', 'SX_PASSWORD_FILE=old.txt sx agent reencrypt-key --new-password-file new.txt'],
    reencrypting,
  )
}

const rowsOf = (info: AgentInfo): [string, string][] => [
  ['name', info.name],
  ['id', info.agentId],
  ['algorithm', info.algorithm],
  ['key', info.keyId],
  ['configuration', info.configPath],
  ['public key', info.publicKeyPath],
  ['private key', info.privateKeyPath],
]

const HOW = 'Set SX_PRIVATE_KEY_PASSWORD or SX_PASSWORD_FILE, or have one made and saved by SX_SAVE_PASSWORD_FILE=true.'

/** The password for `quickstart`; none where the library is to make and save one. */
async function startPassword(options: Options): Promise<string | undefined> {
  const found = await lookForPassword(configPath(options))
  if (found.hasAgent) return await passwordOf(options, found)
  if (found.password !== undefined || env['SX_SAVE_PASSWORD_FILE'] === 'true') return found.password
  return await askNewPassword(options, HOW)
}

async function starting(options: QuickstartOptions): Promise<Outcome> {
  const { name, domain, description, algorithm } = options
  const password = await startPassword(options)
  try {
    const info = await quickstart({
      name,
      domain,
      algorithm,
      configPath: configPath(options),
      ...(description !== undefined && { description }),
      ...(password !== undefined && { password }),
    })
    if (!info.created && info.name !== name) remark(`It keeps its name; '${name}' was not used.`, options)
    const title = ['good', info.created ? 'Created an agent' : 'Loaded the agent that is there'] as const
    return { json: { ...info }, result: { title, rows: rowsOf(info), brief: info.agentId } }
  } catch (error) {
    throw setUp(error)
  }
}

async function showing(options: Options): Promise<Outcome> {
  const agent = await openAgent(options)
  const info = agent.getAgentInfo()
  return { json: { ...info }, result: { rows: info === null ? [] : rowsOf(info) } }
}

async function exportingAgent(options: ExportOptions): Promise<Outcome> {
  checkTarget(options)
  const agent = await openAgent(options)
  const data = options.publicKey ? agent.getPublicKey() : agent.exportAgent()
  const agentId = agent.getAgentInfo()?.agentId
  if (!hasFile(options)) return { json: { agentId, [options.publicKey ? 'publicKey' : 'raw']: data }, data }
  await writeTarget(options.output, data, options)
  return {
    json: { agentId, output: options.output },
    note: { title: ['good', 'Exported'], rows: [['written to', options.output]] },
  }
}

async function reencrypting(options: ReencryptOptions, _args: Arguments): Promise<Outcome> {
  const password = await passwordOf(options)
  let agentId: string
  try {
    agentId = (await load(configPath(options), { password })).agentId
  } catch (error) {
    throw setUp(error)
  }
  await reencryptKey(password, await newPassword(options))
  return { json: { agentId }, note: { title: ['good', 'The private key has a new password'], rows: [] } }
}

async function newPassword(options: ReencryptOptions): Promise<string> {
  if (options.newPasswordFile !== undefined) {
    return await readPasswordFile(options.newPasswordFile, '--new-password-file')
  }
  const named = env['SX_NEW_PASSWORD_FILE']
  if (named) return await readPasswordFile(named, 'SX_NEW_PASSWORD_FILE')
  return await askNewPassword(options, 'Name a file that holds the new one with --new-password-file.')
}
