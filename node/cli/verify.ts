/** `sx verify` */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import * as core from '#core'
import { sessionOf } from '../../src/api/form.ts'
import { encode } from '../../src/bytes.ts'
import { call } from '../../src/core.ts'
import { runAsync } from '../../src/effects.ts'
import { SxError } from '../../src/errors.ts'
import { DEFAULT_CONFIG_PATH } from '../../src/operations/load.ts'
import { verify } from '../../src/operations/verify.ts'
import { verifyStandalone } from '../../src/simple.ts'
import type { VerificationResult } from '../../src/types.ts'
import { defaultFolders } from '../folders.ts'
import { sentencesOf } from './advice.ts'
import { type Arguments, configPath, define, type Options, withVerifier, writes } from './command.ts'
import { EXIT, failureOf, Stop, usage } from './exit.ts'
import { checkTarget, isFolder, isInput, kindOf, readDocument, readNamed, type Target } from './files.ts'
import { type Outcome, remark } from './output.ts'
import { claimOf, verdictUnder } from './strict.ts'
import { briefOf, type Checked, checkedBy, deliver, lineOf, outcomeOf, type PinnedKey, titleOf } from './verdict.ts'

interface VerifyOptions extends Options, Target {
  readonly key?: string
  readonly keyDirectory?: string
  readonly dataDirectory?: string
  readonly trustFrom?: string
}

/** Adds the command to the program. */
export function addVerifyCommand(program: Command): void {
  const check = program.command('verify').argument('[files...]', 'signed documents; - or nothing for standard input')
  check
    .summary('check documents: whose they are, and whether they are unchanged')
    .description(
      'Says whether a document is valid, who signed it and whether that agent is trusted, and by whom: which trust ' +
        'store was looked at, and where it is. With a configuration, here or by --config or --trust-from, the keys ' +
        'are those that its agent knows; without one, or with --key-directory or --data-directory, those in these ' +
        'folders. With --key it is this key alone, and nobody has to be trusted. Nobody is asked for a password.\n\n' +
        'Of several files there is a line for each, and the exit status is the worst: 1 before 4, 4 before 3.\n\n' +
        'Exit status: 0 valid and trusted, or signed with the key that --key names, 1 not valid, 2 usage, ' +
        '3 valid but not trusted, 4 could not be checked.',
    )
    .option('--key <file>', 'accept what is signed with this public key (PEM), and nothing else')
    .option('--trust-from <folder>', 'take the trust store of the agent whose sx.config.json is in this folder')
    .option('--key-directory <folder>', 'take keys from <agentId>.public.pem files (default: ./sx_keys)')
    .option('--data-directory <folder>', 'take keys from agent documents and a trust store (default: ./sx_data)')
  writes(check, 'the content, if it is valid and its signer trusted,')
  define<VerifyOptions>(
    check,
    ['sx verify invoice.signed.json --trust-from ~/billing', 'sx verify *.signed.json --key billing.public.pem'],
    verifying,
  )
}

/** Finds out about the document in a file. */
type Check = (file: string | undefined) => Promise<Checked>

async function verifying(options: VerifyOptions, files: Arguments): Promise<Outcome | readonly Outcome[]> {
  checkTarget(options)
  if (files.length > 1 && options.output !== undefined) {
    throw usage('--output takes the content of one document, and several were named.')
  }
  if (files.filter(isInput).length > 1) throw usage('Standard input holds one document: name - once.')
  return await withCheck(options, async (check) => {
    if (files.length > 1) return await checkEach(files, check, options)
    const checked = await check(files[0])
    return await deliver(outcomeOf(checked), checked.verdict, options)
  })
}

/** Opens what the documents are checked against once, for all of them. */
async function withCheck<T>(options: VerifyOptions, work: (check: Check) => Promise<T>): Promise<T> {
  if (options.key !== undefined) {
    const pinned = await readKey(options.key, options)
    return await work((file) => checkWithKey(pinned, options, file))
  }
  const config = configOf(options)
  if (config === undefined) return await work((file) => checkWithFolders(options, file))
  const check = (agent: Parameters<typeof checkedBy>[0]): Check => {
    return async (file) => {
      const text = await readDocument(file, options)
      return checkedBy(agent, text, withClaim(await runAsync(() => verify(sessionOf(agent), text)), text))
    }
  }
  return await withVerifier(config, (agent) => work(check(agent)), HOW)
}

