/** `sx trust` */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/agent.ts'
import { SxError } from '../../src/errors.ts'
import { type Arguments, define, type Options, openAgent, openAndRead } from './command.ts'
import { EXIT, Stop } from './exit.ts'
import type { Outcome } from './output.ts'

/** Adds the commands to the program. */
export function addTrustCommands(program: Command): void {
  const trust = program.command('trust').description('The agents whose documents count as trusted.')
  trust.addHelpText('after', '\nExamples:\n  $ sx trust add billing.agent.json\n  $ sx trust list\n')

  const add = trust.command('add').argument('[file]', 'agent document; - or nothing for standard input')
  add.description('Trusts an agent from now on. Compare the key it shows with what the agent tells you.')
  define<Options>(
    add,
    ['sx trust add billing.agent.json', 'curl -s https://example.com/agent.json | sx trust add'],
    adding,
  )

  const list = trust.command('list').description('Lists the trusted agents: id and name.')
  define<Options>(list, ['sx trust list', 'sx trust list --json'], listing)

  const remove = trust.command('remove').argument('<id>', 'id of the agent').description('Trusts an agent no longer.')
  define<Options>(
    remove,
    ['sx trust remove 6fa459ea-ee8a-4ca4-894e-db77e160355e', 'sx trust remove --quiet "$id"'],
    removing,
  )
}

async function adding(options: Options, [file]: Arguments): Promise<Outcome> {
  const [agent, text] = await openAndRead(options, file)
  const added = agent.trustAgent(text)
  await agent.flush()
  const rows: [string, string][] = [
    ['name', added.name],
    ['id', added.agentId],
    ['key', added.keyId],
  ]
  return { json: { ...added }, note: { title: ['good', 'Trusted from now on'], rows } }
}

async function listing(options: Options): Promise<Outcome> {
  const agent = await openAgent(options)
  const agents = agent.listTrustedAgents().map((agentId) => ({ agentId, name: nameOf(agent, agentId) }))
  const rows = agents.map(({ agentId, name }) => [agentId, name] as const)
  const note = { title: ['doubtful', 'No other agent is trusted'], rows: [] } as const
  return { json: { agents }, result: { rows }, ...(rows.length === 0 && { note }) }
}

function nameOf(agent: SxAgent, agentId: string): string {
  try {
    return (JSON.parse(agent.getTrustedAgent(agentId)) as { name: string }).name
  } catch (cause) {
    throw new SxError('CorruptStore', `The trusted document of ${agentId} is damaged.`, { cause })
  }
}

async function removing(options: Options, [id = '']: Arguments): Promise<Outcome> {
  const agent = await openAgent(options)
  if (!agent.untrustAgent(id)) throw new Stop(EXIT.usage, 'NotFound', `The agent ${id} is not in the trust store.`)
  await agent.flush()
  return { json: { agentId: id }, note: { title: ['good', 'Trusted no longer'], rows: [['id', id]] } }
}
