/** `sx agreement import`, which says of each signature that it does not store. */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import { readAgreement } from './agreement-input.ts'
import { statusWords } from './agreement-state.ts'
import { groupsOf, rowsOf, type Unverified, unknownIn } from './agreement-unverified.ts'
import { type Arguments, configPath, define, type Options, withVerifier } from './command.ts'
import { EXIT, type Failure, ofAgreement } from './exit.ts'
import type { Outcome, Row } from './output.ts'

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
    const stored = await agent.importAgreement(copy).catch((error: unknown) => {
      throw ofAgreement(error)
    })
    const { agreementId, agreementHash, status, unverified } = stored
    const notStored = groupsOf(await withoutStored(agent, agreementId, unverified))
    const failure = failureOf(notStored)
    const how = failure?.message ?? 'Keep the file, and ask its sender for a copy with valid signatures.'
    const rows: Row[] = [
      ['status', await statusWords(agent, stored)],
      ['id', agreementId],
    ]
    return {
      json: { agreementId, agreementHash, status, notStored },
      result: {
        title: notStored.length > 0 ? ['doubtful', `${STORED}, but not all events`] : ['good', STORED],
        rows,
        brief: agreementId,
      },
      ...(notStored.length > 0 && {
        note: {
          title: ['doubtful', 'Not all events are stored'],
          rows: [...rowsOf('not stored', notStored), ['to do', how]],
        },
      }),
      ...(failure && { failure }),
    }
  })
}

const STORED = 'Stored the agreement'

/** Those that were not stored before, when their signers were known. */
async function withoutStored(agent: SxAgent, id: string, unverified: Unverified): Promise<Unverified> {
  if (unverified.length === 0) return unverified
  const stored = new Set((await agent.verifyAgreement(id)).history.map(({ eventId }) => eventId))
  return unverified.filter(({ eventId }) => eventId === null || !stored.has(eventId))
}

/** Signatures that count as soon as the keys of their agents are known. */
function failureOf(notStored: ReturnType<typeof groupsOf>): Failure | undefined {
  const unknown = unknownIn(notStored)
  if (unknown === undefined) return undefined
  const what = `The key that ${unknown.agents} signed with is not known here, so these events are not stored.`
  const how =
    'Keep the file. Trust the agent with `sx trust add` and its latest agent document, then import the file again.'
  return { exit: EXIT.unchecked, code: unknown.code, message: `${what} ${how}` }
}
