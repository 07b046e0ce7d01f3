/** `sx quickstart`, `sx agent` */
import { type Command, Option } from 'commander'
import type { KeyAlgorithm } from '../../src/index.ts'
import { type AgentInfo, type AgentKey, type CreatedAgentInfo, close, quickstart, SxError } from '../../src/simple.ts'
import { findingOf } from './advice.ts'
import { ALGORITHM_NAMES, storedAlgorithm } from './algorithms.ts'
import {
  type Arguments,
  configPath,
  define,
  infoOf,
  knowsItsCommands,
  type Options,
  openSigner,
  withAgent,
  withVerifier,
  writes,
} from './command.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { EXIT, isPasswordMissing, Stop, setUp, usage } from './exit.ts'
import { checkTarget, hasFile, type Target, writeTarget } from './files.ts'
import { addKeyCommands } from './keys.ts'
import { type Outcome, type Row, remark, shorten } from './output.ts'
import { askNewPassword, givenPassword, lookForPassword, passwordVariable, savedPasswordPath } from './password.ts'
import { refuseWeak, takesWeak, type WeakOptions } from './weak.ts'

interface QuickstartOptions extends Options, WeakOptions {
  readonly name?: string
  readonly domain?: string
  readonly description?: string
  readonly algorithm?: KeyAlgorithm
}

/** The options of an agent that is to be there. */
type Wanted = QuickstartOptions & { readonly name: string; readonly domain: string }

/** Commander would miss them before it says that one is misspelt. */
const REQUIRED = { name: '--name <name>', domain: '--domain <host>' } as const

interface ExportOptions extends Options, Target {
  readonly publicKey?: boolean
}

interface DnsOptions extends Options {
  readonly ttl?: string
}

/** Adds the commands to the program. */
export function addAgentCommands(program: Command): void {
  const start = program.command('quickstart').summary('create an agent, or load the existing one')
  start
    .description('Creates an agent with a key pair and a configuration, or loads the existing one.')
    .option(REQUIRED.name, 'name of the agent; required')
    .option(REQUIRED.domain, 'host name of the agent; required')
    .option('--description <text>', 'what the agent does')
    .addOption(new Option('--algorithm <name>', 'algorithm of its key (default: pq2025)').choices(ALGORITHM_NAMES))
  takesWeak(start)
  define<QuickstartOptions>(
    start,
    [
      'SX_PASSWORD_FILE=password.txt sx quickstart --name Billing --domain example.com',
      'SX_SAVE_PASSWORD_FILE=true sx quickstart --name Ci --domain example.com --algorithm ed25519 --config ci/sx.config.json',
    ],
    starting,
    [...PASSWORD_VARIABLES, 'SX_SAVE_PASSWORD_FILE'],
  )

  const agent = program
    .command('agent')
    .summary('show, export or change the agent')
    .description('Shows, exports or changes the agent that the configuration names.')
  agent.helpCommand('help [command]', 'show the help of a command')
  knowsItsCommands(agent)
  agent.addHelpText('after', '\nExamples:\n  $ sx agent show\n  $ sx agent export -o billing.agent.json\n')

  const show = agent
    .command('show')
    .summary('show the agent and the paths of its files')
    .description('Shows the agent and the paths of its files.')
  define<Options>(show, ['sx agent show', 'sx agent show --json | jq -r .agentId'], showing)

  const exporting = agent
    .command('export')
    .summary('print the agent document')
    .description('Prints the agent document. Others add it with `sx trust add`.')
  writes(exporting, 'the document').option('--public-key', 'print the public key (PEM) instead')
  define<ExportOptions>(
    exporting,
    ['sx agent export -o billing.agent.json', 'sx agent export --public-key > billing.pem'],
    exportingAgent,
  )

  const dns = agent.command('dns').argument('<domain>', 'host name of the record, such as example.com')
  dns
    .summary('print the DNS record of the agent')
    .description('Prints the TXT record that names the agent and its key, as a line of a zone file.')
    .option('--ttl <seconds>', 'time to live of the record (default: 3600)')
  define<DnsOptions>(
    dns,
    ['sx agent dns example.com', 'sx agent dns example.com --ttl 300 >> example.com.zone'],
    printingRecord,
  )

  const wellKnown = agent.command('well-known').summary('print the well-known JSON of the agent')
  wellKnown.description(
    'Prints the JSON that the agent publishes at a well-known address: its id and version, its public ' +
      'keys (JWK), and the DNS record of its domain. The output is the same with --json.',
  )
  define<Options>(
    wellKnown,
    ['sx agent well-known > sx-agent.json', 'sx agent well-known | jq -r .keys[].kid'],
    printingWellKnown,
  )

  addKeyCommands(agent)
}

