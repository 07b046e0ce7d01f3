/** What a party does in an agreement: one table of commands, each of which signs an event. */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import type { AgreementCopy, DelegateSigningOptions } from '../../src/simple.ts'
import { deadlineOf } from './agreement-dates.ts'
import {
  AGREEMENT,
  type CopyOptions,
  checkCopyTarget,
  handOutStored,
  readAgreement,
  wholeOf,
  withOutput,
  writesCopy,
} from './agreement-input.ts'
import { statusWords, termsReport } from './agreement-state.ts'
import { groupsOf, unseenNote } from './agreement-unverified.ts'
import { type Arguments, define, infoOf, type Options, withSigner } from './command.ts'
import { asks, type ConfirmOptions, confirm } from './confirm.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { ofAgreement, usage } from './exit.ts'
import { readDocument } from './files.ts'
import { type Outcome, textOf } from './output.ts'

/** The options of all acts; each command has some of them. */
interface Chosen {
  readonly note?: string
  readonly reason?: string
  readonly for?: string
  readonly until?: string
  readonly scope?: string
  /** A file; for the work its text. */
  readonly document?: string
}

interface ActOptions extends Options, CopyOptions, ConfirmOptions, Chosen {}

const OPTIONS = {
  note: ['--note <text>', 'note for the other parties'],
  reason: ['--reason <text>', 'reason, which the other parties can read'],
  for: ['--for <partyId>', 'act for this party, which must have delegated to this agent'],
  until: ['--until <date>', 'last day or date of signatures for the party (default: no limit)'],
  scope: ['--scope <names>', 'what the agent may do: sign, decline, withdraw, separated by commas (default: sign)'],
  document: ['--document <file>', 'signed document that authorises it, if the policy requires one'],
} as const

/** What is left of an act when the agreement is at hand. */
type Work = (agent: SxAgent, agreement: string, chosen: Chosen, second: string) => Promise<AgreementCopy>

interface Act {
  readonly name: string
  readonly summary: string
  readonly description: string
  /** What its report says. */
  readonly done: string
  /** The argument after the agreement. */
  readonly second?: readonly [flags: string, description: string]
  readonly takes: readonly (keyof typeof OPTIONS)[]
  /** An example, after the name of the command. */
  readonly example: string
  readonly work: Work
}

const ID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
const EVENT = 'event id of the dispute; `sx agreement dispute` prints it'

