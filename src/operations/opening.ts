// Opening what an agent is: its document, and the private key that fits it.
import * as core from '#core'
import { CoreObject, call } from '../core.ts'
import { get } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { KeyRing } from '../key-ring.ts'
import { limitsText } from '../limits.ts'
import { documentChain } from '../names.ts'
import type { AgentPlace, Signing } from '../session.ts'
import { readStoredAgent } from '../state/agent-identity.ts'
import { Documents } from '../state/documents.ts'
import type { AgentDocument } from '../state/own-document.ts'
import { type KeyAtRest, type KeyPlace, openWithAny, pemFor, readKey } from '../state/private-key.ts'
import { signingDates } from '../state/signing-dates.ts'
import type { AgentOptions } from '../types.ts'
import type { NamedAgent } from './naming.ts'
import { isByPasskey } from './passkey.ts'
import { type FoundPassword, findOpener, vaultOf } from './password.ts'
import { externalKey, type SigningKey } from './signing.ts'
import { type Left, stagedDocument } from './staging.ts'
import type { UsedPassword } from './tidy.ts'

/** An agent's document, and the key that fits it. */
interface Opened {
  readonly document: AgentDocument
  /** The private key at rest, where it is not with an external signer. */
  readonly opened: OpenedKey | undefined
  readonly signing: Signing
}

/** Opens the agent's document and the private key that fits it. Both may be rotated between the two looks. */
export function* openOwn(
  options: AgentOptions,
  place: AgentPlace,
  documents: Documents,
  agent: NamedAgent,
  left: Left | undefined,
): Operation<Opened> {
  const { signer } = options
  for (;;) {
    const document = yield* ownDocument(documents, agent, options, place)
    const beside = left === undefined ? undefined : document.publicKey // the file is another agent's
    try {
      let opened: OpenedKey | undefined
      let key = signer && externalKey(signer)
      if (key === undefined) {
        opened = yield* openKey(options, place, document, left)
        key = opened
      }
      const signing = yield* openSignerOrWipe(options, place, document, key, beside)
      return { document, opened, signing }
    } catch (error) {
      if (!(error instanceof SxError && ROTATED.includes(error.code))) throw error
      const next = documentChain(agent.id).entry(document.number + 1)
      if ((yield* perform(get(documents.storage, next))) === undefined) throw error
    }
  }
}

/** What is said of a key that does not fit a version of the agent document, which a later one may name. */
const ROTATED: readonly string[] = ['WrongPassword', 'KeyMismatch', 'NotFound']

/** {@link openSigner}; wipes a key that is not the agent's. */
function* openSignerOrWipe(
  options: AgentOptions,
  place: AgentPlace,
  document: AgentDocument,
  key: SigningKey,
  publicKey: string | undefined,
): Operation<Signing> {
  try {
    return yield* openSigner(options, place, document, key, publicKey)
  } catch (error) {
    key.secret.dispose()
    throw error
  }
}

/** Where an agent's private key stands. */
export function keyPlaceOf({ config, directories }: AgentPlace): KeyPlace {
  return { keys: directories.keys, file: [config.privateKeyFilename] }
}

/** What verifies: the keys that are known, and the documents. */
export interface Stores {
  readonly ring: KeyRing
  readonly documents: Documents
}

/** Opens what an agent needs before its own document is known. */
export function openStores({ limits }: AgentOptions, { directories }: AgentPlace): Stores {
  const ring = new KeyRing(limitsText(limits))
  return { ring, documents: new Documents(directories.data, ring) }
}

/**
 * The verified document of an agent, no older than the version that its configuration names.
 *
 * @param isMaybeStaged whether it is looked for where it was created, too, if its parts have not been moved
 */
export function* ownDocument(
  documents: Documents,
  { id, version }: NamedAgent,
  { limits }: AgentOptions,
  place: AgentPlace,
  isMaybeStaged = false,
): Operation<AgentDocument> {
  let latest = yield* documents.latest(id)
  if (latest === undefined && isMaybeStaged) {
    const staged = yield* stagedDocument(place, id)
    // Where it is not, somebody may have moved it meanwhile.
    latest = staged === undefined ? yield* documents.latest(id) : { number: 1, text: staged }
  }
  if (latest === undefined) {
    const { home, config } = place
    const found = `The data directory '${config.dataDirectory}' of ${home.configPath} does not contain the agent ${id}.`
    const advice = 'Restore what was deleted or moved, or restore a backup with importStore to another location.'
    throw new SxError('NotFound', found, { advice })
  }
  const identity = readStoredAgent(latest.text, limitsText(limits))
  documents.checkPlace(id, latest.number, { ...identity, type: 'agent' })
  documents.remember(id, latest.number, identity.version)
  if (identity.version !== version && (yield* documents.exact(id, version)) === undefined) {
    throw new SxError(
      'Rollback',
      'The version of the agent document that the configuration names is missing from the storage.',
    )
  }
  return { ...latest, ...identity }
}

