/**
 * The one place that knows how the library is called and how it lays out its storage. The rest of the simulation knows
 * only {@link Library}.
 */
import type * as agentModule from '../../src/agent.ts'
import type * as formModule from '../../src/api/form.ts'
import type * as belatedModule from '../../src/belated.ts'
import type * as entriesModule from '../../src/effects/entries.ts'
import type * as effectsModule from '../../src/effects.ts'
import type { Effect, EffectOf, Operation, Performers } from '../../src/effects.ts'
import type * as errorsModule from '../../src/errors.ts'
import type * as homeModule from '../../src/home.ts'
import type * as agentsModule from '../../src/operations/agents.ts'
import type * as actModule from '../../src/operations/agreements/act.ts'
import type * as agreementCreationModule from '../../src/operations/agreements/create.ts'
import type * as agreementVerificationModule from '../../src/operations/agreements/verify.ts'
import type * as batchModule from '../../src/operations/batch.ts'
import type * as creationModule from '../../src/operations/create.ts'
import type * as documentsModule from '../../src/operations/documents.ts'
import type * as filesModule from '../../src/operations/files.ts'
import type * as listingModule from '../../src/operations/listing.ts'
import type * as loadingModule from '../../src/operations/load.ts'
import type * as reencryptionModule from '../../src/operations/reencrypt.ts'
import type * as refreshModule from '../../src/operations/refresh.ts'
import type * as revocationModule from '../../src/operations/revocation.ts'
import type * as rotationModule from '../../src/operations/rotate.ts'
import type * as storeModule from '../../src/operations/store.ts'
import type * as trustModule from '../../src/operations/trust.ts'
import type * as verificationModule from '../../src/operations/verify.ts'
import type { Home } from '../../src/platform.ts'
import type * as sessionModule from '../../src/session.ts'
import type { Session } from '../../src/session.ts'
import type * as privateKeyModule from '../../src/state/private-key.ts'
import type { Storage, SyncStorage } from '../../src/storage/contract.ts'
import type * as mirrorModule from '../../src/storage/mirror.ts'
import type {
  AgentOptions,
  AgreementCopy,
  AgreementResult,
  AgreementTerms,
  Bytes,
  CreateOptions,
  ExternalSigner,
  QuickstartOptions,
  RevokeOptions,
  RotateOptions,
  VerificationResult,
  WellKnown,
} from '../../src/types.ts'
import { cheapDerivation } from './derivation.ts'

/** Where the configuration stands, for processes that are not told otherwise. */
export const CONFIG = './sx.config.json'

/** One agent of the library, loaded or not. */
export interface Agent {
  readonly session: Session
  flush(): Promise<void>
  /** Its own document. */
  document(): string
  /** What it publishes, awaited or at once. */
  publish(): WellKnown | Promise<WellKnown>
  publishNow(): WellKnown
  exportAgent(): string
}

/** A document as an operation made it. */
export interface Made {
  readonly id: string
  readonly version: string
  readonly raw: string
}

/** An agent as an operation opened or created it. */
export interface Opened {
  readonly id: string
  readonly version: string
  readonly created?: boolean
  readonly generatedPassword?: string | undefined
}

