/** What the shell asks for when it completes an id: a command that `sx --help` does not list. */
import { Argument, type Command } from 'commander'
import { configPath, define, type Options, withVerifier } from './command.ts'
import type { Outcome } from './output.ts'

/** Its name. */
export const IDS_COMMAND = 'complete-ids'

/** What the first argument of a command may be an id of. */
const KINDS = ['agents', 'keys', 'documents'] as const

/** The kind of the ids that a command takes first, by the words that lead to it. */
export const TAKES_IDS: Readonly<Record<string, (typeof KINDS)[number]>> = {
  'trust remove': 'agents',
  'agent revoke': 'keys',
  show: 'documents',
  history: 'documents',
  update: 'documents',
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

async function listing(options: Options, [kind]: readonly string[]): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const found =
      kind === 'agents'
        ? agent.listTrustedAgents()
        : kind === 'keys'
          ? agent
              .listKeys()
              .slice(0, -1)
              .map(({ keyId }) => keyId)
          : (await agent.listDocuments({ limit: MOST })).map((key) => key.split(':')[0] ?? '')
    return { json: { ids: found }, ...(found.length > 0 && { data: found.map((id) => `${id}\n`).join('') }) }
  })
}
