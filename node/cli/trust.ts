/** `sx trust` */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import { readAgent, SxError, type TrustedAgent } from '../../src/simple.ts'
import { sentencesOf } from './advice.ts'
import { type Arguments, configPath, define, knowsItsCommands, type Options, withVerifier } from './command.ts'
import { EXIT, ofDocument, Stop } from './exit.ts'
import { readDocument } from './files.ts'
import { type Outcome, type Row, shorten } from './output.ts'
import { incomplete, type Unreadable } from './unreadable.ts'

/** Adds the commands to the program. */
export function addTrustCommands(program: Command): void {
  const trust = program.command('trust').summary('manage the trust store').description('Manages the trust store.')
  trust.helpCommand('help [command]', 'show the help of a command')
  knowsItsCommands(trust)
  trust.addHelpText('after', '\nExamples:\n  $ sx trust add billing.agent.json\n  $ sx trust list\n')

  const add = trust.command('add').argument('[file]', 'agent document; - or nothing for standard input')
  add.summary('add an agent to the trust store')
  add.description('Adds an agent to the trust store. Confirm the printed key id with its owner.')
  define<Options>(
    add,
    ['sx trust add billing.agent.json', 'curl -s https://example.com/agent.json | sx trust add'],
    adding,
  )

  const list = trust
    .command('list')
    .summary('list the trusted agents')
    .description('Lists the trusted agents with id, key id and name, and unreadable entries.')
  define<Options>(list, ['sx trust list', 'sx trust list --json'], listing)

  const remove = trust
    .command('remove')
    .argument('<id>', 'id of the agent')
    .summary('remove an agent from the trust store')
    .description('Removes an agent from the trust store.')
  define<Options>(
    remove,
    ['sx trust remove 6fa459ea-ee8a-4ca4-894e-db77e160355e', 'sx trust remove --quiet "$id"'],
    removing,
  )
}

async function adding(options: Options, [file]: Arguments): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const added = trustAgent(agent, await readDocument(file, options))
    await agent.flush()
    // What people compare comes first, and what the agent calls itself last.
    const rows: Row[] = [
      ['key id', added.keyId],
      ['id', added.agentId],
      ['name', shorten(added.name)],
    ]
    return { json: { ...added }, note: { title: ['good', 'Trusted'], rows } }
  })
}

function trustAgent(agent: SxAgent, text: string): TrustedAgent {
  try {
    return agent.trustAgent(text)
  } catch (error) {
    throw ofDocument(error)
  }
}

async function listing(options: Options): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const agents: Trusted[] = []
    const unreadable: ({ agentId: string } & Unreadable)[] = []
    for (const agentId of agent.listTrustedAgents()) {
      try {
        agents.push({ agentId, ...trustedOf(agent, agentId) })
      } catch (error) {
        if (!(error instanceof SxError)) throw error
        unreadable.push({ agentId, code: error.code, message: sentencesOf(error) })
      }
    }
    // Below each other: no name may begin where a terminal of 80 columns breaks the line.
    const rows = agents.flatMap(({ agentId, keyId, name }): Row[] => [[agentId, shorten(name)], [`key id: ${keyId}`]])
    const outcome = { json: { agents, unreadable }, result: { rows } }
    const damaged = unreadable.map(({ agentId, ...why }) => [agentId, why] as const)
    const sentence = (count: string): string =>
      `The trust store entries of ${count} cannot be read. Their signatures do not count.`
    if (damaged.length > 0) return { ...outcome, ...incomplete(damaged, 'agent', sentence) }
    const note = { title: ['doubtful', 'No other agent is trusted'], rows: [] } as const
    return { ...outcome, ...(rows.length === 0 && { note }) }
  })
}

/** What is known of a trusted agent. */
interface Trusted {
  readonly agentId: string
  readonly keyId: string
  /** What it calls itself. */
  readonly name: string
}

/**
 * The key of a trusted agent, and what it calls itself.
 *
 * @throws SxError `CorruptStore` if the trust store does not hold its document
 */
export function trustedOf(agent: SxAgent, agentId: string): Omit<Trusted, 'agentId'> {
  const document = agent.getTrustedAgent(agentId)
  const damaged = `The trusted document of ${agentId} is damaged.`
  try {
    const { agentId: id, keyId, name } = readAgent(document)
    if (id === agentId) return { keyId, name }
  } catch (cause) {
    throw new SxError('CorruptStore', damaged, { cause })
  }
  throw new SxError('CorruptStore', damaged)
}

async function removing(options: Options, [id = '']: Arguments): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    if (!agent.untrustAgent(id)) {
      throw new Stop(
        EXIT.unchecked,
        'NotFound',
        `The agent ${id} is not in the trust store. \`sx trust list\` lists the trusted agents.`,
      )
    }
    await agent.flush()
    return { json: { agentId: id }, note: { title: ['good', 'No longer trusted'], rows: [['id', id]] } }
  })
}
