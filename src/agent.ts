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
import { type AgentOptions, flush, requireLoaded, type Session } from './session.ts'
import type { AgentInfo, ListDocumentsOptions, ValidResult } from './types.ts'

/**
 * Loads the WebAssembly core. In a page or worker call it once before the first `…Sync` function;
 * asynchronous functions do it by themselves, and Node needs it for nothing. Calling it again does
 * nothing.
 *
 * @param options.core where the module is: an address, a response, its bytes or the compiled
 *   module; by default the file that the package brings along
 * @throws SxError `WasmUnavailable` if the page forbids WebAssembly or the file is not served;
 *   `InvalidOption`
 * @example
 * await init()
 * console.log(hashString('abc').length) // 64
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
 * An agent: a key pair, its agent document, and what it signs and verifies with them
 * (specification 4.2).
 *
 * Each operation comes twice: `name` returns a Promise, `nameSync` returns directly; those without
 * a twin return directly. All but `load`, `isLoaded` and `getAgentInfo` throw `NoAgentLoaded` before
 * an agent is loaded. Several agents can live in one process.
 *
 * What the methods call JSON codes, storage codes and codes of a verdict stands at {@link SxError}.
 * In their examples `agent` is a loaded agent.
 *
 * @example
 * const agent = new SxAgent()
 * await agent.load('./sx.config.json')
 * const signed = await agent.createDocument(JSON.stringify({ amount: 1 }))
 * console.log(await agent.verifyDocument(signed)) // true
 */
export class SxAgent {
  readonly #session: Session

