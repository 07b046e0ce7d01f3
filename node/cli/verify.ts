/** `sx verify` */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type SxAgent, sessionOf } from '../../src/agent.ts'
import { call } from '../../src/core.ts'
import { runAsync } from '../../src/effects.ts'
import { SxError } from '../../src/errors.ts'
import { DEFAULT_CONFIG_PATH } from '../../src/operations/load.ts'
import { verify } from '../../src/operations/verify.ts'
import { requireLoaded } from '../../src/session.ts'
import { verifyStandalone } from '../../src/simple.ts'
import type { InvalidResult, VerificationResult } from '../../src/types.ts'
import { platform } from '../platform.ts'
import { type Arguments, configPath, define, infoOf, type Options, withVerifier, writes } from './command.ts'
import { EXIT, exitOf, type Failure, usage } from './exit.ts'
import { checkTarget, hasFile, isFolder, isOutput, readDocument, type Target, writeTarget } from './files.ts'
import { type Outcome, type Report, type Row, shorten, type Tone } from './output.ts'
import { claimOf } from './strict.ts'
import { nameOf } from './trust.ts'

interface VerifyOptions extends Options, Target {
  readonly keyDirectory?: string
  readonly dataDirectory?: string
  readonly trustFrom?: string
}

/** Adds the command to the program. */
export function addVerifyCommand(program: Command): void {
  const check = program.command('verify').argument('[file]', 'signed document; - or nothing for standard input')
  check
    .summary('check a document: whose it is, and whether it is unchanged')
    .description(
      'Says whether a document is valid, who signed it and whether that agent is trusted, and by whom: which trust ' +
        'store was looked at, and where it is. With a configuration, here or by --config or --trust-from, the keys ' +
        'are those that its agent knows; without one, or with --key-directory or --data-directory, those in these ' +
        'folders. Nobody is asked for a password.\n\n' +
        'Exit status: 0 valid and trusted, 1 not valid, 2 usage, 3 valid but not trusted, 4 could not be checked.',
    )
    .option('--trust-from <folder>', 'take the trust store of the agent whose sx.config.json is in this folder')
    .option('--key-directory <folder>', 'take keys from <agentId>.public.pem files (default: ./sx_keys)')
    .option('--data-directory <folder>', 'take keys from agent documents and a trust store (default: ./sx_data)')
  writes(check, 'the content, if it is valid and its signer trusted,')
  define<VerifyOptions>(
    check,
    ['sx verify invoice.signed.json --trust-from ~/billing', 'curl -s https://example.com/doc.json | sx verify'],
    verifying,
  )
}

/** Where the keys come from and what decides whom to trust: a loaded agent's store, or folders. */
type TrustStore =
  | {
      readonly agentId: string
      readonly name: string
      readonly configPath: string
      readonly keyDirectory: string
      readonly dataDirectory: string
    }
  | { readonly keyDirectory: string | null; readonly dataDirectory: string | null }

/** What was found out about a document. */
interface Checked {
  readonly text: string
  readonly verdict: VerificationResult
  readonly trustStore: TrustStore
  /** What the signer calls itself, if it is trusted. */
  readonly name: string | undefined
}

async function verifying(options: VerifyOptions, [file]: Arguments): Promise<Outcome> {
  checkTarget(options)
  const config = configOf(options)
  const checked =
    config === undefined
      ? await checkWithFolders(options, file)
      : await withVerifier(config, (agent) => checkWithAgent(agent, options, file), HOW)
  const { verdict, text, trustStore, name } = checked
  const failure = failureOf(verdict, text)
  const json = { ...verdict, ...(name !== undefined && { signerName: name }), trustStore }
  const outcome = { json, result: reportOf(checked, failure), isAside: isOutput(options) }
  if (!verdict.valid || failure !== undefined) return { ...outcome, ...(failure && { failure }) }
  const data = `${JSON.stringify(verdict.data, null, 2)}\n`
  if (hasFile(options)) await writeTarget(options.output, data, options)
  return isOutput(options) ? { ...outcome, data } : outcome
}

const HOW = 'Name one with --config, or the folder that it is in with --trust-from.'

/** The configuration whose agent is to verify; `undefined` if keys come from folders. */
function configOf(options: VerifyOptions): string | undefined {
  const { config, trustFrom, keyDirectory, dataDirectory } = options
  const isStandalone = keyDirectory !== undefined || dataDirectory !== undefined
  if (isStandalone && config !== undefined) {
    throw usage('--config has the keys of its agent; it does not go with --key-directory or --data-directory.')
  }
  if (trustFrom !== undefined) {
    if (isStandalone || config !== undefined) {
      throw usage(
        '--trust-from names all that counts; it does not go with --config, --key-directory or --data-directory.',
      )
    }
    // The empty name would mean the folder that one happens to be in.
    if (trustFrom === '') throw usage('The option --trust-from takes a folder.')
    return join(trustFrom, DEFAULT_CONFIG_PATH)
  }
  for (const folder of [keyDirectory, dataDirectory]) {
    if (folder !== undefined && !isFolder(folder)) throw usage(`There is no folder at ${folder} that can be read.`)
  }
  if (isStandalone) return undefined
  if (config === undefined && !existsSync(DEFAULT_CONFIG_PATH)) return undefined
  return configPath(options, 'Or name the folder with --trust-from.')
}

