import { type CoreSource, ensureReady } from './core.ts'
import { type Operation, runAsync, runSync } from './effects.ts'
import { SxError } from './errors.ts'
import * as agents from './operations/agents.ts'
import * as documents from './operations/documents.ts'
import { DEFAULT_CONFIG_PATH, describe, load } from './operations/load.ts'
import * as strings from './operations/strings.ts'
import * as trust from './operations/trust.ts'
import * as verification from './operations/verify.ts'
import { agentOptions, plainOptions } from './options.ts'
import { type AgentOptions, requireLoaded, type Session, settle } from './session.ts'
import type { AgentInfo, ListDocumentsOptions, ValidResult } from './types.ts'

/**
 * Loads the WebAssembly core. In a page or worker call it once before the first `…Sync` function;
 * asynchronous functions do it by themselves, and Node needs it for nothing.
 *
 * @param options.core where the module is: an address, a response, its bytes or the compiled
 *   module; by default the file that the package brings along
 * @throws SxError `WasmUnavailable`
 * @example
 * await init()
 */
export async function init(options: { core?: CoreSource } = {}): Promise<void> {
  await ensureReady(plainOptions(options).core)
}

const sessions = new WeakMap<SxAgent, Session>()

/** An instance's state, for the modules of the library. */
export function sessionOf(agent: SxAgent): Session {
  const session = sessions.get(agent)
  if (session === undefined) throw new SxError('Internal')
  return session
}

/** Refuses the arguments of what is not built yet, instead of ignoring them. */
function refuseUnsupported(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue
    if (Array.isArray(value) && value.length === 0) continue
    throw new SxError('Unsupported', `The argument '${name}' is not supported yet.`)
  }
}

/** Refuses attachments; for `/simple` too. */
export function refuseAttachments(attachments: unknown, embed: unknown): void {
  refuseUnsupported({ attachments, embed })
}

/**
 * An agent: a key pair, its agent document, and what it signs and verifies with them.
 *
 * Each operation comes twice: `name` returns a Promise, `nameSync` returns directly. All but
 * `load` throw `NoAgentLoaded` before an agent is loaded. Several agents can live in one process.
 *
 * @example
 * const agent = new SxAgent()
 * await agent.load('./sx.config.json')
 * const signed = await agent.createDocument(JSON.stringify({ amount: 1 }))
 * console.log(await agent.verifyDocument(signed)) // true
 */
export class SxAgent {
  readonly #session: Session