/** What an operation is given, and what it answers. */
export interface Operations {
  /** Loads the agent; with what opens its key, in place of what the process began with. */
  load(config: string, isVerifier?: boolean, credentials?: Credentials): Opened
  /** Opens the agent beside the one that is loaded; without a password, with the one that is saved. */
  openWith(config: string, password: string | undefined): Opened
  quickstart(options: QuickstartOptions): Opened
  create(options: CreateOptions): Opened
  signMessage(data: unknown): Made
  /** Signs several values and stores them, all or none. */
  signMessages(list: readonly unknown[]): readonly Made[]
  /** Signs, and stores nothing. */
  signAside(data: unknown): Made
  updateById(id: string, data: object): Made
  updateByKey(key: string, data: object): Made
  verifyById(key: string): VerificationResult
  listDocuments(): string[]
  updateAgent(description: string): Made
  verify(document: string): VerificationResult
  trustAgent(document: string): string
  untrustAgent(id: string): boolean
  isTrusted(id: string): boolean
  trustedDocument(id: string): string | undefined
  reencryptKey(old: string, next: string): void
  /** Has synchronous answers show what the storage holds. */
  refresh(): void
  /** The agent document that names the new key. */
  rotateKey(password: string, how?: Rotation): Made
  /** The agent document that says of an earlier key why it was revoked. */
  /** @param force brings an end that is to come to the present */
  revokeKey(keyId: string, reason: Reason, force?: boolean): Made
  /** What the current key says of itself for the day on which it is stolen. */
  createRevocation(): string
  /** The agent document, after a key was revoked by what it has said itself. */
  revokeAsStated(statement: string): Made
  /** The id of the key that was given away. */
  exportKey(password: string): string
  exportStore(password: string): Bytes
  /** The agent that was restored at a configuration. */
  importStore(backup: Bytes, config: string): Opened & { readonly keyId: string }
  /** The id of the key that is published. */
  publish(): string
  /** The agent document that is given to others. */
  exportAgent(): Made
  createAgreement(terms: AgreementTerms): AgreementCopy
  /** Signs an agreement, declines it, and so on; by its id, or a copy of it. */
  act(agreement: string, type: ActType, words: string): AgreementCopy
  importAgreement(copy: string): AgreementCopy
  getAgreement(id: string): string
  verifyAgreement(agreement: string): AgreementResult
}

/** What an agent does in an agreement here, with the member of the event that holds words. */
export const ACTS = { propose: 'note', sign: 'note', decline: 'reason', withdraw: 'reason', comment: 'text' } as const
export type ActType = keyof typeof ACTS

/** What opens the private key, or has it. */
export type Credentials = Pick<AgentOptions, 'password' | 'signer'>

/** Why a key is not used any more. */
export type Reason = 'superseded' | 'compromised'

/** How a key is rotated. */
export interface Rotation {
  readonly reason: Reason
  /** Also where documents are dated after what the clock says. */
  readonly force?: boolean
  /** Has the new key, in place of a password. */
  readonly signer?: ExternalSigner
}

export type Name = keyof Operations

/** Runs of an operation: the same code, with its effects performed in one way or another. */
type Forms = { readonly [N in Name]: (agent: Agent, ...given: Parameters<Operations[N]>) => Operation<unknown> }

/** Operations that the public API has only in the form that returns at once. */
export const AT_ONCE: ReadonlySet<Name> = new Set([
  'trustAgent',
  'untrustAgent',
  'isTrusted',
  'trustedDocument',
  'publish',
  'exportAgent',
])

/** Makes the library's modules ready. */
async function importLibrary(): Promise<Modules> {
  const [agent, session, form, effects, entries, errors, home, mirror, { turn }] = await Promise.all([
    import('../../src/agent.ts'),
    import('../../src/session.ts'),
    import('../../src/api/form.ts'),
    import('../../src/effects.ts'),
    import('../../src/effects/entries.ts'),
    import('../../src/errors.ts'),
    import('../../src/home.ts'),
    import('../../src/storage/mirror.ts'),
    import('../../src/turns.ts'),
  ])
  turn.milliseconds = Number.POSITIVE_INFINITY // the world says whose turn it is
  const [batch, listing] = await Promise.all([
    import('../../src/operations/batch.ts'),
    import('../../src/operations/listing.ts'),
  ])
  const [agents, reencryption, rotation, creation, documents, files, loading, trust, verification] = await Promise.all([
    import('../../src/operations/agents.ts'),
    import('../../src/operations/reencrypt.ts'),
    import('../../src/operations/rotate.ts'),
    import('../../src/operations/create.ts'),
    import('../../src/operations/documents.ts'),
    import('../../src/operations/files.ts'),
    import('../../src/operations/load.ts'),
    import('../../src/operations/trust.ts'),
    import('../../src/operations/verify.ts'),
  ])
  const [belated, privateKey, store, refreshing, revocation] = await Promise.all([
    import('../../src/belated.ts'),
    import('../../src/state/private-key.ts'),
    import('../../src/operations/store.ts'),
    import('../../src/operations/refresh.ts'),
    import('../../src/operations/revocation.ts'),
  ])
  const [act, agreementCreation, agreementVerification] = await Promise.all([
    import('../../src/operations/agreements/act.ts'),
    import('../../src/operations/agreements/create.ts'),
    import('../../src/operations/agreements/verify.ts'),
  ])
  return {
    act,
    agreementCreation,
    agreementVerification,
    belated,
    privateKey,
    store,
    refreshing,
    revocation,
    agent,
    session,
    form,
    effects,
    entries,
    errors,
    home,
    mirror,
    agents,
    batch,
    listing,
    reencryption,
    rotation,
    creation,
    documents,
    files,
    loading,
    trust,
    verification,
  }
}