async function checkEach(files: readonly string[], check: Check, options: VerifyOptions): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  let by: Checked['by'] | undefined
  for (const file of files) {
    try {
      const checked = await check(file)
      by ??= checked.by
      const { result: _, ...outcome } = lineOf(file, checked)
      // Without --json the content need not stay in memory until all are done.
      outcomes.push(options.json ? outcome : { ...outcome, json: {} })
    } catch (error) {
      outcomes.push(unread(file, error))
    }
  }
  if (by !== undefined) remark(briefOf(by).join(': '), options)
  return outcomes
}

/** A file that there is no document to judge in. The others are looked at all the same. */
function unread(file: string, error: unknown): Outcome {
  if (!(error instanceof SxError || error instanceof Stop)) throw error
  const failure = failureOf(error)
  if (failure.exit === EXIT.usage) throw error
  const [, title] = titleOf(failure)
  return { json: { file }, failure, line: [title, file, `${failure.code}: ${failure.message}`] }
}

const HOW = 'Name one with --config, or the folder that it is in with --trust-from.'

/** The options that name where keys come from. */
const SOURCES = [
  ['--trust-from', 'trustFrom'],
  ['--config', 'config'],
  ['--key-directory', 'keyDirectory'],
  ['--data-directory', 'dataDirectory'],
] as const

/** The one key that counts. */
interface Pinned extends PinnedKey {
  readonly pem: string
}

async function readKey(file: string, options: VerifyOptions): Promise<Pinned> {
  for (const [option, name] of SOURCES) {
    if (options[name] !== undefined) throw usage(`--key names the one key that counts; it does not go with ${option}.`)
  }
  if (file === '') throw usage('--key takes a file, and its name is empty.')
  const kind = kindOf(file)
  if (kind === 'folder' || kind === 'device') throw usage(`--key takes a file, and ${file} is a ${kind}.`)
  const bytes = await readNamed(file, KEY_LIMIT)
  if (bytes === undefined) throw new Stop(EXIT.usage, 'NotFound', `There is no file at ${file}, which --key names.`)
  const pem = new TextDecoder().decode(bytes)
  try {
    return { pem, keyFile: resolve(file), keyId: call(() => core.publicKeyId(pem)) }
  } catch (cause) {
    if (!(cause instanceof SxError)) throw cause
    const what = `The file ${file}, which --key names, is not a public key that can be used.`
    throw new Stop(EXIT.usage, cause.code, `${what} ${sentencesOf(cause)}`, { cause })
  }
}

/** Largest key file, in bytes: several times what the largest key takes. */
const KEY_LIMIT = 65_536

async function checkWithKey(
  { pem, ...by }: Pinned,
  options: VerifyOptions,
  file: string | undefined,
): Promise<Checked> {
  const text = await readDocument(file, options)
  return { text, verdict: verdictUnder(text, encode(pem)), by, name: undefined }
}

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
    const kind = kindOf(trustFrom)
    if (kind !== undefined && kind !== 'folder') {
      throw usage(`--trust-from takes a folder, and ${trustFrom} is a ${kind}. A configuration is for --config.`)
    }
    return join(trustFrom, DEFAULT_CONFIG_PATH)
  }
  for (const folder of [keyDirectory, dataDirectory]) {
    if (folder !== undefined && !isFolder(folder)) throw usage(`There is no folder at ${folder} that can be read.`)
  }
  if (isStandalone) return undefined
  if (config === undefined && !existsSync(DEFAULT_CONFIG_PATH)) return undefined
  return configPath(options, 'Or name the folder with --trust-from.')
}

async function checkWithFolders(options: VerifyOptions, file: string | undefined): Promise<Checked> {
  const { keyDirectory, dataDirectory } = options
  const isDefault = keyDirectory === undefined && dataDirectory === undefined
  const folders = {
    keyDirectory: isDefault ? defaultFolders?.keys : keyDirectory,
    dataDirectory: isDefault ? defaultFolders?.data : dataDirectory,
  }
  const text = await readDocument(file, options)
  const verdict = verifyStandalone(text, {
    ...(keyDirectory !== undefined && { keyDirectory }),
    ...(dataDirectory !== undefined && { dataDirectory }),
  })
  const whole = (folder: string | undefined): string | null => (folder === undefined ? null : resolve(folder))
  const by = { keyDirectory: whole(folders.keyDirectory), dataDirectory: whole(folders.dataDirectory) }
  return { text, verdict: withClaim(verdict, text), by, name: undefined }
}

/** Where the trust store could not be read, the verdict comes without what the document claims. */
function withClaim(verdict: VerificationResult, text: string): VerificationResult {
  return verdict.valid || verdict.signerId !== '' ? verdict : { ...verdict, ...claimOf(text) }
}
