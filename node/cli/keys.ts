/** `sx agent reencrypt-key`, `sx agent rotate`, `sx agent revoke` */
import { type Command, Option } from 'commander'
import type { KeyAlgorithm, SxAgent } from '../../src/index.ts'
import { type RevocationReason, SxError } from '../../src/simple.ts'
import { ALGORITHM_NAMES } from './algorithms.ts'
import { configPath, define, infoOf, type Options, openSigner, withAgent } from './command.ts'
import { type ConfirmOptions, confirmLoss, countLost, type Lost, rowOfLost } from './confirm.ts'
import { PASSWORD_VARIABLES } from './environment.ts'
import type { Outcome, Row } from './output.ts'
import { askNewPassword, checkSavedPassword, lookForPassword, passwordVariable, readPasswordFile } from './password.ts'
import { refuseWeak, takesWeak, type WeakOptions } from './weak.ts'

interface ReencryptOptions extends Options, WeakOptions {
  readonly newPasswordFile?: string
}

interface RotateOptions extends Options, ConfirmOptions {
  readonly algorithm?: KeyAlgorithm
  readonly reason?: RevocationReason
  readonly force?: boolean
}

interface RevokeOptions extends Options, ConfirmOptions {
  readonly reason?: RevocationReason
  readonly force?: boolean
}

/** Why a key is revoked. */
const reasonOption = (description: string): Option =>
  new Option('--reason <reason>', description).choices(['superseded', 'compromised', 'unspecified'])

const YES = 'do not ask before signatures of a compromised key become invalid'

const ASKS =
  'With --reason compromised, everything that was signed with the key becomes invalid, including your own ' +
  'documents. On a terminal, the command first prints how many stored documents become invalid and asks for ' +
  'confirmation, unless you pass --yes or --no-input.'

/** Adds the commands to those of the agent. */
export function addKeyCommands(agent: Command): void {
  const reencrypt = agent
    .command('reencrypt-key')
    .summary('encrypt the private key with another password')
    .description('Encrypts the private key with another password.')
  takesWeak(
    reencrypt.option('--new-password-file <file>', 'read the new password from a file (or set SX_NEW_PASSWORD_FILE)'),
  )
  define<ReencryptOptions>(
    reencrypt,
    ['sx agent reencrypt-key', 'SX_PASSWORD_FILE=old.txt sx agent reencrypt-key --new-password-file new.txt'],
    reencrypting,
    [...PASSWORD_VARIABLES, 'SX_NEW_PASSWORD_FILE'],
  )

  const rotate = agent.command('rotate').summary('give the agent a new key, signed by the old one')
  rotate.description(
    'Gives the agent a new key, signed by the old one. The agent then signs with the new key; signatures ' +
      `of the old key stay valid.\n\n${ASKS} To keep some documents, rotate without a reason, sign their next ` +
      'versions with `sx update`, and then revoke the old key with `sx agent revoke`.',
  )
  rotate
    .addOption(new Option('--algorithm <name>', 'algorithm of the new key').choices(ALGORITHM_NAMES))
    .addOption(reasonOption('reason for revoking the old key (default: superseded)'))
    .option('--force', 'rotate even if signatures are dated after this clock; they become invalid')
    .option('--yes', YES)
  define<RotateOptions>(
    rotate,
    ['sx agent rotate', 'sx agent rotate --algorithm ed25519 --reason compromised --yes'],
    rotating,
    PASSWORD_VARIABLES,
  )

  const revoke = agent.command('revoke').summary('change the reason why an earlier key was revoked')
  revoke.description(
    `Changes the reason for which an earlier key was revoked. \`sx agent rotate\` revokes the old key as superseded by default.\n\n${ASKS} An invalid document cannot be updated. First sign ` +
      'the next version of each document that you want to keep with `sx update`.',
  )
  revoke
    .argument('<keyId>', 'id of the key; `sx agent show` lists all')
    .addOption(reasonOption('new reason (default: unspecified)'))
    .option('--force', 'end the key now if its revocation is dated after this clock')
    .option('--yes', YES)
  define<RevokeOptions>(
    revoke,
    [
      'sx agent revoke 1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y --reason compromised',
      'sx agent revoke 1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y --json',
    ],
    revoking,
    PASSWORD_VARIABLES,
  )
}

