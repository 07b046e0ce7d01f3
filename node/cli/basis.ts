/** What `sx verify` checks against: the agent of a configuration, folders, or one key. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  getKeyId,
  SxError,
  type VerificationResult,
  type VerifyTextOptions,
  verifyFile,
  verifyImage,
  verifyStandalone,
  verifyText,
} from '../../src/simple.ts'
import { adviceOn, sentencesOf } from './advice.ts'
import { configPath, type Options, withVerifier } from './command.ts'
import { EXIT, Stop, usage } from './exit.ts'
import { isFolder, kindOf, readNamed } from './files.ts'
import { KEY_LIMIT, warnOfNames } from './key-names.ts'
import { DEFAULT_CONFIG_PATH, DEFAULT_FOLDERS } from './places.ts'
import { claimOf } from './strict.ts'
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
  /** Finds out about a text, an image, and a file that may be attached to a document. */
  readonly text: typeof verifyText
  readonly image: typeof verifyImage
  readonly file: typeof verifyFile
}

/** Opens what inputs are checked against once, for all of them. */
export async function withBasis<T>(options: BasisOptions, work: (basis: Basis) => Promise<T>): Promise<T> {
  if (options.key !== undefined) return await withKey(await readKey(options.key, options), work)
  const config = configOf(options)
  if (config === undefined) return await withFolders(options, work)
  return await withVerifier(
    config,
    async (agent) => {
      const document = async (text: string): Promise<Checked> =>
        checkedBy(agent, text, withClaim(await agent.verify(text), text))
      return await work({
        by: basisOfAgent(agent),
        document,
        text: (source, given) => agent.verifyText(source, given),
        image: (source, given) => agent.verifyImage(source, given),
        file: (signed, file, given) => agent.verifyFile(signed, file, given),
      })
    },
    HOW,
  )
}

/** Where keys come from that no agent has. */
type Keys = Pick<VerifyTextOptions, 'key' | 'keys' | 'keyDir' | 'dataDirectory'>

/** Finds out about texts, images and files with these keys alone. */
const withKeys = (keys: Keys): Pick<Basis, 'text' | 'image' | 'file'> => ({
  text: (source, given) => verifyText(source, { ...given, ...keys }),
  image: (source, given) => verifyImage(source, { ...given, ...keys }),
  file: (signed, file, given) => verifyFile(signed, file, { ...given, ...keys }),
})

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
  if (bytes === undefined)
    throw new Stop(EXIT.usage, 'NotFound', `There is no file at ${file} (option --key). ${adviceOn('NotFound')}`)
  const pem = new TextDecoder().decode(bytes)
  try {
    return { pem, keyFile: resolve(file), keyId: getKeyId(pem) }
  } catch (cause) {
    if (!(cause instanceof SxError)) throw cause
    const what = `The file ${file} (option --key) is not a usable public key.`
    throw new Stop(EXIT.usage, cause.code, `${what} ${sentencesOf(cause)}`, { cause })
  }
}

async function withKey<T>({ pem: key, ...by }: Pinned, work: (basis: Basis) => Promise<T>): Promise<T> {
  const document = async (text: string): Promise<Checked> => {
    return { text, verdict: verifyStandalone(text, { key }), by, name: undefined }
  }
  return await work({ by, document, ...withKeys({ key }) })
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
    keyDirectory: isDefault ? DEFAULT_FOLDERS.keys : keyDirectory,
    dataDirectory: isDefault ? DEFAULT_FOLDERS.data : dataDirectory,
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
  return await work({ by, document, ...withKeys(keysIn(folders.keyDirectory, folders.dataDirectory)) })
}

/** The keys in folders, as far as these are there: one that was named is. */
function keysIn(keyDir: string | undefined, dataDirectory: string | undefined): Keys {
  const keys = keyDir === undefined || !existsSync(keyDir) ? { keys: {} } : { keyDir }
  return dataDirectory === undefined || !existsSync(dataDirectory) ? keys : { ...keys, dataDirectory }
}

/** Where the trust store could not be read, the verdict comes without what the document claims. */
function withClaim(verdict: VerificationResult, text: string): VerificationResult {
  return verdict.valid || verdict.signerId !== '' ? verdict : { ...verdict, ...claimOf(text) }
}
