/** `sx list`, `sx show`, `sx history`, `sx update` */
import type { Command } from 'commander'
import type { SxAgent } from '../../src/index.ts'
import { SxError } from '../../src/simple.ts'
import { sentencesOf } from './advice.ts'
import { type Arguments, configPath, define, type Options, withSigner, withVerifier, writes } from './command.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { EXIT, Stop } from './exit.ts'
import { checkTarget, readDocument, type Target } from './files.ts'
import { isKey } from './identifiers.ts'
import { type Outcome, type Row, shorten } from './output.ts'
import { checkSchemaOption, type SchemaOption, schemaOptions } from './schemas.ts'
import { deliverDocument } from './sign.ts'
import { parseStrictly } from './strict.ts'
import { incomplete, type Unreadable } from './unreadable.ts'
import { checkedBy, contentOf, deliver, outcomeOf } from './verdict.ts'

interface ListOptions extends Options {
  readonly type?: string
}

type UpdateOptions = Options & Target & SchemaOption

/** Adds the commands to the program. */
export function addDocumentsCommands(program: Command): void {
  const list = program.command('list').summary('list the stored documents')
  list
    .description(
      'Lists the latest version of each stored document, including the agent document: id and version, ' +
        'type and date. Does not verify them. To verify a document, use `sx show <id>`.',
    )
    .option('--type <type>', 'list only documents of this type, such as message')
  define<ListOptions>(list, ['sx list', 'sx list --type message --json'], listing)

  const show = program.command('show').argument('<document>', 'id (latest version) or id:version of the document')
  show
    .summary('verify a stored document and show its content')
    .description(
      'Shows who signed a stored document, and its content if it is valid and trusted. The exit status ' +
        'is that of `sx verify`.',
    )
  writes(show, 'the content, if it is valid and trusted,')
  define<Options & Target>(
    show,
    ['sx show 6fa459ea-ee8a-4ca4-894e-db77e160355e', 'sx show "$id" --json | jq -r .raw > signed.json'],
    showing,
  )

  const history = program.command('history').argument('<id>', 'id of the document')
  history
    .summary('list all versions of a stored document')
    .description(
      'Lists all versions of a stored document, oldest first: id and version, type and date. Does not ' +
        'verify them. To verify a version, use `sx show <id:version>`.',
    )
  define<Options>(
    history,
    ['sx history 6fa459ea-ee8a-4ca4-894e-db77e160355e', 'sx history "$id" --json | jq -r .versions[0].version'],
    tracing,
  )

  const update = program
    .command('update')
    .argument('<document>', 'id of the document, or id:version of its latest version')
  update
    .argument('[file]', 'new content; - or nothing for standard input')
    .summary('sign the next version of a stored document')
    .description(
      'Signs, stores and prints the next version of a stored document. The input is JSON: the new ' +
        'content, which replaces the old one, or the whole document with changed content. With id:version, ' +
        'fails if there is a later version.\n\nTo update a document that was signed with --schema, pass ' +
        '--schema.',
    )
  writes(update, 'the new version').option('--schema <file>', 'JSON Schema that the new version must match')
  define<UpdateOptions>(
    update,
    [
      'sx update 6fa459ea-ee8a-4ca4-894e-db77e160355e invoice.json',
      'sx show "$id" -o - | jq ".amount = 2" | sx update "$id" -',
    ],
    updating,
    PASSWORD_VARIABLES,
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

/** What a version says of itself, for a list. */
interface Listed {
  readonly documentId: string
  readonly version: string
  readonly type: string
  readonly date: string
}

async function listed(agent: SxAgent, key: string): Promise<Listed> {
  const { sxId, sxVersion, sxType, sxVersionDate } = (await headerOf(agent, key)).header
  return { documentId: sxId, version: sxVersion, type: sxType, date: sxVersionDate }
}

const rowOf = ({ documentId, version, type, date }: Listed): Row => [
  `${documentId}:${version}`,
  shorten(type),
  shorten(date),
]

async function listing({ type, ...options }: ListOptions): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const documents: Listed[] = []
    const unreadable: ({ documentId: string } & Unreadable)[] = []
    for (const key of await agent.listDocuments(type === undefined ? {} : { type })) {
      try {
        documents.push(await listed(agent, key))
      } catch (error) {
        if (!(error instanceof SxError)) throw error
        const [documentId = key] = key.split(':')
        unreadable.push({ documentId, code: error.code, message: sentencesOf(error) })
      }
    }
    const rows = documents.map(rowOf)
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

/** Says of a document that is not there how to find those that are. */
function missing(key: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SxError && error.code === 'NotFound')) throw error
    const found = `The document ${key} is not in the data directory. \`sx list\` lists the stored documents.`
    throw new Stop(EXIT.unchecked, error.code, found, { cause: error })
  }
}

async function showing(options: Options & Target, [key = '']: Arguments): Promise<Outcome> {
  checkTarget(options)
  return await withVerifier(configPath(options), async (agent) => {
    const { raw, header } = await headerOf(agent, key).catch(missing(key))
    const { sxId: documentId, sxVersion: version, sxType: type } = header
    const verdict = await agent.verifyById(`${documentId}:${version}`)
    const checked = checkedBy(agent, raw, verdict)
    const { result, json, failure } = outcomeOf(checked)
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
    return await deliver(outcome, () => contentOf(checked), options)
  })
}

async function tracing(options: Options, [id = '']: Arguments): Promise<Outcome> {
  return await withVerifier(configPath(options), async (agent) => {
    const keys = await agent.listVersions(id).catch(missing(id))
    const versions: Listed[] = []
    for (const key of keys) versions.push(await listed(agent, key))
    return { json: { documentId: id, versions }, result: { rows: versions.map(rowOf) } }
  })
}

async function updating(options: UpdateOptions, [key = '', file]: Arguments): Promise<Outcome> {
  checkTarget(options)
  if (!isKey(key)) throw new SxError('InvalidId') // before anybody types a password
  checkSchemaOption(options)
  const read = async (): Promise<string> => {
    const json = await readDocument(file, options)
    parseStrictly(json)
    return json
  }
  return await withSigner(options, file, read, async (agent, json) => {
    const raw = await agent.updateDocument(key, json, schemaOptions(options)).catch(missing(key))
    return await deliverDocument(agent, 'json', raw, options)
  })
}