  /** @param options storage, password, environment and limits to use instead of the runtime's own */
  constructor(options: AgentOptions = {}) {
    this.#session = { options: agentOptions(options), loaded: undefined }
    sessions.set(this, this.#session)
  }

  /**
   * Opens the agent of a configuration.
   *
   * @param configPath a file; in a page, or with a `storage` of your own, a name in the storage
   * @returns the agent document
   * @throws SxError `NotFound`, `InvalidConfig`, `PasswordRequired`, `WrongPassword`, `KdfOutOfRange`,
   *   `KeyMismatch`, `Rollback`, `StorageUnavailable`
   */
  load(configPath: string = DEFAULT_CONFIG_PATH): Promise<string> {
    return runAsync(() => this.#load(configPath))
  }
  /** The synchronous twin of {@link load}. */
  loadSync(configPath: string = DEFAULT_CONFIG_PATH): string {
    return runSync(() => this.#load(configPath))
  }
  *#load(configPath: string): Operation<string> {
    return (yield* load(this.#session, configPath, this.#session.options)).document.text
  }

  /**
   * Signs a JSON object as the first version of a document and stores it.
   *
   * @param documentString the object as JSON text, without header fields; `sxType` and `sxLevel` may be set
   * @param customSchema not supported yet: pass null
   * @param outputFilename stores a copy under this plain file name, in `output` of the data directory
   * @param noSave true signs without storing anything; default false
   * @param attachments not supported yet: pass null
   * @param embed not supported yet
   * @returns the signed document, canonical JSON
   * @throws SxError `NotJson`, `DuplicateKey`, `LossyNumber`, `LimitExceeded`, `InvalidDocument`,
   *   `ReservedField`, `InvalidId`, `Unsupported`, `StorageFull`, `StorageUnavailable`
   */
  createDocument(
    documentString: string,
    customSchema?: string | null,
    outputFilename?: string | null,
    noSave?: boolean | null,
    attachments?: string | null,
    embed?: boolean | null,
  ): Promise<string> {
    return runAsync(() => this.#create(documentString, outputFilename, noSave, { customSchema, attachments, embed }))
  }
  /** The synchronous twin of {@link createDocument}. */
  createDocumentSync(
    documentString: string,
    customSchema?: string | null,
    outputFilename?: string | null,
    noSave?: boolean | null,
    attachments?: string | null,
    embed?: boolean | null,
  ): string {
    return runSync(() => this.#create(documentString, outputFilename, noSave, { customSchema, attachments, embed }))
  }
  *#create(
    document: string,
    outputFilename: string | null | undefined,
    noSave: boolean | null | undefined,
    later: Record<string, unknown>,
  ): Operation<string> {
    requireLoaded(this.#session)
    refuseUnsupported(later)
    if (typeof (noSave ?? false) !== 'boolean')
      throw new SxError('InvalidOption', "The argument 'noSave' is not a boolean.")
    return yield* documents.createDocument(this.#session, document, outputFilename, noSave === true)
  }

  /**
   * Whether a document's signature and hash are good, under a key that is known for its signer.
   *
   * @throws nothing because of the document
   */
  verifyDocument(documentString: string): Promise<boolean> {
    return runAsync(() => this.#verifyDocument(documentString))
  }
  /** The synchronous twin of {@link verifyDocument}. */
  verifyDocumentSync(documentString: string): boolean {
    return runSync(() => this.#verifyDocument(documentString))
  }
  *#verifyDocument(documentString: string): Operation<boolean> {
    return (yield* verification.verify(this.#session, documentString)).valid
  }

  /**
   * Whether one of a document's signatures is good.
   *
   * @param signatureField `sxSignature` (default) or `sxRegistration`
   * @throws SxError `InvalidOption` for another field
   */
  verifySignature(documentString: string, signatureField?: string): Promise<boolean> {
    return runAsync(() => verification.verifySignature(this.#session, documentString, signatureField))
  }
  /** The synchronous twin of {@link verifySignature}. */
  verifySignatureSync(documentString: string, signatureField?: string): boolean {
    return runSync(() => verification.verifySignature(this.#session, documentString, signatureField))
  }

  /**
   * The verdict on a document, if it is valid.
   *
   * @throws SxError with the reason's code for any other document
   */
  verifyOrThrow(documentString: string): Promise<ValidResult> {
    return runAsync(() => verification.verifyOrThrow(this.#session, documentString))
  }
  /** The synchronous twin of {@link verifyOrThrow}. */
  verifyOrThrowSync(documentString: string): ValidResult {
    return runSync(() => verification.verifyOrThrow(this.#session, documentString))
  }

  /**
   * Signs and stores the next version of a stored document.
   *
   * @param documentKey `id:version` of its current version; an id alone means its latest one
   * @param newDocumentString JSON text: the new payload, or the whole document with its body changed
   * @param attachments not supported yet
   * @param embed not supported yet
   * @returns the new version
   * @throws SxError `InvalidId`, `NotFound`, `VersionConflict`, `Rollback`, `ReservedField`, and the
   *   codes of {@link createDocument}
   */
  updateDocument(
    documentKey: string,
    newDocumentString: string,
    attachments?: readonly string[] | null,
    embed?: boolean | null,
  ): Promise<string> {
    return runAsync(() => this.#update(documentKey, newDocumentString, attachments, embed))
  }
  /** The synchronous twin of {@link updateDocument}. */
  updateDocumentSync(
    documentKey: string,
    newDocumentString: string,
    attachments?: readonly string[] | null,
    embed?: boolean | null,
  ): string {
    return runSync(() => this.#update(documentKey, newDocumentString, attachments, embed))
  }
  *#update(key: string, change: string, attachments: unknown, embed: unknown): Operation<string> {
    requireLoaded(this.#session)
    refuseAttachments(attachments, embed)
    return (yield* documents.updateDocumentText(this.#session, key, change)).raw
  }

  /**
   * Signs the UTF-8 bytes of a text as they are, so that other programs can check the signature.
   *
   * @returns plain base64
   * @throws SxError `ReservedPrefix` for a text that begins with `SXv2 `
   */
  signString(data: string): Promise<string> {
    return runAsync(() => strings.signString(this.#session, data))
  }
  /** The synchronous twin of {@link signString}. */
  signStringSync(data: string): string {
    return runSync(() => strings.signString(this.#session, data))
  }

  /**
   * Whether a signature of {@link signString} is good.
   *
   * @param publicKey SPKI PEM, SPKI DER or raw bytes
   * @param publicKeyEncType `pq2025`, `ed25519` or `ring-Ed25519`; false if the key is of another kind
   */
  verifyString(
    data: string,
    signatureBase64: string,
    publicKey: Uint8Array,
    publicKeyEncType: string,
  ): Promise<boolean> {
    return runAsync(() => strings.verifyString(this.#session, data, signatureBase64, publicKey, publicKeyEncType))
  }
  /** The synchronous twin of {@link verifyString}. */
  verifyStringSync(data: string, signatureBase64: string, publicKey: Uint8Array, publicKeyEncType: string): boolean {
    return runSync(() => strings.verifyString(this.#session, data, signatureBase64, publicKey, publicKeyEncType))
  }

  /**
   * Whether an agent document is valid in itself and, if its agent is known, no older and with no
   * other keys than the known one.
   *
   * @param agentFile path of a file, or the file or its bytes; without it the loaded agent's own document
   */
  verifyAgent(agentFile?: string | Uint8Array | Blob | null): Promise<boolean> {
    return runAsync(() => agents.verifyAgent(this.#session, agentFile))
  }
  /** The synchronous twin of {@link verifyAgent}. */
  verifyAgentSync(agentFile?: string | Uint8Array | null): boolean {
    return runSync(() => agents.verifyAgent(this.#session, agentFile))
  }

  /**
   * Signs and stores the next version of the agent's own document.
   *
   * @param newAgentString the complete agent document with its profile changed, as JSON text
   * @returns the new version
   * @throws SxError `InvalidAgent`, `KeyConflict`, `ReservedField`, `VersionConflict`
   */
  updateAgent(newAgentString: string): Promise<string> {
    return runAsync(() => agents.updateAgent(this.#session, newAgentString))
  }
  /** The synchronous twin of {@link updateAgent}. */
  updateAgentSync(newAgentString: string): string {
    return runSync(() => agents.updateAgent(this.#session, newAgentString))
  }

  /**
   * The text of a stored document. Its signature is not verified by this.
   *
   * @param key `id:version`, or an id, which means its latest version
   * @throws SxError `InvalidId`, `NotFound`, `Rollback`, `CorruptStore`
   */
  getDocument(key: string): Promise<string> {
    return runAsync(() => documents.getDocument(this.#session, key))
  }
  /** The synchronous twin of {@link getDocument}. */
  getDocumentSync(key: string): string {
    return runSync(() => documents.getDocument(this.#session, key))
  }

  /**
   * Keys (`id:version`) of the stored documents' latest versions, ascending.
   *
   * @throws SxError `InvalidId`, `InvalidOption`
   */
  listDocuments(options?: ListDocumentsOptions): Promise<string[]> {
    return runAsync(() => documents.listDocuments(this.#session, options))
  }
  /** The synchronous twin of {@link listDocuments}. */
  listDocumentsSync(options?: ListDocumentsOptions): string[] {
    return runSync(() => documents.listDocuments(this.#session, options))
  }

  /** Whether an agent is loaded. */
  isLoaded(): boolean {
    return this.#session.loaded !== undefined
  }

  /** What people need to know of the agent; null if none is loaded. */
  getAgentInfo(): AgentInfo | null {
    const { loaded } = this.#session
    return loaded === undefined ? null : describe(loaded)
  }

  /** The agent's public key: SPKI PEM (RFC 8410, RFC 9881). */
  getPublicKey(): string {
    return requireLoaded(this.#session).publicKeyPem
  }

  /** The agent document, which others pass to `trustAgent`. */
  exportAgent(): string {
    return requireLoaded(this.#session).document.text
  }

  /**
   * Adds another agent to the trust store.
   *
   * @param json its agent document
   * @throws SxError `InvalidAgent`, `WeakPublicKey`, `KeyConflict` for other keys than the known ones,
   *   `Rollback` for an older version, and the codes of verification
   */
  trustAgent(json: string): trust.TrustedAgent {
    return trust.trustAgent(this.#session, json)
  }

  /** Ids of the trusted agents, ascending. */
  listTrustedAgents(): string[] {
    return trust.listTrustedAgents(this.#session)
  }

  /** Removes an agent from the trust store; says whether it was there. */
  untrustAgent(id: string): boolean {
    return trust.untrustAgent(this.#session, id)
  }

  /** Whether an agent is in the trust store. */
  isTrusted(id: string): boolean {
    return trust.isTrusted(this.#session, id)
  }

  /**
   * The document of a trusted agent.
   *
   * @throws SxError `NotFound`
   */
  getTrustedAgent(id: string): string {
    return trust.getTrustedAgent(this.#session, id)
  }

  /** Resolves when everything written so far is durable; rejects if a write behind failed. */
  async flush(): Promise<void> {
    const loaded = requireLoaded(this.#session)
    const { trust: store, places } = loaded
    await store.flush()
    await places.data.flush()
    await places.keys.flush()
    settle(loaded)
  }
}