const ACTS: readonly Act[] = [
  {
    name: 'propose',
    summary: 'propose an agreement to the other parties',
    description: 'Proposes an agreement to the other parties. From then on, it can be signed.',
    done: 'Proposed',
    takes: ['note'],
    example: 'rent.json -o proposed.json',
    work: (agent, agreement, { note }) => agent.proposeAgreement(agreement, { ...(note !== undefined && { note }) }),
  },
  {
    name: 'sign',
    summary: 'sign an agreement',
    description:
      'Signs an agreement as one of its parties. On a terminal, the command prints the title, the text, the ' +
      'parties and the rules that differ from the default, and asks for confirmation; --yes skips the question. ' +
      'Without a terminal, or with --no-input, it signs without asking.',
    done: 'Signed',
    takes: ['for', 'note'],
    example: 'proposed.json -o signed.json',
    work: (agent, agreement, chosen) => agent.signAgreementDoc(agreement, chosen),
  },
  {
    name: 'decline',
    summary: 'decline an agreement',
    description:
      'Declines an agreement. The party cannot sign it afterwards. The policy decides whether this ends the agreement.',
    done: 'Declined',
    takes: ['for', 'reason'],
    example: 'proposed.json --reason "Too expensive."',
    work: (agent, agreement, chosen) => agent.declineAgreement(agreement, chosen),
  },
  {
    name: 'withdraw',
    summary: 'withdraw a signature',
    description: 'Withdraws a signature while the agreement is not complete. The party can sign again.',
    done: 'Withdrew the signature',
    takes: ['for', 'reason'],
    example: ID,
    work: (agent, agreement, chosen) => agent.withdrawSignature(agreement, chosen),
  },
  {
    name: 'void',
    summary: 'take a proposal back',
    description:
      'Takes a proposal back while the agreement is not complete. Only a party that proposed it can do this.',
    done: 'Voided',
    takes: ['reason'],
    example: `${ID} --reason "Wrong amount."`,
    work: (agent, agreement, chosen) => agent.voidAgreement(agreement, chosen),
  },
  {
    name: 'comment',
    summary: 'add a comment to an agreement',
    description: 'Adds a comment to an agreement. All parties can read it. It does not change the status.',
    done: 'Commented',
    second: ['<text>', 'the comment'],
    takes: [],
    example: `${ID} "Please sign before Friday."`,
    work: (agent, agreement, _, text) => agent.commentOnAgreement(agreement, text),
  },
  {
    name: 'delegate',
    summary: 'let another agent sign for this party',
    description:
      'Lets another agent act for the party of this agent, if the policy of the agreement allows it. The document of ' +
      '--document is verified, and the event names its id, version and hash.',
    done: 'Delegated',
    second: ['<agentId>', 'id of the other agent'],
    takes: ['scope', 'until', 'document'],
    example: `${ID} 0c4b7c6e-3f0a-4a52-9d0e-1b7a5c2f8e11 --until 2026-12-31`,
    work: async (agent, agreement, { scope = 'sign', until, document }, to) =>
      await agent.delegateSigning(agreement, to, {
        scope: scope.split(',').map(scopeOf),
        ...(until !== undefined && { until: deadlineOf('--until', until) }),
        ...(document !== undefined && { document: await authorityOf(agent, document) }),
      }),
  },
  {
    name: 'witness',
    summary: 'sign an agreement as a witness',
    description: 'Confirms, as a witness, that this agent has seen the signatures in the copy.',
    done: 'Signed as a witness',
    takes: ['note'],
    example: 'signed.json -o witnessed.json',
    work: (agent, agreement, chosen) => agent.witnessAgreement(agreement, chosen),
  },
  {
    name: 'notarize',
    summary: 'sign an agreement as a notary',
    description: 'Proves, as a notary, that all events in the copy existed when the notary signed.',
    done: 'Notarized',
    takes: ['note'],
    example: 'signed.json -o notarized.json',
    work: (agent, agreement, chosen) => agent.notarizeAgreement(agreement, chosen),
  },
  {
    name: 'dispute',
    summary: 'dispute a complete agreement',
    description:
      'Disputes a complete agreement. Prints the event id of the dispute, which `sx agreement resolve` takes.',
    done: 'Disputed',
    second: ['<reason>', 'reason, which the other parties can read'],
    takes: [],
    example: `${ID} "The roof leaks."`,
    work: (agent, agreement, _, reason) => agent.disputeAgreement(agreement, reason),
  },
  {
    name: 'resolve',
    summary: 'agree that a dispute is resolved',
    description: 'Agrees that a dispute is resolved. It is resolved when enough parties for the quorum have agreed.',
    done: 'Agreed that the dispute is resolved',
    second: ['<eventId>', EVENT],
    takes: ['reason'],
    example: `${ID} "$dispute"`,
    work: (agent, agreement, chosen, dispute) => agent.resolveDispute(agreement, dispute, chosen),
  },
  {
    name: 'terminate',
    summary: 'end a complete agreement',
    description: 'Ends a complete agreement, once as many parties have done so as its policy requires (default: all).',
    done: 'Terminated',
    takes: ['reason'],
    example: `${ID} --reason "Moved out."`,
    work: (agent, agreement, chosen) => agent.terminateAgreement(agreement, chosen),
  },
  {
    name: 'supersede',
    summary: 'replace a complete agreement with its successor',
    description:
      'Replaces a complete agreement with another complete one, whose terms name the first one. `sx agreement amend` ' +
      'creates such terms. The policy `terminate` of the first one says how many of its parties have to sign the second ' +
      'one.',
    done: 'Superseded',
    second: ['<successor>', 'id of the successor, or a file with a copy of it'],
    takes: [],
    example: `${ID} next.json`,
    work: (agent, agreement, _, successor) => agent.supersedeAgreement(agreement, successor),
  },
]

/** The commands whose first argument is an agreement. */
export const ACT_NAMES: readonly string[] = ACTS.map(({ name }) => name)