const rowsOfRevocation = ({ revoked }: AgentKey): Row[] =>
  revoked === undefined ? [] : [[`revoked since ${revoked.at}: ${revoked.reason}`]]

/** An earlier key. */
const rowsOfKey = (key: AgentKey): Row[] => [['earlier key', key.keyId, key.algorithm], ...rowsOfRevocation(key)]

/** What people compare comes first, and what the agent calls itself where it can pass for nothing else. */
const rowsOf = (info: AgentInfo, keys: readonly AgentKey[]): Row[] => [
  ['key id', info.keyId],
  ['algorithm', info.algorithm],
  ...keys.slice(-1).flatMap(rowsOfRevocation),
  ...keys.slice(0, -1).flatMap(rowsOfKey),
  ['id', info.agentId],
  ['name', shorten(info.name)],
  ['configuration', info.configPath],
  ['public key', info.publicKeyPath],
  ['private key', info.privateKeyPath],
]

const HOW =
  'Set SX_PRIVATE_KEY_PASSWORD or SX_PASSWORD_FILE. Or set SX_SAVE_PASSWORD_FILE=true to generate and save one.'

function wanted(options: QuickstartOptions): Wanted {
  const { name, domain } = options
  const missing = name === undefined ? REQUIRED.name : REQUIRED.domain
  if (name === undefined || domain === undefined) throw usage(`required option '${missing}' not specified`)
  return { ...options, name, domain }
}

async function starting(given: QuickstartOptions): Promise<Outcome> {
  const options = wanted(given)
  const { info, keys, unused, passwordPath } = await begin(options)
  if (unused.length > 0) {
    const algorithm = unused.find((option) => option.startsWith('--algorithm '))
    const how = algorithm === undefined ? '' : ` \`sx agent rotate ${algorithm}\` gives the agent such a key.`
    remark(`The agent was not changed. Ignored options: ${unused.join(', ')}.${how}`, options)
  }
  const title = ['good', info.created ? 'Created an agent' : 'Loaded the existing agent'] as const
  const rows = rowsOf(info, keys)
  if (passwordPath !== undefined) rows.push(['saved password', passwordPath])
  const json = { ...shownOf(info), ...(passwordPath !== undefined && { passwordPath }) }
  return { json, result: { title, rows, brief: info.agentId } }
}

/** What JSON shows of an agent. */
function shownOf(info: AgentInfo): Readonly<Record<string, unknown>> {
  const { dataDirectory: _, ...shown } = info
  return shown
}

interface Begun {
  readonly info: CreatedAgentInfo
  readonly keys: readonly AgentKey[]
  /** The options that say otherwise than the agent that is there. */
  readonly unused: readonly string[]
  /** The file of a password that was generated and saved. */
  readonly passwordPath?: string | undefined
}