/** The name of the file that every update attaches. */
export const FILE = 'version.json'

interface Modules {
  readonly act: typeof actModule
  readonly agreementCreation: typeof agreementCreationModule
  readonly agreementVerification: typeof agreementVerificationModule
  readonly belated: typeof belatedModule
  readonly privateKey: typeof privateKeyModule
  readonly store: typeof storeModule
  readonly refreshing: typeof refreshModule
  readonly revocation: typeof revocationModule
  readonly agent: typeof agentModule
  readonly session: typeof sessionModule
  readonly form: typeof formModule
  readonly effects: typeof effectsModule
  readonly entries: typeof entriesModule
  readonly errors: typeof errorsModule
  readonly home: typeof homeModule
  readonly mirror: typeof mirrorModule
  readonly agents: typeof agentsModule
  readonly batch: typeof batchModule
  readonly listing: typeof listingModule
  readonly reencryption: typeof reencryptionModule
  readonly rotation: typeof rotationModule
  readonly creation: typeof creationModule
  readonly documents: typeof documentsModule
  readonly files: typeof filesModule
  readonly loading: typeof loadingModule
  readonly trust: typeof trustModule
  readonly verification: typeof verificationModule
}

function forms({
  act: { act },
  agreementCreation,
  agreementVerification,
  form: { privateKey: needsPrivateKey },
  privateKey,
  store,
  refreshing,
  revocation,
  session: { entrance },
  effects,
  entries,
  errors,
  agents,
  batch,
  listing,
  reencryption,
  rotation,
  creation,
  documents,
  files,
  loading,
  trust,
  verification,
}: Modules): Forms {
  const made = (raw: string): Made => {
    const { sxId: id = '', sxVersion: version = '' } = JSON.parse(raw) as Record<string, string>
    return { id, version, raw }
  }
  /** A file that holds the same as the new version. */
  const attached = (data: object): filesModule.Attachments | undefined =>
    files.attachmentsIn({ name: FILE, data: new TextEncoder().encode(JSON.stringify(data)) }, true)
  const version = (session: Session): string => session.loaded?.own.current.version ?? ''
  return {
    *load({ session }, config, isVerifier = false, credentials) {
      const { password: _, signer: __, ...others } = session.options
      const opening = credentials === undefined ? session.options : { ...others, ...credentials }
      const options = isVerifier ? { ...session.options, verifyOnly: true } : opening
      const { id, own } = yield* loading.load(entrance(session), config, options)
      return { id, version: own.current.version }
    },
    *openWith({ session }, config, password) {
      const { password: _, ...options } = session.options
      const other = { options, loaded: undefined }
      const { id, own } = yield* loading.load(
        entrance(other),
        config,
        password === undefined ? options : { ...options, password },
      )
      return { id, version: own.current.version }
    },
    *quickstart({ session }, options) {
      const { agentId, created, generatedPassword } = yield* creation.quickstart(entrance(session), options)
      return { id: agentId, version: version(session), created, generatedPassword }
    },
    *create({ session }, options) {
      const { agentId, created, generatedPassword } = yield* creation.create(entrance(session), options)
      return { id: agentId, version: version(session), created, generatedPassword }
    },
    *signMessage({ session }, data) {
      needsPrivateKey(session)
      return made((yield* documents.signMessage(session, data)).raw)
    },
    *signMessages({ session }, list) {
      needsPrivateKey(session)
      const signed = yield* batch.signMessages(session, list, { noSave: false, work: {} })
      return signed.map(({ raw }) => made(raw))
    },
    *signAside({ session }, data) {
      needsPrivateKey(session)
      return made((yield* documents.signMessage(session, data, true)).raw)
    },
    *updateById({ session }, id, data) {
      needsPrivateKey(session)
      return made((yield* documents.updateById(session, id, data, { attached: attached(data) })).raw)
    },
    *updateByKey({ session }, key, data) {
      needsPrivateKey(session)
      return made(
        (yield* documents.updateDocumentText(session, key, JSON.stringify(data), { attached: attached(data) })).raw,
      )
    },
    verifyById: ({ session }, key) => documents.verifyById(session, key),
    listDocuments: ({ session }) => listing.listDocuments(session),
    *updateAgent(agent, description) {
      const current = JSON.parse(agent.document()) as object
      const { session } = agent
      return made(yield* agents.updateAgent(session, { ...current, description }))
    },
    verify: ({ session }, document) => verification.verify(session, document),
    *trustAgent({ session }, document) {
      return (yield* trust.trustAgent(session, document)).agentId
    },
    untrustAgent: ({ session }, id) => trust.untrustAgent(session, id),
    isTrusted: ({ session }, id) => trust.isTrusted(session, id),
    *trustedDocument({ session }, id) {
      try {
        return yield* trust.getTrustedAgent(session, id)
      } catch (error) {
        if (error instanceof errors.SxError && error.code === 'NotFound') return undefined
        throw error
      }
    },
    refresh: ({ session }) => refreshing.refresh(session),
    reencryptKey: ({ session }, old, next) => reencryption.reencryptKey(session, old, next),
    *rotateKey({ session }, password, { reason, force = false, signer } = { reason: 'superseded' }) {
      const by = signer === undefined ? { password } : { signer }
      const options = { ...by, reason, ...(force && { force }) } as RotateOptions
      return made((yield* rotation.rotateKey(session, options)).agent)
    },
    *revokeKey({ session }, keyId, reason, force = false) {
      const options = { reason, ...(force && { force }) } as RevokeOptions
      return made(yield* rotation.revokeKey(session, keyId, options))
    },
    createRevocation: ({ session }) => revocation.createRevocation(session),
    *revokeAsStated({ session }, statement) {
      return made(yield* rotation.revokeKey(session, { statement }))
    },
    *exportKey({ session }, password) {
      const pem = yield* rotation.exportKey(session, { password })
      const { secret } = yield* privateKey.openWithAny(pem, [password])
      const { keyId } = privateKey.publicOf(secret)
      secret.dispose()
      return keyId
    },
    *exportStore({ session }, password) {
      needsPrivateKey(session)
      return yield* store.exportStore(session, { password })
    },
    *importStore({ session }, backup, configPath) {
      const { agentId, keyId } = yield* store.importStore(session, backup, { configPath })
      return { id: agentId, version: '', keyId }
    },
    *publish(agent) {
      const publishing = entries.work<WellKnown>(
        'publish',
        () => agent.publish(),
        () => agent.publishNow(),
      )
      const { keys } = yield* effects.perform(publishing)
      return keys[0]?.kid ?? ''
    },
    *exportAgent(agent) {
      const exporting = entries.work(
        'exportAgent',
        async () => agent.exportAgent(),
        () => agent.exportAgent(),
      )
      return made(yield* effects.perform(exporting))
    },
    createAgreement: ({ session }, terms) => agreementCreation.createAgreementDoc(session, terms, false),
    act({ session }, agreement, type, words) {
      needsPrivateKey(session)
      return act(session, agreement, { type, data: { [ACTS[type]]: words }, noSave: false })
    },
    importAgreement: ({ session }, copy) => agreementVerification.importAgreement(session, copy),
    getAgreement: ({ session }, id) => agreementVerification.getAgreement(session, id),
    verifyAgreement: ({ session }, agreement) => agreementVerification.verifyAgreement(session, agreement),
  }
}

