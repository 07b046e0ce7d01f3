/** `sx trust` */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/agent.ts'
import { SxError, type SxErrorCode } from '../../src/errors.ts'
import type { TrustedAgent } from '../../src/operations/trust.ts'
import { verifyAgentDocument } from '../../src/state/own-document.ts'
import { type Arguments, configPath, define, type Options, withVerifier } from './command.ts'
import { EXIT, ofDocument, Stop } from './exit.ts'
import { readDocument } from './files.ts'
import { type Outcome, type Row, shorten } from './output.ts'

/** Adds the commands to the program. */
export function addTrustCommands(program: Command): void {
  const trust = program.command('trust').description('The agents whose documents count as trusted.')
  trust.addHelpText('after', '\nExamples:\n  $ sx trust add billing.agent.json\n  $ sx trust list\n')

  const add = trust.command('add').argument('[file]', 'agent document; - or nothing for standard input')
  add.description('Trusts an agent from now on. Compare the key id it shows with what its owner tells you.')
  define<Options>(
    add,
    ['sx trust add billing.agent.json', 'curl -s https://example.com/agent.json | sx trust add'],
    adding,
  )

  const list = trust
    .command('list')
    .description('Lists the trusted agents: id and name, and those that cannot be read.')
  define<Options>(list, ['sx trust list', 'sx trust list --json'], listing)

  const remove = trust.command('remove').argument('<id>', 'id of the agent').description('Trusts an agent no longer.')
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
    return { json: { ...added }, note: { title: ['good', 'Trusted from now on'], rows } }
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
    const agents: { agentId: string; name: string }[] = []
    const unreadable: Unreadable[] = []
    for (const agentId of agent.listTrustedAgents()) {
      try {
        agents.push({ agentId, name: nameOf(agent, agentId) })
      } catch (error) {
        if (!(error instanceof SxError)) throw error
        unreadable.push({ agentId, code: error.code, message: error.message })
      }
    }
    const rows = agents.map(({ agentId, name }) => [agentId, shorten(name)] as const)
    const outcome = { json: { agents, unreadable }, result: { rows } }
    const [first] = unreadable
    if (first !== undefined) return { ...outcome, ...incomplete(first.code, unreadable) }
    const note = { title: ['doubtful', 'No other agent is trusted'], rows: [] } as const
    return { ...outcome, ...(rows.length === 0 && { note }) }
  })
}

/** What is known of an agent whose decisions were damaged or lost. */
interface Unreadable {
  readonly agentId: string
  readonly code: SxErrorCode
  readonly message: string
}

function incomplete(code: SxErrorCode, unreadable: readonly Unreadable[]): Pick<Outcome, 'note' | 'failure'> {
  const count = unreadable.length === 1 ? 'one agent' : `${unreadable.length} agents`
  const message = `What the trust store holds of ${count} cannot be read: nothing that they sign counts.`
  const rows = unreadable.map(({ agentId, code, message }) => [agentId, `${code}: ${message}`] as const)
  return {
    note: { title: ['bad', `sx: ${code}: ${message}`], rows },
    failure: { exit: EXIT.unchecked, code, message },
  }
}

/**
 * What a trusted agent calls itself.
 *
 * @throws SxError `CorruptStore` if the trust store does not hold its document
 */
export function nameOf(agent: SxAgent, agentId: string): string {
  const document = agent.getTrustedAgent(agentId)
  const damaged = `The trusted document of ${agentId} is damaged.`
  try {
    const { id, name } = verifyAgentDocument(document, '')
    if (id === agentId) return name
  } catch (cause) {
    throw new SxError('CorruptStore', damaged, { cause })
  }
  throw new SxError('CorruptStore', damaged)
}

async function removing(options: Options, [id = '']: Arguments): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    if (!agent.untrustAgent(id)) {
      throw new Stop(EXIT.unchecked, 'NotFound', `The agent ${id} is not in the trust store.`)
    }
    await agent.flush()
    return { json: { agentId: id }, note: { title: ['good', 'Trusted no longer'], rows: [['id', id]] } }
  })
}