async function checkWithAgent(agent: SxAgent, options: VerifyOptions, file: string | undefined): Promise<Checked> {
  const text = await readDocument(file, options)
  const verdict = withClaim(await runAsync(() => verify(sessionOf(agent), text)), text)
  const { agentId, name, configPath: path, keyDirectory } = infoOf(agent)
  const { config } = requireLoaded(sessionOf(agent)).place
  const dataDirectory = resolve(dirname(path), config.dataDirectory)
  const isTrusted = verdict.valid && verdict.trusted
  return {
    text,
    verdict,
    trustStore: { agentId, name, configPath: path, keyDirectory, dataDirectory },
    name: isTrusted ? (verdict.signerId === agentId ? name : nameOf(agent, verdict.signerId)) : undefined,
  }
}

async function checkWithFolders(options: VerifyOptions, file: string | undefined): Promise<Checked> {
  const { keyDirectory, dataDirectory } = options
  const isDefault = keyDirectory === undefined && dataDirectory === undefined
  const folders = {
    keyDirectory: isDefault ? platform.defaultFolders?.keys : keyDirectory,
    dataDirectory: isDefault ? platform.defaultFolders?.data : dataDirectory,
  }
  const text = await readDocument(file, options)
  const verdict = verifyStandalone(text, {
    ...(keyDirectory !== undefined && { keyDirectory }),
    ...(dataDirectory !== undefined && { dataDirectory }),
  })
  const whole = (folder: string | undefined): string | null => (folder === undefined ? null : resolve(folder))
  const trustStore = { keyDirectory: whole(folders.keyDirectory), dataDirectory: whole(folders.dataDirectory) }
  return { text, verdict: withClaim(verdict, text), trustStore, name: undefined }
}

/** Where the trust store could not be read, the verdict comes without what the document claims. */
function withClaim(verdict: VerificationResult, text: string): VerificationResult {
  return verdict.valid || verdict.signerId !== '' ? verdict : { ...verdict, ...claimOf(text) }
}

function failureOf(verdict: VerificationResult, text: string): Failure | undefined {
  if (!verdict.valid) {
    const { code, errors, signerId } = verdict
    if (code === 'UnknownSigner') return { exit: exitOf(code), code, message: `${new SxError(code).found} ${TRUST}` }
    const message = errors.map((error) => error.replace(`${code}: `, '')).join(' ')
    if (!isOfKeyFile(verdict, text)) return { exit: exitOf(code), code, message }
    const what = `The file ${signerId}.public.pem in the key directory cannot be used.`
    return { exit: EXIT.unchecked, code, message: `${what} ${message}` }
  }
  if (verdict.trusted) return undefined
  return { exit: EXIT.untrusted, code: 'UntrustedSigner', message: `The signer is not trusted. ${TRUST}` }
}

const TRUST = 'Compare the key id with what the signer tells you, then add its agent document with `sx trust add`.'

/** What a key id looks like (protocol, section 4). */
const KEY_ID = /^[\w-]{43}$/

/**
 * Whether the key that cannot be used is one of the key directory, which says nothing of the document. Agent
 * documents bring keys with them, and are checked with these alone to know.
 */
function isOfKeyFile({ code }: InvalidResult, text: string): boolean {
  if (code !== 'InvalidKey' && code !== 'WeakPublicKey') return false
  try {
    call((core) => core.agentVerify(text, ''))
    return true
  } catch (error) {
    return !(error instanceof SxError) || error.code !== code
  }
}

function titleOf(failure: Failure | undefined): readonly [Tone, string] {
  switch (failure?.exit) {
    case undefined:
      return ['good', 'VALID, signed by a trusted agent']
    case EXIT.untrusted:
      return ['doubtful', 'VALID, but the signer is NOT TRUSTED']
    case EXIT.unchecked:
      return ['bad', 'COULD NOT BE CHECKED']
    case EXIT.done:
    case EXIT.invalid:
    case EXIT.usage:
      return ['bad', 'NOT VALID']
  }
}

/** Whose trust counts, and where that stands. */
function rowsOf(store: TrustStore): Row[] {
  const { keyDirectory, dataDirectory } = store
  const place: Row = ['trust store', shown(dataDirectory, '--data-directory')]
  if (!('agentId' in store)) return [place, ['key directory', shown(keyDirectory, '--key-directory')]]
  const { agentId, name, configPath: path } = store
  return [place, ['of agent', agentId], ['that is called', shorten(name)], ['configuration', path]]
}

/** In short: the configuration, which can name any directories as its own. */
function briefOf(store: TrustStore): Row {
  return [
    'trust store',
    'agentId' in store ? `that of ${store.configPath}` : shown(store.dataDirectory, '--data-directory'),
  ]
}

function shown(folder: string | null, option: string): string {
  if (folder === null) return `none; ${option} names one`
  return isFolder(folder) ? folder : `none; there is no folder at ${folder}`
}

function reportOf({ verdict, name, trustStore }: Checked, failure: Failure | undefined): Report {
  const title = titleOf(failure)
  const { signerId, valid } = verdict
  // Of a document that is not valid nothing is known, not even who signed it.
  const signer: Row = valid ? ['signer', signerId] : ['claims to be from', signerId || 'nobody']
  const called: Row[] = name === undefined ? [] : [['signer is called', shorten(name)]]
  const trusted: Row = ['trusted', valid && verdict.trusted ? 'yes' : 'no']
  const brief = [signer, trusted, briefOf(trustStore), ...called].map(([label, value]) => `${label}: ${value}`)
  const rows: Row[] = [signer, ...called, trusted]
  if (!valid && KEY_ID.test(verdict.keyId)) rows.splice(1, 0, ['with the key id', verdict.keyId])
  if (valid) {
    rows.unshift(['key id', verdict.keyId])
    rows.push(['signed at', verdict.timestamp], ['algorithm', verdict.algorithm])
  }
  if (failure !== undefined) rows.push(['reason', `${failure.code}: ${failure.message}`])
  return { title, rows: [...rows, ...rowsOf(trustStore)], brief: [title[1], ...brief].join('; ') }
}