  /**
   * An agent that is not loaded yet. Nothing is read or written before {@link load}.
   *
   * @param options storage, password, environment and limits to use instead of the runtime's own
   * @throws SxError `InvalidOption`
   */
  constructor(options: AgentOptions = {}) {
    this.#session = { options: agentOptions(options), loaded: undefined }
    sessions.set(this, this.#session)
  }

  /**
   * Opens the agent of a configuration (protocol, sections 7 and 13). If that fails, an agent that was
   * loaded before stays.
   *
   * @param configPath a file; in a page, or with a `storage` of your own, a name in the storage;
   *   default `./sx.config.json`
   * @returns the agent document, canonical JSON
   * @throws SxError `NotFound` without a configuration, private key or agent document; `InvalidConfig`;
   *   `Unsupported` for a configuration of another runtime; `PasswordRequired`, `WrongPassword`,
   *   `KdfOutOfRange`, `InvalidKey`, `KeyMismatch`, `KeyRevoked`; `Rollback`; `CorruptStore`,
   *   `BadSignature` or `HashMismatch` for an agent document that was damaged; `LimitExceeded` for one
   *   that is larger than the limits; storage codes
   * @example
   * const agent = new SxAgent()
   * const document = JSON.parse(await agent.load('./sx.config.json'))
   * console.log(document.name) // Billing
   */
  load(configPath: string = DEFAULT_CONFIG_PATH): Promise<string> {
    return runAsync(() => this.#load(configPath))
  }
  /** The synchronous twin of {@link load}. */
  loadSync(configPath: string = DEFAULT_CONFIG_PATH): string {
    return runSync(() => this.#load(configPath))
  }
  *#load(configPath: string): Operation<string> {
    return (yield* load(this.#session, configPath, this.#session.options)).own.current.text
  }

  /**
   * Signs a JSON object as the first version of a document and stores it (protocol, section 6).
   *
   * @param documentString the object as JSON text, without header fields; `sxType` (default
   *   `document`) and `sxLevel` (default `raw`) may be set
   * @param customSchema not supported yet: pass null
   * @param outputFilename stores a copy under this plain file name, in `output` of the data directory
   * @param noSave true signs without storing anything; default false
   * @param attachments not supported yet: pass null
   * @param embed not supported yet
   * @returns the signed document, canonical JSON (RFC 8785)
   * @throws SxError `NoAgentLoaded`; JSON codes; `InvalidDocument` for what is no object, or has a
   *   `sxType` or `sxLevel` that is not allowed; `ReservedField` for other names of the header;
   *   `InvalidId` for the file name; `Unsupported`; storage codes
   * @example
   * const signed = await agent.createDocument('{"amount":1,"sxType":"invoice"}', null, 'invoice.json')
   * console.log(JSON.parse(signed).sxType) // invoice
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
   * Whether a document is valid: its signature and its hash are good, under a key that is known for
   * its signer (protocol, section 9). It says neither why not, nor whether the signer is trusted;
   * {@link verifyOrThrow} does.
   *
   * @param documentString its JSON text; anything else gives false
   * @throws SxError `NoAgentLoaded`, storage codes; nothing because of the document
   * @example
   * const signed = await agent.createDocument('{"amount":1}')
   * console.log(await agent.verifyDocument(signed)) // true
   * console.log(await agent.verifyDocument(signed.replace('"amount":1', '"amount":2'))) // false
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
   * Whether one of a document's signatures is good, under a key that is known for who made it. The
   * hash is not looked at (protocol, section 6).
   *
   * @param documentString its JSON text; anything else gives false
   * @param signatureField `sxSignature` (default) or `sxRegistration`; false if the document has none
   * @throws SxError `NoAgentLoaded`; `InvalidOption` for another field; storage codes; nothing because
   *   of the document
   * @example
   * const signed = await agent.createDocument('{"amount":1}')
   * console.log(await agent.verifySignature(signed)) // true
   * console.log(await agent.verifySignature(signed, 'sxRegistration')) // false
   */
  verifySignature(documentString: string, signatureField?: string): Promise<boolean> {
    return runAsync(() => verification.verifySignature(this.#session, documentString, signatureField))
  }
  /** The synchronous twin of {@link verifySignature}. */
  verifySignatureSync(documentString: string, signatureField?: string): boolean {
    return runSync(() => verification.verifySignature(this.#session, documentString, signatureField))
  }

  /**
   * The verdict on a document, if it is valid (protocol, section 9).
   *
   * @param documentString its JSON text
   * @returns the payload, who signed it, and whether the signer is trusted
   * @throws SxError with its code of a verdict for any other document; `NoAgentLoaded`, storage codes
   * @example
   * const signed = await agent.createDocument('{"amount":1}')
   * const { data, trusted } = await agent.verifyOrThrow(signed)
   * console.log(data.amount, trusted) // 1 true
   */
  verifyOrThrow(documentString: string): Promise<ValidResult> {
    return runAsync(() => verification.verifyOrThrow(this.#session, documentString))
  }
  /** The synchronous twin of {@link verifyOrThrow}. */
  verifyOrThrowSync(documentString: string): ValidResult {
    return runSync(() => verification.verifyOrThrow(this.#session, documentString))
  }

  /**
   * Signs and stores the next version of a stored document (protocol, sections 6 and 12). The current
   * version has to be valid, whoever signed it.
   *
   * @param documentKey `id:version` of its current version; an id alone means its latest one
   * @param newDocumentString JSON text: the new payload, or the whole document with its body changed
   * @param attachments not supported yet
   * @param embed not supported yet
   * @returns the new version, canonical JSON (RFC 8785)
   * @throws SxError `NoAgentLoaded`, `InvalidId`, `NotFound`; `VersionConflict` if the version has a
   *   successor; `Rollback`, `CorruptStore`; `InvalidOption` for an agent document; the code of a
   *   verdict on the current version; for the new one JSON codes, `InvalidDocument`, and
   *   `ReservedField` for a changed header; `Unsupported`; storage codes
   * @example
   * const { sxId, sxVersion } = JSON.parse(await agent.createDocument('{"amount":1}'))
   * const next = await agent.updateDocument(`${sxId}:${sxVersion}`, '{"amount":2}')
   * console.log(JSON.parse(next).amount) // 2
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
   * Signs the UTF-8 bytes of a text as they are, so that other programs can check the signature
   * (protocol, section 10).
   *
   * @returns base64 (RFC 4648, section 4) of 64 bytes for `ed25519`, of 4627 for `pq2025`
   * @throws SxError `NoAgentLoaded`; `ReservedPrefix` for a text that begins with `SXv2 `; `NotJson` for
   *   half a surrogate pair, which has no UTF-8
   * @example
   * const signature = await agent.signString('hello')
   * console.log(atob(signature).length) // 4627
   */
  signString(data: string): Promise<string> {
    return runAsync(() => strings.signString(this.#session, data))
  }
  /** The synchronous twin of {@link signString}. */
  signStringSync(data: string): string {
    return runSync(() => strings.signString(this.#session, data))
  }

  /**
   * Whether a signature of {@link signString} is good. The key decides, whoever it belongs to.
   *
   * @param signatureBase64 base64 (RFC 4648, section 4); anything else gives false
   * @param publicKey bytes of SPKI PEM, of SPKI DER (RFC 8410, RFC 9881), or of the raw key; false for
   *   others, and for a weak key
   * @param publicKeyEncType `pq2025`, `ed25519` or `ring-Ed25519`; false if the key is of another kind
   * @throws SxError `NoAgentLoaded`; `InvalidOption` if the key is not bytes; `NotJson` for half a
   *   surrogate pair
   * @example
   * const signature = await agent.signString('hello')
   * const key = new TextEncoder().encode(agent.getPublicKey())
   * console.log(await agent.verifyString('hello', signature, key, 'pq2025')) // true
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
   * other keys than the known one (protocol, section 11). It trusts nobody: {@link trustAgent} does.
   *
   * @param agentFile path of a file, or the file itself (`File`, `Blob`) or its bytes; without it the
   *   loaded agent's own document
   * @throws SxError `NoAgentLoaded`, `NotFound`, storage codes; `LimitExceeded` for a file that is larger than
   *   any document; `InvalidOption` for what is none of these, for any path in a page, and for a blob in the
   *   synchronous twin; nothing because of what the file holds
   * @example
   * import { writeFileSync } from 'node:fs'
   * writeFileSync('billing.json', agent.exportAgent())
   * console.log(await agent.verifyAgent('billing.json')) // true
   */
  verifyAgent(agentFile?: string | Uint8Array | Blob | null): Promise<boolean> {
    return runAsync(() => agents.verifyAgent(this.#session, agentFile))
  }
  /** The synchronous twin of {@link verifyAgent}. */
  verifyAgentSync(agentFile?: string | Uint8Array | null): boolean {
    return runSync(() => agents.verifyAgent(this.#session, agentFile))
  }

  /**
   * Signs and stores the next version of the agent's own document (protocol, sections 6 and 7).
   *
   * @param newAgentString the complete agent document with its profile changed, as JSON text
   * @returns the new version, canonical JSON (RFC 8785)
   * @throws SxError `NoAgentLoaded`; JSON codes; `InvalidAgent` for a document that is not complete;
   *   `KeyMismatch` for another agent's, `KeyConflict` for changed keys, `ReservedField` for a changed
   *   header; `VersionConflict` if another process made the next version; storage codes
   * @example
   * const document = { ...JSON.parse(agent.exportAgent()), description: 'Sends invoices.' }
   * const next = await agent.updateAgent(JSON.stringify(document))
   * console.log(JSON.parse(next).description) // Sends invoices.
   */
  updateAgent(newAgentString: string): Promise<string> {
    return runAsync(() => agents.updateAgent(this.#session, newAgentString))
  }
  /** The synchronous twin of {@link updateAgent}. */
  updateAgentSync(newAgentString: string): string {
    return runSync(() => agents.updateAgent(this.#session, newAgentString))
  }

  /**
   * The text of a stored document (protocol, section 12). Its signature is not verified by this.
   *
   * @param key `id:version`, or an id, which means its latest version
   * @returns canonical JSON (RFC 8785)
   * @throws SxError `NoAgentLoaded`, `InvalidId`, `NotFound`; `Rollback` if a newer version is known
   *   that is not there; `CorruptStore`; storage codes
   * @example
   * const signed = await agent.createDocument('{"amount":1}')
   * console.log((await agent.getDocument(JSON.parse(signed).sxId)) === signed) // true
   */
  getDocument(key: string): Promise<string> {
    return runAsync(() => documents.getDocument(this.#session, key))
  }
  /** The synchronous twin of {@link getDocument}. */
  getDocumentSync(key: string): string {
    return runSync(() => documents.getDocument(this.#session, key))
  }

  /**
   * Keys (`id:version`) of the stored documents' latest versions, ascending. The agent's own document
   * is among them. No signature is verified by this.
   *
   * @throws SxError `NoAgentLoaded`; `InvalidId` for `after`, `InvalidOption` for `type` and `limit`;
   *   `Rollback` and `CorruptStore` if one of the documents cannot be told; storage codes
   * @example
   * await agent.createDocument('{"sxType":"invoice"}')
   * console.log((await agent.listDocuments({ type: 'invoice' })).length) // 1
   */
  listDocuments(options?: ListDocumentsOptions): Promise<string[]> {
    return runAsync(() => documents.listDocuments(this.#session, options))
  }
  /** The synchronous twin of {@link listDocuments}. */
  listDocumentsSync(options?: ListDocumentsOptions): string[] {
    return runSync(() => documents.listDocuments(this.#session, options))
  }

  /**
   * Whether an agent is loaded (specification 3).
   *
   * @example
   * console.log(agent.isLoaded(), new SxAgent().isLoaded()) // true false
   */
  isLoaded(): boolean {
    return this.#session.loaded !== undefined
  }

  /**
   * What people need to know of the agent; null if none is loaded (specification 3).
   *
   * @example
   * console.log(agent.getAgentInfo().name, new SxAgent().getAgentInfo()) // Billing null
   */
  getAgentInfo(): AgentInfo | null {
    const { loaded } = this.#session
    return loaded === undefined ? null : describe(loaded)
  }

  /**
   * The agent's public key: SPKI PEM (RFC 8410, RFC 9881).
   *
   * @throws SxError `NoAgentLoaded`
   * @example
   * console.log(agent.getPublicKey().split('\n')[0]) // -----BEGIN PUBLIC KEY-----
   */
  getPublicKey(): string {
    return requireLoaded(this.#session).key.pem
  }

  /**
   * The agent document, which others pass to {@link trustAgent} (protocol, section 7).
   *
   * @returns canonical JSON (RFC 8785)
   * @throws SxError `NoAgentLoaded`
   * @example
   * console.log(JSON.parse(agent.exportAgent()).sxType) // agent
   */
  exportAgent(): string {
    return requireLoaded(this.#session).own.current.text
  }

  /**
   * Adds another agent to the trust store, or puts a later version of its document there (protocol,
   * section 11). What it signs is trusted from the next verdict on, so make sure first whose document
   * it is. Where the storage has to be awaited it is written behind; see {@link flush}.
   *
   * @param json its agent document, JSON text
   * @returns who is trusted now; a frozen object
   * @throws SxError `NoAgentLoaded`; a code of a verdict for a document that is not valid under its own
   *   keys; against the known document `KeyConflict` for other keys, `KeyRevoked` if it takes back a
   *   revocation, `Rollback` for an older version, `VersionConflict` for another history, and
   *   `CorruptStore` if the known one cannot be read; storage codes
   * @example
   * import { create, exportAgent } from 'sx-agent/simple'
   * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
   * console.log(agent.trustAgent(exportAgent()).name) // Warehouse
   */
  trustAgent(json: string): trust.TrustedAgent {
    return runSync(() => trust.trustAgent(this.#session, json))
  }

  /**
   * Ids of the agents in the trust store, ascending (specification 4.1). The agent itself is trusted
   * without being there.
   *
   * @throws SxError `NoAgentLoaded`, storage codes
   * @example
   * import { create, exportAgent } from 'sx-agent/simple'
   * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
   * const { agentId } = agent.trustAgent(exportAgent())
   * console.log(agent.listTrustedAgents().includes(agentId)) // true
   */
  listTrustedAgents(): string[] {
    return runSync(() => trust.listTrustedAgents(this.#session))
  }

  /**
   * Removes an agent from the trust store (protocol, section 11). The next verdict knows.
   *
   * @param id its `sxId`
   * @returns whether it was there
   * @throws SxError `NoAgentLoaded`, `InvalidId`, storage codes
   * @example
   * import { create, exportAgent } from 'sx-agent/simple'
   * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
   * const { agentId } = agent.trustAgent(exportAgent())
   * console.log(agent.untrustAgent(agentId), agent.isTrusted(agentId)) // true false
   */
  untrustAgent(id: string): boolean {
    return runSync(() => trust.untrustAgent(this.#session, id))
  }

  /**
   * Whether an agent is in the trust store (specification 4.1). The agent itself is trusted without
   * being there.
   *
   * @param id its `sxId`
   * @throws SxError `NoAgentLoaded`, `InvalidId`, storage codes
   * @example
   * import { create, exportAgent } from 'sx-agent/simple'
   * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
   * const { agentId } = agent.trustAgent(exportAgent())
   * console.log(agent.isTrusted(agentId)) // true
   */
  isTrusted(id: string): boolean {
    return runSync(() => trust.isTrusted(this.#session, id))
  }

  /**
   * The document of a trusted agent, as {@link trustAgent} took it (specification 4.1).
   *
   * @param id its `sxId`
   * @throws SxError `NoAgentLoaded`, `InvalidId`; `NotFound` if it is not in the trust store;
   *   `CorruptStore` if it is no UTF-8 text; storage codes
   * @example
   * import { create, exportAgent } from 'sx-agent/simple'
   * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
   * const { agentId } = agent.trustAgent(exportAgent())
   * console.log(agent.getTrustedAgent(agentId) === exportAgent()) // true
   */
  getTrustedAgent(id: string): string {
    return runSync(() => trust.getTrustedAgent(this.#session, id))
  }

  /**
   * Resolves when everything written so far is as durable as the storage makes it; rejects if a write
   * behind failed. Changes of the trust store and what `Sync` twins write are written behind, and only
   * where the storage itself has to be awaited, as in a page.
   *
   * @throws SxError `NoAgentLoaded`; storage codes; `VersionConflict` if another page wrote the same in
   *   the meantime
   * @example
   * await agent.createDocument('{"amount":1}')
   * await agent.flush()
   */
  async flush(): Promise<void> {
    await flush(requireLoaded(this.#session))
  }
}