type Scope = 'sign' | 'decline' | 'withdraw'
const SCOPES: readonly string[] = ['sign', 'decline', 'withdraw'] satisfies Scope[]
const isScope = (name: string): name is Scope => SCOPES.includes(name)

function scopeOf(name: string): Scope {
  if (isScope(name)) return name
  throw usage(`--scope allows sign, decline and withdraw, but not '${name}'.`)
}

/** What an event names of a document. One that is not valid authorises nothing. */
async function authorityOf(agent: SxAgent, text: string): Promise<NonNullable<DelegateSigningOptions['document']>> {
  const { documentId: sxId, version: sxVersion } = await agent.verifyOrThrow(text)
  const { sxSha256: sha256 } = JSON.parse(text) as { readonly sxSha256: string }
  return { sxId, sxVersion, sha256 }
}

/** Adds the commands to those of agreements. */
export function addActs(group: Command): void {
  for (const act of ACTS) {
    const command = group.command(act.name).argument(...AGREEMENT)
    if (act.second !== undefined) command.argument(...act.second)
    command.summary(act.summary).description(`${act.description} The agreement is stored with the new event.`)
    writesCopy(command)
    for (const name of act.takes) command.option(OPTIONS[name][0], OPTIONS[name][1])
    if (act.name === 'sign') command.option('--yes', 'sign without asking for confirmation')
    const example = `sx agreement ${act.name} ${act.example}`
    define<ActOptions>(command, [example, `${example} --json`], (options, args) => acting(act, options, args), [
      ...PASSWORD_VARIABLES,
    ])
  }
}

async function acting(act: Act, given: ActOptions, [named, second = '']: Arguments): Promise<Outcome> {
  const options = withOutput(given)
  await checkCopyTarget(options)
  const { document } = options
  const read = async (): Promise<readonly [agreement: string, second: string, more: Pick<Chosen, 'document'>]> => [
    await readAgreement(named, options),
    act.name === 'supersede' ? await readAgreement(second, options) : second,
    document === undefined ? {} : { document: await readDocument(document, options) },
  ]
  return await withSigner(options, named, read, async (agent, [agreement, other, more]) => {
    if (act.name === 'sign') await confirmSigning(agent, agreement, options)
    const copy = await work(act, agent, agreement, { ...chosenOf(act, options), ...more }, other)
    const { agreementId, agreementHash, status, eventId = '', timestamp = '' } = copy
    const unverified = groupsOf(copy.unverified)
    const report = {
      title: ['good', act.done],
      rows: [
        ['status', await statusWords(agent, copy)],
        ['id', agreementId],
        ['event', eventId],
      ],
      brief: status,
    } as const
    const json = { agreementId, agreementHash, status, eventId, timestamp, unverified }
    const outcome = await handOutStored('The event is signed and stored.', agreementId, copy.raw, json, report, options)
    const note = unseenNote(unverified)
    return { ...outcome, ...(note && { note }) }
  })
}

async function work(act: Act, ...given: Parameters<Work>): ReturnType<Work> {
  try {
    return await act.work(...given)
  } catch (error) {
    throw ofAgreement(error)
  }
}

/** The options of an act that were passed, and no others: the library refuses those that it does not know. */
function chosenOf({ takes }: Act, options: Chosen): Chosen {
  const chosen: { -readonly [Name in keyof Chosen]: Chosen[Name] } = {}
  for (const name of takes) {
    const value = options[name]
    if (value !== undefined) chosen[name] = value
  }
  return chosen
}

/** Shows what is about to be signed, if there is somebody to ask. What is no party's agent cannot sign anyway. */
async function confirmSigning(agent: SxAgent, agreement: string, options: ConfirmOptions & Chosen): Promise<void> {
  if (!asks(options)) return
  const { terms } = await wholeOf(agent, agreement)
  const { agentId } = infoOf(agent)
  const party = terms.parties.find((one) =>
    options.for === undefined ? one.agentId === agentId : one.partyId === options.for,
  )
  if (party === undefined) return
  const question = `Sign this agreement as ${party.partyId}? (y/N): `
  await confirm(`${textOf(termsReport(terms))}\n${question}`, options)
}
