/** `sx documents` */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/agent.ts'
import { sessionOf } from '../../src/api/form.ts'
import { runAsync } from '../../src/effects.ts'
import { SxError } from '../../src/errors.ts'
import { verifyById } from '../../src/operations/documents.ts'
import { sentencesOf } from './advice.ts'
import { type Arguments, configPath, define, type Options, withVerifier, writes } from './command.ts'
import { EXIT, Stop } from './exit.ts'
import { checkTarget, type Target } from './files.ts'
import { type Outcome, type Row, shorten } from './output.ts'
import { incomplete, type Unreadable } from './unreadable.ts'
import { checkedBy, deliver, outcomeOf } from './verdict.ts'

interface ListOptions extends Options {
  readonly type?: string
}

/** Adds the commands to the program. */
export function addDocumentsCommands(program: Command): void {
  const documents = program.command('documents').description('The documents that are stored.')
  documents.addHelpText('after', '\nExamples:\n  $ sx documents list\n  $ sx documents list --type message\n')

  const list = documents.command('list').summary('list the stored documents')
  list
    .description(
      'Lists the latest versions of the stored documents, the one of the agent itself among them: id and version, ' +
        'type and date, as they say of themselves. Nothing is verified; `sx documents show` does.',
    )
    .option('--type <type>', 'only documents of this type, such as message')
  define<ListOptions>(list, ['sx documents list', 'sx documents list --type message --json'], listing)

  const show = documents.command('show').argument('<id>', 'id of the document, or id:version; an id is its latest one')
  show
    .summary('verify a stored document and show its content')
    .description(
      'Shows a stored document: who signed it, and its content if it is valid and its signer trusted. ' +
        'The exit status is that of `sx verify`.',
    )
  writes(show, 'the content, if it is valid and its signer trusted,')
  define<Options & Target>(
    show,
    [
      'sx documents show 6fa459ea-ee8a-4ca4-894e-db77e160355e',
      'sx documents show "$id" --json | jq -r .raw > signed.json',
    ],
    showing,
  )
}

/** What a stored document says of itself. */
interface Header {
  readonly sxId: string
  readonly sxVersion: string
  readonly sxType: string
  readonly sxVersionDate: string
}

async function headerOf(agent: SxAgent, key: string): Promise<{ readonly raw: string; readonly header: Header }> {
  const raw = await agent.getDocument(key) // which it would not give if it were not a document with a header
  return { raw, header: JSON.parse(raw) as Header }
}

async function listing({ type, ...options }: ListOptions): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const documents: { documentId: string; version: string; type: string; date: string }[] = []
    const unreadable: ({ documentId: string } & Unreadable)[] = []
    for (const key of await agent.listDocuments(type === undefined ? {} : { type })) {
      try {
        const { sxId, sxVersion, sxType, sxVersionDate } = (await headerOf(agent, key)).header
        documents.push({ documentId: sxId, version: sxVersion, type: sxType, date: sxVersionDate })
      } catch (error) {
        if (!(error instanceof SxError)) throw error
        const [documentId = key] = key.split(':')
        unreadable.push({ documentId, code: error.code, message: sentencesOf(error) })
      }
    }
    const rows = documents.map(
      ({ documentId, version, type, date }): Row => [`${documentId}:${version}`, shorten(type), shorten(date)],
    )
    const outcome = { json: { documents, unreadable }, result: { rows } }
    if (unreadable.length > 0) {
      const damaged = unreadable.map(({ documentId, ...why }) => [documentId, why] as const)
      return {
        ...outcome,
        ...incomplete(damaged, 'document', (count) => `The latest version of ${count} cannot be read.`),
      }
    }
    const note = { title: ['doubtful', 'No such document is stored'], rows: [] } as const
    return { ...outcome, ...(rows.length === 0 && { note }) }
  })
}

async function showing(options: Options & Target, [key = '']: Arguments): Promise<Outcome> {
  checkTarget(options)
  return await withVerifier(configPath(options), async (agent) => {
    const { raw, header } = await headerOf(agent, key).catch((error: unknown) => {
      if (!(error instanceof SxError && error.code === 'NotFound')) throw error
      const found = `The document ${key} is not in the data directory. \`sx documents list\` lists those that are.`
      throw new Stop(EXIT.unchecked, error.code, found, { cause: error })
    })
    const { sxId: documentId, sxVersion: version, sxType: type } = header
    const verdict = await runAsync(() => verifyById(sessionOf(agent), `${documentId}:${version}`))
    const { result, json, failure } = outcomeOf(checkedBy(agent, raw, verdict))
    const identity: Row[] = [
      ['document', `${documentId}:${version}`],
      ['type', shorten(type)],
    ]
    const isShown = verdict.valid && failure === undefined
    const content = isShown && options.output === undefined && { json: JSON.stringify(verdict.data, null, 2) }
    const { brief: _, ...whole } = result // --quiet is for the content too
    const outcome = {
      json: { ...json, documentId, version, ...(isShown && { type, raw }) },
      result: { ...whole, rows: [...result.rows, ...(verdict.valid ? identity : identity.slice(0, 1))], ...content },
      ...(failure && { failure }),
    }
    return await deliver(outcome, verdict, options)
  })
}
