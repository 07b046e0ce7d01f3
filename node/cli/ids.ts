/** What the shell asks for when it completes an id: a command that `sx --help` does not list. */
import { Argument, type Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import { ACT_NAMES } from './agreement-acts.ts'
import { configPath, define, type Options, withVerifier } from './command.ts'
import type { Outcome } from './output.ts'

/** Its name. */
export const IDS_COMMAND = 'complete-ids'

/** What the first argument of a command may be an id of. */
const KINDS = ['agents', 'keys', 'documents', 'agreements'] as const
type Kind = (typeof KINDS)[number]

/** The commands of agreements that take one first. */
const ON_AGREEMENTS = [...ACT_NAMES, 'show', 'check', 'amend', 'certificate']

/** The kind of the ids that a command takes first, by the words that lead to it. */
export const TAKES_IDS: Readonly<Record<string, Kind>> = {
  'trust remove': 'agents',
  'agent revoke': 'keys',
  show: 'documents',
  history: 'documents',
  update: 'documents',
  ...Object.fromEntries(ON_AGREEMENTS.map((name) => [`agreement ${name}`, 'agreements'] as const)),
}

/** So many documents are offered; finding more takes longer than anybody waits for a completion. */
const MOST = 500

/** Adds the command to the program. */
export function addIdsCommand(program: Command): void {
  const ids = program.command(IDS_COMMAND, { hidden: true })
  ids
    .description('Prints the ids that a command accepts, one per line, for shell completion.')
    .addArgument(new Argument('<kind>', 'of what').choices(KINDS))
  define<Options>(ids, [`sx ${IDS_COMMAND} agents`, `sx ${IDS_COMMAND} documents`], listing)
}

const FOUND: Readonly<Record<Kind, (agent: SxAgent) => Promise<readonly string[]> | readonly string[]>> = {
  agents: (agent) => agent.listTrustedAgents(),
  keys: (agent) =>
    agent
      .listKeys()
      .slice(0, -1)
      .map(({ keyId }) => keyId),
  documents: async (agent) => (await agent.listDocuments({ limit: MOST })).map(idIn),
  agreements: async (agent) => (await agent.listDocuments({ limit: MOST, type: 'sx-agreement' })).map(idIn),
}

const idIn = (key: string): string => key.split(':')[0] ?? ''

async function listing(options: Options, [kind]: readonly string[]): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const found = await FOUND[kind as Kind](agent)
    return { json: { ids: found }, ...(found.length > 0 && { data: found.map((id) => `${id}\n`).join('') }) }
  })
}