async function reencrypting(options: ReencryptOptions): Promise<Outcome> {
  const handed = await handedPassword(options) // before anybody types the old one
  if (handed !== undefined) refuseWeak(handed, options)
  const { agent, password } = await openSigner(options)
  return await withAgent(agent, async () => {
    await checkSavedPassword(configPath(options))
    // Not what was found before: loading may have ended a change that was broken off.
    const old = password ?? (await lookForPassword(configPath(options), undefined)).password
    const next = handed ?? (await askNewPassword(options, NEW_HOW, 'new password'))
    if (old === undefined) throw new SxError('Internal') // loading has found one, or asked for it
    await agent.reencryptKey(old, next)
    return {
      json: { agentId: infoOf(agent).agentId },
      note: { title: ['good', 'The private key has a new password'], rows: [] },
    }
  })
}

const NEW_HOW = 'Pass a file that contains it with --new-password-file.'

/** The new password, if a file holds it. */
async function handedPassword(options: ReencryptOptions): Promise<string | undefined> {
  if (options.newPasswordFile !== undefined) {
    return await readPasswordFile(options.newPasswordFile, '--new-password-file')
  }
  const named = passwordVariable('SX_NEW_PASSWORD_FILE')
  return named === undefined ? undefined : await readPasswordFile(named, 'SX_NEW_PASSWORD_FILE')
}

/** What a revocation for this reason takes back, once its user agrees; nothing for another reason. */
async function agreedLoss(
  agent: SxAgent,
  keyId: string,
  reason: RevocationReason | undefined,
  options: ConfirmOptions,
): Promise<Lost | undefined> {
  if (reason !== 'compromised') return undefined
  const lost = await countLost(agent, keyId)
  await confirmLoss(keyId, lost, options)
  return lost
}

const NEXT: Row = ['next', 'give `sx agent export` to those who trust the agent']
const BACKUPS = 'Earlier backups restore the former key. Make a new backup with `sx backup`.'

async function rotating({ algorithm, reason, force, ...options }: RotateOptions): Promise<Outcome> {
  const { agent, password } = await openSigner(options)
  return await withAgent(agent, async () => {
    const lost = await agreedLoss(agent, infoOf(agent).keyId, reason, options)
    const chosen = {
      ...(algorithm !== undefined && { algorithm }),
      ...(reason !== undefined && { reason }),
      ...(password !== undefined && { password }),
      ...(force !== undefined && { force }),
    }
    const rotated = await agent.rotateKey(chosen)
    const { keyId, formerKeyId, algorithm: kind, revokedAt } = rotated
    const rows: Row[] = [
      ['key id', keyId],
      ['algorithm', kind],
      ['former key', formerKeyId],
      ['revoked at', revokedAt],
      ...(lost === undefined ? [] : [rowOfLost(lost)]),
      NEXT,
      ['backups', BACKUPS],
    ]
    const warnings = rotated.warnings.map(({ code }) => ({ code, message: BACKUPS }))
    const json = { agentId: infoOf(agent).agentId, keyId, formerKeyId, algorithm: kind, revokedAt, warnings }
    return {
      json: { ...json, ...(lost && { invalidDocuments: lost }) },
      result: { title: ['good', 'The agent has a new key'], rows, brief: keyId },
    }
  })
}

interface PublicKeys {
  readonly sxPublicKeys: readonly { readonly keyId: string; readonly revoked?: Revoked }[]
}

interface Revoked {
  readonly at: string
  readonly reason: string
}

async function revoking(options: RevokeOptions, [keyId = '']: readonly string[]): Promise<Outcome> {
  const { reason, force } = options
  const { agent } = await openSigner(options)
  return await withAgent(agent, async () => {
    // What is no earlier key is refused below.
    const isEarlier = agent
      .listKeys()
      .slice(0, -1)
      .some((key) => key.keyId === keyId)
    const lost = isEarlier ? await agreedLoss(agent, keyId, reason, options) : undefined
    const chosen = { ...(reason !== undefined && { reason }), ...(force !== undefined && { force }) }
    const document = await agent.revokeKey(keyId, chosen)
    const { sxPublicKeys } = JSON.parse(document) as PublicKeys
    const revoked = sxPublicKeys.find((key) => key.keyId === keyId)?.revoked
    if (revoked === undefined) throw new SxError('Internal')
    const rows: Row[] = [
      ['key id', keyId],
      ['reason', revoked.reason],
      ['revoked at', revoked.at],
      ...(lost === undefined ? [] : [rowOfLost(lost)]),
      NEXT,
    ]
    const json = { agentId: infoOf(agent).agentId, keyId, reason: revoked.reason, revokedAt: revoked.at }
    return {
      json: { ...json, ...(lost && { invalidDocuments: lost }) },
      result: { title: ['good', 'The key is revoked'], rows, brief: revoked.reason },
    }
  })
}
