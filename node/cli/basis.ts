/** What `sx verify` checks against: the agent of a configuration, folders, or one key. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as core from '#core'
import { sessionOf } from '../../src/api/form.ts'
import { encode } from '../../src/bytes.ts'
import { call } from '../../src/core.ts'
import { runAsync } from '../../src/effects.ts'
import { KeyRing } from '../../src/key-ring.ts'
import { sourcesIn } from '../../src/operations/standalone.ts'
import { sourcesOf, verify } from '../../src/operations/verify.ts'
import { requireLoaded } from '../../src/session.ts'
import { SxError, type VerificationResult, verifyStandalone } from '../../src/simple.ts'
import type { SourcesOf } from '../../src/verification/decide.ts'
import { defaultFolders } from '../folders.ts'
import { sentencesOf } from './advice.ts'
import { configPath, type Options, withVerifier } from './command.ts'
import { EXIT, Stop, usage } from './exit.ts'
import { isFolder, kindOf, readNamed } from './files.ts'
import { KEY_LIMIT, warnOfNames } from './key-names.ts'
import { DEFAULT_CONFIG_PATH } from './places.ts'
import { claimOf, verdictUnder } from './strict.ts'
import { basisOfAgent, type Checked, checkedBy, type PinnedKey } from './verdict.ts'

/** The options that say what counts. */
export interface BasisOptions extends Options {
  readonly key?: string
  readonly keyDirectory?: string
  readonly dataDirectory?: string
  readonly trustFrom?: string
}

/** What inputs are checked against. */
export interface Basis {
  /** Whose trust counts, and where that stands. */
  readonly by: Checked['by']
  /** Finds out about a document. */
  readonly document: (text: string) => Promise<Checked>
  /** Holds the keys that texts and images are checked with. */
  readonly ring: KeyRing
  readonly find: SourcesOf
}

/** Opens what inputs are checked against once, for all of them. */
export async function withBasis<T>(options: BasisOptions, work: (basis: Basis) => Promise<T>): Promise<T> {
  if (options.key !== undefined) return await withKey(await readKey(options.key, options), work)
  const config = configOf(options)
  if (config === undefined) return await withFolders(options, work)
  return await withVerifier(
    config,
    async (agent) => {
      const session = sessionOf(agent)
      const loaded = requireLoaded(session)
      const document = async (text: string): Promise<Checked> =>
        checkedBy(agent, text, withClaim(await runAsync(() => verify(session, text)), text))
      return await work({ by: basisOfAgent(agent), document, ring: loaded.ring, find: sourcesOf(loaded) })
    },
    HOW,
  )
}

/** Works with a ring of keys. */
async function withRing<T>(work: (ring: KeyRing) => Promise<T>): Promise<T> {
  const ring = new KeyRing('')
  try {
    return await work(ring)
  } finally {
    ring.dispose()
  }
}

const HOW = 'Pass one with --config, or its folder with --trust-from.'

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

async function readKey(file: string, options: BasisOptions): Promise<Pinned> {
  for (const [option, name] of SOURCES) {
    if (options[name] !== undefined) throw usage(`--key accepts only this key. It cannot be combined with ${option}.`)
  }
  if (file === '') throw usage('--key requires a file, but its name is empty.')
  const kind = kindOf(file)
  if (kind === 'folder' || kind === 'device') throw usage(`--key requires a file, but ${file} is a ${kind}.`)
  const bytes = await readNamed(file, KEY_LIMIT)
  if (bytes === undefined) throw new Stop(EXIT.usage, 'NotFound', `There is no file at ${file} (option --key).`)
  const pem = new TextDecoder().decode(bytes)
  try {
    return { pem, keyFile: resolve(file), keyId: call(() => core.publicKeyId(pem)) }
  } catch (cause) {
    if (!(cause instanceof SxError)) throw cause
    const what = `The file ${file} (option --key) is not a usable public key.`
    throw new Stop(EXIT.usage, cause.code, `${what} ${sentencesOf(cause)}`, { cause })
  }
}

async function withKey<T>({ pem, ...by }: Pinned, work: (basis: Basis) => Promise<T>): Promise<T> {
  const key = encode(pem)
  const document = async (text: string): Promise<Checked> => {
    return { text, verdict: verdictUnder(text, key), by, name: undefined }
  }
  // oxlint-disable-next-line require-yield -- an operation without effects
  const find: SourcesOf = function* () {
    return { directory: key } // whoever it says that it is from
  }
  return await withRing(async (ring) => await work({ by, document, ring, find }))
}

/** The configuration whose agent is to verify; `undefined` if keys come from folders. */
function configOf(options: BasisOptions): string | undefined {
  const { config, trustFrom, keyDirectory, dataDirectory } = options
  const isStandalone = keyDirectory !== undefined || dataDirectory !== undefined
  if (isStandalone && config !== undefined) {
    throw usage('--config uses the keys of its agent. It cannot be combined with --key-directory or --data-directory.')
  }
  if (trustFrom !== undefined) {
    if (isStandalone || config !== undefined) {
      throw usage('--trust-from cannot be combined with --config, --key-directory or --data-directory.')
    }
    // The empty name would mean the folder that one happens to be in.
    if (trustFrom === '') throw usage('The option --trust-from requires a folder.')
    const kind = kindOf(trustFrom)
    if (kind !== undefined && kind !== 'folder') {
      throw usage(`--trust-from requires a folder, but ${trustFrom} is a ${kind}. Pass a configuration with --config.`)
    }
    return join(trustFrom, DEFAULT_CONFIG_PATH)
  }
  for (const folder of [keyDirectory, dataDirectory]) {
    if (folder !== undefined && !isFolder(folder)) throw usage(`There is no readable folder at ${folder}.`)
  }
  if (isStandalone) return undefined
  if (config === undefined && !existsSync(DEFAULT_CONFIG_PATH)) return undefined
  return configPath(options, 'Or pass the folder with --trust-from.')
}

async function withFolders<T>(options: BasisOptions, work: (basis: Basis) => Promise<T>): Promise<T> {
  const { keyDirectory, dataDirectory } = options
  const isDefault = keyDirectory === undefined && dataDirectory === undefined
  if (keyDirectory !== undefined) warnOfNames(keyDirectory, options)
  const folders = {
    keyDirectory: isDefault ? defaultFolders?.keys : keyDirectory,
    dataDirectory: isDefault ? defaultFolders?.data : dataDirectory,
  }
  const whole = (folder: string | undefined): string | null => (folder === undefined ? null : resolve(folder))
  const by = { keyDirectory: whole(folders.keyDirectory), dataDirectory: whole(folders.dataDirectory) }
  const named = {
    ...(keyDirectory !== undefined && { keyDirectory }),
    ...(dataDirectory !== undefined && { dataDirectory }),
  }
  const document = async (text: string): Promise<Checked> => {
    return { text, verdict: withClaim(verifyStandalone(text, named), text), by, name: undefined }
  }
  const find = sourcesIn(folders.keyDirectory, folders.dataDirectory, !isDefault)
  return await withRing(async (ring) => await work({ by, document, ring, find }))
}

/** Where the trust store could not be read, the verdict comes without what the document claims. */
function withClaim(verdict: VerificationResult, text: string): VerificationResult {
  return verdict.valid || verdict.signerId !== '' ? verdict : { ...verdict, ...claimOf(text) }
}