async function begin(options: Wanted): Promise<Begun> {
  const path = configPath(options)
  const given = await givenPassword() // once: it may come out of a pipe
  const { hasAgent, password: found } = await lookForPassword(path, given)
  if (hasAgent) {
    const { agent } = await openSigner(options, given)
    return await withAgent(agent, async () => {
      const info = { ...infoOf(agent), created: false }
      const document = agent.exportAgent()
      return { info, keys: agent.listKeys(), unused: unusedOf(options, document, info.algorithm) }
    })
  }
  if (found !== undefined) refuseWeak(found, options)
  if (found !== undefined || passwordVariable('SX_SAVE_PASSWORD_FILE') === 'true')
    return await create(options, path, found)
  try {
    return await create(options, path, '') // says what else stands in the way, before anybody types
  } catch (error) {
    if (!isPasswordMissing(error)) throw error
  }
  return await create(options, path, await askNewPassword(options, HOW))
}

/** The options, as they were given, that an agent does not fulfil. */
function unusedOf(options: Wanted, document: string, algorithm: string): string[] {
  const agent = JSON.parse(document) as { name: string; sxAgentDomain?: string; description?: string }
  const pairs = [
    ['--name', options.name, agent.name],
    ['--domain', options.domain, agent.sxAgentDomain],
    ['--description', options.description, agent.description],
    ['--algorithm', options.algorithm && storedAlgorithm(options.algorithm), algorithm],
  ] as const
  const differing = pairs.filter(([, given, there]) => given !== undefined && given !== there)
  return differing.map(([option, given = '']) => `${option} '${shorten(given)}'`)
}

async function create(
  { name, domain, description, algorithm }: Wanted,
  path: string,
  password: string | undefined,
): Promise<Begun> {
  try {
    const info = await quickstart({
      name,
      domain,
      configPath: path,
      ...(algorithm !== undefined && { algorithm }),
      ...(description !== undefined && { description }),
      ...(password !== undefined && { password }),
    })
    const passwordPath = password === undefined ? await savedPasswordPath(path) : undefined
    return { info, keys: [], unused: [], passwordPath }
  } catch (error) {
    throw setUp(occupied(error))
  } finally {
    await close()
  }
}

/** There is something in the way that is no agent, so there is nothing to load. */
function occupied(error: unknown): unknown {
  if (!(error instanceof SxError && error.code === 'AlreadyExists')) return error
  const how = 'Pass another path with --config, or move the existing files if no agent needs them.'
  return new Stop(EXIT.usage, error.code, `${findingOf(error)} ${how}`, { cause: error })
}

async function showing(options: Options): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const info = infoOf(agent)
    const keys = agent.listKeys()
    return { json: { ...shownOf(info), keys }, result: { rows: rowsOf(info, keys) } }
  })
}

async function exportingAgent(options: ExportOptions): Promise<Outcome> {
  checkTarget(options)
  return await withVerifier(configPath(options), async (agent) => {
    const data = options.publicKey ? agent.getPublicKey() : agent.exportAgent()
    const { agentId, keyId, revoked } = infoOf(agent)
    if (revoked !== undefined) remark(`The key is revoked since ${revoked.at}. Send its revocation too.`, options)
    // Whoever takes it compares the key id with what its owner says.
    const rows: Row[] = [
      ['key id', keyId],
      ['id', agentId],
    ]
    const note = { title: ['good', 'Exported'], rows } as const
    if (!hasFile(options))
      return { json: { agentId, keyId, [options.publicKey ? 'publicKey' : 'raw']: data }, data, note }
    await writeTarget(options.output, data, options)
    rows.push(['written to', options.output])
    return { json: { agentId, keyId, output: options.output }, note }
  })
}

async function printingRecord({ ttl: given, ...options }: DnsOptions, [domain = '']: Arguments): Promise<Outcome> {
  if (given !== undefined && !/^\d{1,10}$/.test(given)) throw usage('--ttl requires a whole number of seconds.')
  return await withVerifier(configPath(options), async (agent) => {
    const record = agent.getDnsRecord(domain, given === undefined ? undefined : Number(given))
    return { json: { domain, record }, data: `${record}\n` }
  })
}

async function printingWellKnown(options: Options): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const published = agent.getWellKnownJson()
    return { json: { ...published }, data: `${JSON.stringify(published, null, 2)}\n` }
  })
}