/** The library as the simulation uses it. */
export class Library {
  readonly #modules: Modules
  readonly #forms: Forms
  /** As on Node, but that a derivation costs nothing, and the runtime's own storage is the one that is said. */
  readonly #performers: Performers
  #findOwn: () => Storage = () => {
    throw new Error('Nobody has said what the own storage is.')
  }

  constructor(modules: Modules) {
    this.#modules = modules
    const home = ({ configPath }: EffectOf<'home'>): Home => modules.home.storageHome(this.#findOwn(), configPath)
    this.#performers = {
      ...modules.effects.performers,
      derive: { async: cheapDerivation, sync: cheapDerivation },
      home: { async: home, sync: home },
    }
    this.#forms = forms(modules)
  }

  /** An agent that is not loaded yet; without a storage it is on the runtime's own ({@link replaceOwnStorage}). */
  agent(options: AgentOptions): Agent {
    const agent = new this.#modules.agent.SxAgent(options)
    return {
      session: this.#modules.form.sessionOf(agent),
      flush: () => agent.flush(),
      document: () => this.#modules.form.sessionOf(agent).loaded?.own.current.text ?? '',
      publish: () => agent.getWellKnownJson(),
      exportAgent: () => agent.exportAgent(),
      publishNow: () =>
        (agent as Partial<{ getWellKnownJsonSync(): WellKnown }>).getWellKnownJsonSync?.() ?? agent.getWellKnownJson(),
    }
  }

  /** The asynchronous form. */
  later<N extends Name>(agent: Agent, name: N, given: Parameters<Operations[N]>): Promise<unknown> {
    return this.#modules.effects.runAsync(() => this.operation(agent, name, given), this.#performers)
  }

  /** The synchronous form. */
  now<N extends Name>(agent: Agent, name: N, given: Parameters<Operations[N]>): unknown {
    return this.#modules.effects.runSync(() => this.operation(agent, name, given), this.#performers)
  }

  /** Performs one effect in its asynchronous form. */
  perform(effect: Effect<unknown>): Promise<unknown> {
    const { perform, runAsync } = this.#modules.effects
    return runAsync(() => perform(effect), this.#performers)
  }

  /** Performs one effect in its synchronous form. */
  performNow(effect: Effect<unknown>): unknown {
    const { perform, runSync } = this.#modules.effects
    return runSync(() => perform(effect), this.#performers)
  }

  /** The operation itself, whose effects the caller performs. */
  operation<N extends Name>(agent: Agent, name: N, given: Parameters<Operations[N]>): Operation<unknown> {
    const operation = this.#forms[name] as (agent: Agent, ...given: unknown[]) => Operation<unknown>
    return this.#modules.session.counted(agent.session, () => operation(agent, ...given))
  }

  mirrored(storage: Storage): Promise<SyncStorage> {
    return this.#modules.mirror.mirrored(storage)
  }

  /** Has agents without a storage of their own work on the one that `find` gives. */
  replaceOwnStorage(find: () => Storage): void {
    this.#findOwn = find
  }

  /** Does something at once with another storage as the runtime's own. */
  onOwnStorage<T>(storage: Storage, work: () => T): T {
    const find = this.#findOwn
    this.#findOwn = () => storage
    try {
      return work()
    } finally {
      this.#findOwn = find
    }
  }

  error(code: 'StorageUnavailable' | 'StorageFull'): Error {
    return new this.#modules.errors.SxError(code, 'The simulated storage fails.')
  }

  /** Whether an error tells of an earlier write. */
  isBelated(error: unknown): boolean {
    return this.#modules.belated.isBelated(error)
  }

  /** The code of a refusal; of anything else what it is. */
  codeOf(error: unknown): string {
    return error instanceof this.#modules.errors.SxError ? error.code : `no SxError: ${String(error)}`
  }
}

let library: Promise<Library> | undefined

export function loadLibrary(): Promise<Library> {
  library ??= importLibrary().then((modules) => new Library(modules))
  return library
}
