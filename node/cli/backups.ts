/** `sx backup`, `sx restore` */
import type { Command } from 'commander'
import { importStore, SxError, verifyBackup } from '../../src/simple.ts'
import { findingOf, sentencesOf } from './advice.ts'
import { type Arguments, configPath, define, type Options, openSigner, withAgent, writes } from './command.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import { EXIT, Stop, usage } from './exit.ts'
import { checkTarget, hasFile, readBytes, type Target, writeTarget } from './files.ts'
import { LARGEST_BACKUP } from './limits.ts'
import { type Outcome, type Row, shorten } from './output.ts'
import { lookForPassword, readPasswordFile } from './password.ts'
import { refuseWeak, takesWeak, type WeakOptions } from './weak.ts'

interface BackupOptions extends Options, Target, WeakOptions {
  readonly backupPasswordFile?: string
}

interface RestoreOptions extends Options {
  readonly keyDirectory?: string
  readonly dataDirectory?: string
}

/** Adds the commands to the program. */
export function addBackupCommands(program: Command): void {
  const backup = program.command('backup').summary('save the agent and its data in one file')
  backup.description(
    'Writes the configuration, private key, documents and trust store of the agent to one file. The ' +
      'private key stays encrypted with its current password, or with the one in --backup-password-file. ' +
      'The file contains no password. The documents are not encrypted; only the owner can read the file of ' +
      '--output.\n\nMake a new backup after each `sx agent rotate`. An older one restores the former key.',
  )
  takesWeak(
    writes(backup, 'the backup').option(
      '--backup-password-file <file>',
      'encrypt the private key in the backup with the password in this file',
    ),
  )
  define<BackupOptions>(
    backup,
    ['sx backup -o billing.backup.json', 'sx backup -o - | gpg -c > billing.backup.json.gpg'],
    backingUp,
    PASSWORD_VARIABLES,
  )

  const restore = program.command('restore').argument('<file>', 'backup; - for standard input')
  restore
    .summary('restore an agent from a backup')
    .description(
      'Restores an agent to an empty location. Checks the whole backup first and overwrites nothing. ' +
        'Needs no password: the password stays the same as in the backup. Prints the date and the key of the ' +
        'backup. Compare this key with the latest key that you know.\n\nExit status: 0 restored, 1 ' +
        'the backup is damaged or not signed by its agent, 2 usage, or something already exists, 4 could ' +
        'not be read or written.',
    )
    .option('--key-directory <folder>', 'write keys to this folder (default: as in the backup, or ./sx_keys)')
    .option('--data-directory <folder>', 'write documents to this folder (default: as in the backup, or ./sx_data)')
  define<RestoreOptions>(
    restore,
    ['sx restore billing.backup.json', 'sx restore billing.backup.json --config restored/sx.config.json'],
    restoring,
  )
}

/** Refuses, before anybody types a password, a backup that would go nowhere, or onto a screen. */
function checkBackupTarget(options: BackupOptions): void {
  checkTarget(options)
  if (hasFile(options)) return
  if (options.json) throw usage('With --json, standard output is one JSON value. Pass a file with --output.')
  if (process.stdout.isTTY) throw usage('A backup is not written to a terminal. Pass a file with --output.')
}

async function backingUp(options: BackupOptions): Promise<Outcome> {
  checkBackupTarget(options)
  const { backupPasswordFile: file } = options
  const handed = file === undefined ? undefined : await readPasswordFile(file, '--backup-password-file')
  if (handed !== undefined) refuseWeak(handed, options)
  const { agent, password } = await openSigner(options)
  return await withAgent(agent, async () => {
    if (handed === undefined) {
      const own = password ?? (await lookForPassword(configPath(options), undefined)).password
      if (own !== undefined) refuseWeak(own, options)
    }
    const given = handed === undefined ? {} : { password: handed }
    const data = await agent.exportStore(given)
    const { savedAt, keyId, agentId: id, name, entries } = await verifyBackup(data)
    const rows: Row[] = [
      ['made at', savedAt],
      ['key id', keyId],
      ['id', id],
      ['name', shorten(name)],
      ['entries', String(entries)],
    ]
    const note = { title: ['good', 'Backed up'], rows } as const
    const json = { agentId: id, keyId, savedAt, entries, bytes: data.length }
    if (!hasFile(options)) return { json, data, note }
    await writeTarget(options.output, data, options, OWNERS)
    rows.push(['written to', options.output])
    return { json: { ...json, output: options.output }, note }
  })
}

/** What its owner alone may read. */
const OWNERS = 0o600

async function restoring(options: RestoreOptions, [file]: Arguments): Promise<Outcome> {
  const path = configPath(options)
  const bytes = await readBytes(file, options, { limitOf: () => LARGEST_BACKUP, empty: 'CorruptStore' })
  try {
    await verifyBackup(bytes)
  } catch (cause) {
    if (!(cause instanceof SxError && cause.code === 'CorruptStore')) throw cause
    throw new Stop(EXIT.invalid, cause.code, sentencesOf(cause), { cause })
  }
  const { keyDirectory, dataDirectory } = options
  const target = {
    configPath: path,
    ...(keyDirectory !== undefined && { keyDirectory }),
    ...(dataDirectory !== undefined && { dataDirectory }),
  }
  try {
    const restored = await importStore(bytes, target)
    const { savedAt, keyId, agentId, name, keyIds, entries, configPath: config, warnings } = restored
    const rows: Row[] = [
      ['made at', savedAt],
      ['key id', keyId],
      ['keys', String(keyIds.length)],
      ['id', agentId],
      ['name', shorten(name)],
      ['entries', String(entries)],
      ['configuration', config],
      ...warnings.map(({ message }): Row => ['warning', message]),
    ]
    return { json: { ...restored }, result: { title: ['good', 'Restored'], rows, brief: agentId } }
  } catch (error) {
    throw occupied(error)
  }
}

/** Something stands where the agent would go. */
function occupied(error: unknown): unknown {
  if (!(error instanceof SxError && error.code === 'AlreadyExists')) return error
  const how = 'Pass another path with --config, or move the existing files if no agent needs them.'
  return new Stop(EXIT.usage, error.code, `${findingOf(error)} ${how}`, { cause: error })
}
