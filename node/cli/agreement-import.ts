/** `sx agreement import`, which says of each signature that it does not store. */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import { readAgreement } from './agreement-input.ts'
import { MOST } from './agreement-state.ts'
import { ignoredBecause, STATUSES } from './agreement-words.ts'
import { type Arguments, configPath, define, type Options, withVerifier } from './command.ts'
import { EXIT, type Failure } from './exit.ts'
import type { Outcome, Report, Row } from './output.ts'

/** Adds the command to those of agreements. */
export function addImport(group: Command): void {
  const command = group.command('import').argument('[file]', 'copy of an agreement; - or nothing for standard input')
  command
    .summary('store a copy of an agreement')
    .description(
      'Stores a copy of an agreement, with the events that are not stored yet and whose signatures are valid. Others ' +
        'are listed, with the reason. Exit status 4: the key of a signer is not known, so its events are not stored. ' +
        'Trust the agent, then import the file again.',
    )
  define<Options>(command, ['sx agreement import rent.json', 'sx agreement import < rent.json'], importing)
}

async function importing(options: Options, [file]: Arguments): Promise<Outcome> {
  const copy = await readAgreement(file, options)
  return await withVerifier(configPath(options), async (agent) => {
    const { agreementId, agreementHash, status } = await agent.importAgreement(copy)
    const notStored = await left(agent, copy, agreementId)
    const failure = unknownIn(notStored)
    const rows: Row[] = [
      ['status', STATUSES[status][1]],
      ['id', agreementId],
    ]
    return {
      json: { agreementId, agreementHash, status, notStored },
      result: {
        title: notStored.length > 0 ? ['doubtful', `${STORED}, but not all events`] : ['good', STORED],
        rows,
        brief: agreementId,
      },
      ...(notStored.length > 0 && { note: noteOf(notStored, failure) }),
      ...(failure && { failure }),
    }
  })
}

const STORED = 'Stored the agreement'

/** Events of one agent that are not stored. */
interface Left {
  /** As they say themselves; null if they do not. */
  readonly agentId: string | null
  readonly count: number
  /** Why; none if there are too many agents to look at each. */
  readonly codes: readonly string[]
}

interface Copy {
  readonly terms: object
  readonly events: readonly { readonly actor?: { readonly agentId?: unknown } }[]
}

const readCopy = (raw: string): Copy => JSON.parse(raw) as Copy

/** The text of an event without its signature: of one event there may be several. */
const contentOf = (event: object): string => JSON.stringify({ ...event, signature: undefined })

/** What a copy has that is not stored. */
async function left(agent: SxAgent, copy: string, id: string): Promise<readonly Left[]> {
  const { terms, events } = readCopy(await agent.mergeAgreements([copy]))
  const stored = new Set(readCopy(await agent.getAgreement(id)).events.map(contentOf))
  const others = new Map<string | null, Copy['events'][number][]>()
  for (const event of events) {
    if (stored.has(contentOf(event))) continue
    const agentId = event.actor?.agentId
    const by = typeof agentId === 'string' ? agentId : null
    others.set(by, [...(others.get(by) ?? []), event])
  }
  if (others.size === 0) return []
  const known = new Set((await agent.verifyAgreement(id)).events.ignored.map(({ eventId }) => eventId))
  const found: Left[] = []
  for (const [agentId, some] of others) {
    const codes = found.length < MOST ? await codesOf(agent, JSON.stringify({ terms, events: some }), known) : []
    found.push({ agentId, count: some.length, codes })
  }
  return found
}

/** Why the events of a copy have no effect, without those that are stored. */
async function codesOf(agent: SxAgent, copy: string, stored: ReadonlySet<string | null>): Promise<readonly string[]> {
  const { events } = await agent.verifyAgreement(copy)
  return [...new Set(events.ignored.flatMap(({ eventId, code }) => (stored.has(eventId) ? [] : [code])))]
}

/** No key of the agent is known, or not the one that it has signed with, which a newer agent document has. */
const UNKNOWN = ['UnknownSigner', 'KeyMismatch'] as const

/** Signatures that count as soon as the keys of their agents are known. */
function unknownIn(found: readonly Left[]): Failure | undefined {
  const some = found.filter(({ codes }) => UNKNOWN.some((code) => codes.includes(code)))
  const code = UNKNOWN.find((one) => some.some(({ codes }) => codes.includes(one)))
  if (code === undefined) return undefined
  const agents = some.map(({ agentId }) => agentId).join(', ')
  const what = `The key that ${agents} signed with is not known here, so these events are not stored.`
  const how =
    'Keep the file. Trust the agent with `sx trust add` and its latest agent document, then import the file again.'
  return { exit: EXIT.unchecked, code, message: `${what} ${how}` }
}

function noteOf(found: readonly Left[], failure: Failure | undefined): Report {
  const rows = found.slice(0, MOST).flatMap(({ agentId, count, codes }): Row[] => {
    const what = `${count === 1 ? '1 event' : `${count} events`} of ${agentId ?? 'no agent'}`
    return codes.map((code): Row => ['not stored', `${what}: ${code}: ${ignoredBecause(code)}`])
  })
  const more: Row[] = found.length > MOST ? [['not stored', `events of ${found.length - MOST} more agents`]] : []
  const how = failure?.message ?? 'Keep the file, and ask its sender for a copy with valid signatures.'
  return { title: ['doubtful', 'Not all events are stored'], rows: [...rows, ...more, ['to do', how]] }
}
