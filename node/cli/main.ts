#!/usr/bin/env node
/**
 * The command `sx`.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { argv, stderr, stdout } from 'node:process'
import { Command, CommanderError } from 'commander'
import { addAgentCommands } from './agents.ts'
import { addAgreementCommands } from './agreements.ts'
import { addVerifyFileCommand } from './attached.ts'
import { addAuditCommand } from './audit.ts'
import { addBackupCommands } from './backups.ts'
import { knowsItsCommands, type Options, onceEach } from './command.ts'
import { addCompletionCommand } from './completion.ts'
import { variablesHelp } from './environment.ts'
import { EXIT, failureOf, unknownCommand } from './exit.ts'
import { addIdsCommand } from './ids.ts'
import { addImageCommands } from './images.ts'
import { addInspectCommand } from './inspect.ts'
import { type Outcome, present, presentFailure } from './output.ts'
import { addSignCommand } from './sign.ts'
import { addDocumentsCommands } from './stored.ts'
import { addTrustCommands } from './trust.ts'
import { addVerifyCommand } from './verify.ts'

interface ProgramOptions extends Options {
  readonly version?: boolean
}

/** The program with all its commands. */
function build(): Command {
  const program = new Command('sx')
    .description('Signs and verifies JSON documents, texts and images.')
    .option('--json', 'print one JSON value on standard output, also for errors')
    .option('--quiet', 'print only the result')
    .option('--config <path>', 'configuration of the agent (default: ./sx.config.json)')
    .option('--no-input', 'never prompt')
    .option('--version', 'print the version of the package, and build details on standard error')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 30 })
    .configureOutput({ outputError: () => {} }) // main reports it
    .exitOverride()
    .addHelpText('after', variablesHelp())
    .addHelpText('after', '\nExamples:\n  $ sx sign invoice.json -o signed.json\n  $ sx verify signed.json\n')
  onceEach(program)
  knowsItsCommands(program)
  program.action(() => {
    const options = program.opts<ProgramOptions>()
    const [command] = program.args
    if (options.version) process.exitCode = present(version(), options)
    else if (command === undefined) program.help({ error: true })
    else throw unknownCommand(program, command)
  })
  addAgentCommands(program)
  addSignCommand(program)
  addVerifyCommand(program)
  addVerifyFileCommand(program)
  addImageCommands(program)
  addInspectCommand(program)
  addTrustCommands(program)
  addDocumentsCommands(program)
  addAgreementCommands(program)
  addBackupCommands(program)
  addAuditCommand(program)
  addCompletionCommand(program)
  addIdsCommand(program)
  addHelpCommand(program)
  program.allowExcessArguments() // of the program alone: they are commands that do not exist
  return program
}

/** `sx help verify`, for `sx verify --help`. */
function addHelpCommand(program: Command): void {
  const help = program.command('help').argument('[command...]', 'name of the command')
  help.summary('show the help of a command').description('Shows the help of a command, like its option --help.')
  help.addHelpText('after', '\nExamples:\n  $ sx help verify\n  $ sx help trust add\n')
  help.action((path: readonly string[]) => {
    let command = program
    for (const name of path) {
      const next = command.commands.find((one) => one.name() === name)
      if (next === undefined) throw unknownCommand(command, name)
      command = next
    }
    command.help()
  })
}

/** What the build wrote down, see `scripts/setup/outputs.mjs`. */
interface Build {
  readonly core: string
  readonly commit: string | null
}

function version(): Outcome {
  const { resolve } = createRequire(import.meta.url)
  const manifest = resolve('sx-agent/package.json')
  const read = (path: string): unknown => JSON.parse(readFileSync(join(dirname(manifest), path), 'utf8'))
  const { version } = read('package.json') as { version: string }
  const { core, commit } = read('dist/build.json') as Build
  const bytes = readFileSync(resolve('sx-agent/core.wasm'))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {
    json: { version, core: { version: core, sha256, bytes: bytes.length }, commit, node: process.versions.node },
    data: version,
    note: {
      rows: [
        ['core', `${core}, WebAssembly, ${bytes.length} bytes, SHA-256 ${sha256}`],
        ['commit', commit ?? 'unknown'],
        ['node', process.versions.node],
      ],
    },
  }
}

/** Whether errors are to be reported as JSON, also if the arguments could not be parsed. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).includes('--json')
}

/** A key id, which is base64url, that begins as options do. */
const DASHED_KEY_ID = /^-[\w-]{42}$/

/** Arguments as they are parsed: a key id that begins with a hyphen goes behind the end of all options. */
function parsed(args: readonly string[]): readonly string[] {
  const keyIds = args.filter((arg) => DASHED_KEY_ID.test(arg))
  if (keyIds.length === 0 || args.includes('--')) return args
  return [...args.filter((arg) => !keyIds.includes(arg)), '--', ...keyIds]
}

async function main(args: readonly string[]): Promise<void> {
  try {
    await build().parseAsync(parsed(args), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === EXIT.done) return // help
    process.exitCode = presentFailure(failureOf(error), { json: wantsJson(args) })
  }
}

// Whoever reads our output may stop reading (`sx … | head`). That is no failure, and no success either:
// the exit status stays what the command makes it.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    // What was to be said cannot be: the status must not look like a verdict.
    if (stream === stdout) stderr.write(`sx: standard output cannot be written (${error.code}).\n`)
    process.exit(EXIT.unchecked)
  })
}

void main(argv.slice(2))