/** Finds the private key and its password. Both may be changed between the two looks, so they are looked at again. */
function* openKey(
  options: AgentOptions,
  place: AgentPlace,
  document: AgentDocument,
  left: Left | undefined,
): Operation<OpenedKey> {
  const agentId = document.id
  let key = yield* findKey(place, left)
  for (;;) {
    const pem = pemFor(key, document)
    if (pem === undefined) throw new SxError('NotFound', 'An external signer has the private key. Pass it as `signer`.')
    const saved = left?.password
    const found =
      (yield* findOpener(options, place, agentId, pem)) ??
      (saved === undefined ? undefined : { source: 'file' as const, candidates: [saved] as const })
    if (found === undefined) {
      if (!(yield* perform(isByPasskey(options, place, agentId, pem)))) throw passwordError(options)
      throw new SxError(
        'PasswordRequired',
        'The private key is protected by a passkey, and no password was given. Pass `passkey: true`.',
      )
    }
    try {
      const opened = yield* openWithAny(pem, candidatesOf(key, found))
      return { atRest: key, external: undefined, source: found.source, ...opened }
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'WrongPassword')) throw error
      const { number } = key
      key = yield* findKey(place, left)
      if (key.number !== number || pemFor(key, document) !== pem) continue
      if (found.source !== 'vault') throw error
      const what = 'The password stored in this page does not decrypt the private key'
      throw (yield* perform(isByPasskey(options, place, agentId, pem)))
        ? new SxError('PasswordRequired', `${what} any more. A passkey does: pass \`passkey: true\`.`, { cause: error })
        : new SxError(
            'PasswordRequired',
            `${what}: the password was changed, or the key file is damaged or belongs to another agent.`,
            { cause: error },
          )
    }
  }
}

/** Nothing opens the key. Of a page that keeps passwords, the one of this key may be gone. */
function passwordError(options: AgentOptions): SxError {
  if (vaultOf(options) === undefined) return new SxError('PasswordRequired')
  const found = 'This page has no stored password for the private key: it was never stored, or was deleted.'
  return new SxError(
    'PasswordRequired',
    `${found} If the password is lost, restore a backup, which has its own password.`,
  )
}

/** Opens the private key as `load` would, checks that it is the agent's, and releases it. Nothing is written. */
export function* openKeyToSee(options: AgentOptions, place: AgentPlace, document: AgentDocument): Operation<void> {
  const key = yield* openKey(options, place, document, undefined)
  try {
    const { signer } = yield* openSigner(options, place, document, key)
    signer.dispose()
  } finally {
    key.secret.dispose()
  }
}

function* findKey(place: AgentPlace, left?: Left): Operation<KeyAtRest> {
  const { directories, config } = place
  if (left?.privateKey !== undefined) {
    return { number: 1, pem: left.privateKey, saved: left.password ?? null, next: [] }
  }
  const key = yield* readKey(keyPlaceOf(place))
  if (key !== undefined) return key
  const found = `There is no private key at ${directories.keyPath(config.privateKeyFilename)}.`
  throw new SxError('NotFound', `${found} If an external signer has it, pass it as \`signer\`.`)
}

/** The passwords to try: those that were found, or the one that a change of it has left for that place. */
export function candidatesOf({ saved }: KeyAtRest, { source, candidates }: FoundPassword): readonly string[] {
  const isSaved = source === 'config' || source === 'file'
  return isSaved && saved !== null ? [saved] : candidates
}

/** A private key that was opened, and what is at rest. */
type OpenedKey = { readonly atRest: KeyAtRest } & SigningKey & UsedPassword

/** The public key file beside the private key; the empty text if there is none. */
function* publicKeyBeside(file: string, directories: AgentPlace['directories']): Operation<string> {
  const bytes = yield* perform(get(directories.keys, [file]))
  if (bytes?.length === 0) throw new SxError('InvalidKey', `The public key file ${directories.keyPath(file)} is empty.`)
  return bytes === undefined ? '' : new TextDecoder().decode(bytes)
}

/**
 * Puts key, document and limits together for signing, after the core has checked that they belong together.
 *
 * @param publicKey PEM that must be of the same key; what stands beside the private key if left out
 */
export function* openSigner(
  { limits, storage }: AgentOptions,
  place: AgentPlace,
  document: AgentDocument,
  { secret, external }: SigningKey,
  publicKey?: string,
): Operation<Signing> {
  const { config, directories } = place
  const pem = publicKey ?? (yield* publicKeyBeside(config.publicKeyFilename, directories))
  let current = document.text
  let [key, who] = [secret, external]
  const open = (): number => call(() => core.signerNew(key.handle, current, pem, limitsText(limits)))
  const signer = new CoreObject(external === undefined ? open : () => ofExternal(open))
  const signing: Signing = {
    get secret() {
      return key
    },
    get external() {
      return who
    },
    signer,
    keyPlace: keyPlaceOf(place),
    dates: signingDates(storage ?? place.home.realPath, document.id),
    renew({ text }) {
      call(() => core.signerRenew(signer.handle, key.handle, text))
      current = text
    },
    follow(next) {
      const former = key
      key = next.secret
      who = next.external
      signing.letGo(() => former.dispose())
    },
    letGo: (wipe) => wipe(),
  }
  return signing
}

/** A key that is not the agent's comes from no file and no password where an external signer has it. */
function ofExternal<T>(open: () => T): T {
  try {
    return open()
  } catch (cause) {
    if (!(cause instanceof SxError && cause.code === 'WrongPassword')) throw cause
    throw new SxError('KeyMismatch', "The external signer does not have the agent's current key.", { cause })
  }
}
