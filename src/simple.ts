/**
 * One agent for the whole program, as functions (specification 4.1).
 *
 * A thin shell over an `SxAgent`: `quickstart`, `create` and `load` make it, all others use it.
 * Every operation comes twice: `name` returns a Promise, `nameSync` returns directly; those
 * without a twin return directly.
 *
 * What the functions call JSON codes, storage codes and codes of a verdict stands at {@link SxError}.
 * In their examples an agent is loaded.
 *
 * @module
 */
import { refuseAttachments, SxAgent, sessionOf } from './agent.ts'
import { type Operation, runAsync, runSync } from './effects.ts'
import * as agents from './operations/agents.ts'
import * as creation from './operations/create.ts'
import * as documents from './operations/documents.ts'
import { DEFAULT_CONFIG_PATH, describe, load as loadAgent } from './operations/load.ts'
import { reencryptKey as reencryptKey_ } from './operations/reencrypt.ts'
import * as standalone from './operations/standalone.ts'
import type { TrustedAgent } from './operations/trust.ts'
import * as verification from './operations/verify.ts'
import { agentOptions, ownOptions } from './options.ts'
import { requireLoaded, type Session } from './session.ts'
import type {
  AgentInfo,
  CreatedAgentInfo,
  CreateOptions,
  ListDocumentsOptions,
  LoadOptions,
  QuickstartOptions,
  SignedDocument,
  StandaloneOptions,
  ValidResult,
  VerificationResult,
} from './types.ts'

export { init } from './agent.ts'
export { SxError, type SxErrorCode } from './errors.ts'
export type { TrustedAgent } from './operations/trust.ts'
export type {
  AgentInfo,
  CreatedAgentInfo,
  CreateOptions,
  InvalidResult,
  ListDocumentsOptions,
  LoadOptions,
  QuickstartOptions,
  SignedDocument,
  StandaloneOptions,
  ValidResult,
  VerificationResult,
} from './types.ts'

const agent = new SxAgent()
const session: Session = sessionOf(agent)

/**
 * Loads the agent at `configPath`, or creates it with a new key pair (specification 4.1 and 5).
 *
 * Run it a second time and the same agent is back, as it is: other options than `password` then
 * change nothing. The password of a new key is `password`, or SX_PRIVATE_KEY_PASSWORD, or the one
 * saved in the key directory. Without any, one is generated: saved in the key directory if
 * SX_SAVE_PASSWORD_FILE=true, in a page kept encrypted in IndexedDB, else returned this once as
 * `generatedPassword`.
 *
 * @param options `name` and `domain` are needed; `algorithm` is `pq2025` by default, `configPath`
 *   `./sx.config.json`
 * @returns the agent, and whether it was `created`
 * @throws SxError the codes of {@link load} and {@link create}; `AlreadyExists` for a private key
 *   without a configuration that no agent is found for
 * @example
 * const options = { name: 'Billing', domain: 'example.com', configPath: './billing/sx.config.json' }
 * console.log((await quickstart(options)).created) // true
 * console.log((await quickstart(options)).created) // false
 */
export async function quickstart(options: QuickstartOptions): Promise<CreatedAgentInfo> {
  const given = ownOptions(options)
  return await runAsync(() => creation.quickstart(session, given))
}
/** The synchronous twin of {@link quickstart}. */
export function quickstartSync(options: QuickstartOptions): CreatedAgentInfo {
  return runSync(() => creation.quickstart(session, ownOptions(options)))
}

/**
 * Creates a new agent and loads it (specification 4.1; protocol, section 7). Nothing that exists is
 * overwritten; if it fails, what it wrote is removed. The password is found as {@link quickstart}
 * does.
 *
 * @param options `name` is needed
 * @returns the agent, and perhaps a `generatedPassword`
 * @throws SxError `AlreadyExists` if there is a configuration or a private key; `InvalidOption`;
 *   `InvalidAgent` for a name, domain or type that is not allowed; `InvalidConfig` for an algorithm or
 *   a directory that is not; `PasswordRequired` for an empty password; for an imported key also
 *   `InvalidKey`, `WeakPublicKey`, `WrongPassword`, `KdfOutOfRange`, `KeyMismatch`; storage codes
 * @example
 * const { name, algorithm } = await create({
 *   name: 'Warehouse',
 *   algorithm: 'ed25519',
 *   configPath: './warehouse/sx.config.json',
 * })
 * console.log(name, algorithm) // Warehouse ed25519
 */
export async function create(options: CreateOptions): Promise<CreatedAgentInfo> {
  const given = ownOptions(options)
  return await runAsync(() => creation.create(session, given))
}
/** The synchronous twin of {@link create}. */
export function createSync(options: CreateOptions): CreatedAgentInfo {
  return runSync(() => creation.create(session, ownOptions(options)))
}

/**
 * Loads the agent of a configuration (specification 4.1; protocol, sections 7 and 13). If that fails,
 * an agent that was loaded before stays.
 *
 * @param configPath a file; in a page, or with a `storage` of your own, a name in the storage; default
 *   `./sx.config.json`; or the options, with it among them
 * @param options password, storage, environment and limits to use instead of the runtime's own
 * @throws SxError `InvalidOption`, and the codes of `load` of the class: `NotFound`, `InvalidConfig`,
 *   `Unsupported`, `PasswordRequired`, `WrongPassword`, `KdfOutOfRange`, `InvalidKey`, `KeyMismatch`,
 *   `KeyRevoked`, `Rollback`, `CorruptStore`, `BadSignature`, `HashMismatch`, `LimitExceeded`; storage
 *   codes
 * @example
 * const { name } = await load('./sx.config.json')
 * console.log(name) // Billing
 */
export async function load(configPath?: string | LoadOptions, options?: LoadOptions): Promise<AgentInfo> {
  const given = loadOptions(configPath, options)
  return await runAsync(() => loading(given))
}
/** The synchronous twin of {@link load}. */
export function loadSync(configPath?: string | LoadOptions, options?: LoadOptions): AgentInfo {
  return runSync(() => loading(loadOptions(configPath, options)))
}
function loadOptions(first: string | LoadOptions | undefined, second: LoadOptions = {}): LoadOptions {
  if (typeof first === 'object') return ownOptions(first)
  const options = ownOptions(second)
  return first === undefined ? options : { ...options, configPath: first }
}
function* loading(options: LoadOptions): Operation<AgentInfo> {
  return describe(yield* loadAgent(session, options.configPath ?? DEFAULT_CONFIG_PATH, agentOptions(options)))
}

/**
 * The verdict on the agent's own document: on its signature and its hash (protocol, section 9).
 *
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log((await verifySelf()).valid) // true
 */
export function verifySelf(): Promise<VerificationResult> {
  return runAsync(() => verification.verifySelf(session))
}
/** The synchronous twin of {@link verifySelf}. */
export function verifySelfSync(): VerificationResult {
  return runSync(() => verification.verifySelf(session))
}

/**
 * Signs and stores the next version of the agent's own document (protocol, sections 6 and 7).
 *
 * @param newAgentData the complete agent document with its profile changed, as object or JSON text
 * @returns the new version, canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`; JSON codes; `InvalidAgent` for a document that is not complete;
 *   `KeyMismatch` for another agent's, `KeyConflict` for changed keys, `ReservedField` for a changed
 *   header; `VersionConflict` if another process made the next version; storage codes
 * @example
 * const document = JSON.parse(exportAgent())
 * await updateAgent({ ...document, description: 'Sends invoices.' })
 * console.log((await verifySelf()).data.description) // Sends invoices.
 */
export function updateAgent(newAgentData: object | string): Promise<string> {
  return runAsync(() => agents.updateAgent(session, newAgentData))
}
/** The synchronous twin of {@link updateAgent}. */
export function updateAgentSync(newAgentData: object | string): string {
  return runSync(() => agents.updateAgent(session, newAgentData))
}

/**
 * Signs and stores the next version of a stored document (protocol, sections 6 and 12). The current
 * version has to be valid, whoever signed it.
 *
 * @param documentId its `sxId`, or `id:version` of its current version
 * @param newDocumentData a new payload, or the whole document with its body changed; an object or JSON text
 * @param attachments not supported yet
 * @param embed not supported yet
 * @throws SxError `NoAgentLoaded`, `InvalidId`, `NotFound`; `VersionConflict` if someone else was
 *   faster; `Rollback`, `CorruptStore`; `InvalidOption` for an agent document; the code of a verdict on
 *   the current version; for the new one JSON codes, `InvalidDocument`, and `ReservedField` for a
 *   changed header; `Unsupported`; storage codes
 * @example
 * const { documentId } = await signMessage({ amount: 1 })
 * const { raw } = await updateDocument(documentId, { amount: 2 })
 * console.log((await verify(raw)).data.amount) // 2
 */
export function updateDocument(
  documentId: string,
  newDocumentData: object | string,
  attachments?: readonly string[] | null,
  embed?: boolean | null,
): Promise<SignedDocument> {
  return runAsync(() => updating(documentId, newDocumentData, attachments, embed))
}
/** The synchronous twin of {@link updateDocument}. */
export function updateDocumentSync(
  documentId: string,
  newDocumentData: object | string,
  attachments?: readonly string[] | null,
  embed?: boolean | null,
): SignedDocument {
  return runSync(() => updating(documentId, newDocumentData, attachments, embed))
}
function* updating(id: string, change: unknown, attachments: unknown, embed: unknown): Operation<SignedDocument> {
  requireLoaded(session)
  refuseAttachments(attachments, embed)
  return yield* documents.updateById(session, id, change)
}

/**
 * Signs a value as a document whose `content` it is, and stores it (protocol, section 6).
 *
 * @param data what JSON can show: plain objects, arrays, strings, finite numbers, booleans and null, with
 *   nothing left out or converted (protocol, section 1)
 * @throws SxError `NoAgentLoaded`; `NotJson`, `LossyNumber`, `LimitExceeded`; storage codes
 * @example
 * const signed = await signMessage({ amount: 1 })
 * const { valid, data } = await verify(signed.raw)
 * console.log(valid, data.amount) // true 1
 */
export function signMessage(data: unknown): Promise<SignedDocument> {
  return runAsync(() => documents.signMessage(session, data))
}
/** The synchronous twin of {@link signMessage}. */
export function signMessageSync(data: unknown): SignedDocument {
  return runSync(() => documents.signMessage(session, data))
}

/**
 * The verdict on a signed document (specification 4.1; protocol, section 9). Never throws because of
 * the document.
 *
 * @param signedDocument its JSON text, whatever its white space and the order of its members
 * @throws SxError `NoAgentLoaded`, storage codes
 * @example
 * const { raw } = await signMessage({ amount: 1 })
 * console.log((await verify(raw)).valid) // true
 * console.log((await verify(raw.replace('"amount":1', '"amount":2'))).code) // BadSignature
 */
export function verify(signedDocument: string): Promise<VerificationResult> {
  return runAsync(() => verification.verify(session, signedDocument))
}
/** The synchronous twin of {@link verify}. */
export function verifySync(signedDocument: string): VerificationResult {
  return runSync(() => verification.verify(session, signedDocument))
}

/**
 * The verdict on a document, if it is valid (protocol, section 9).
 *
 * @param signedDocument its JSON text
 * @throws SxError with its code of a verdict for any other document; `NoAgentLoaded`, storage codes
 * @example
 * const { raw } = await signMessage({ amount: 1 })
 * const { data, trusted } = await verifyOrThrow(raw)
 * console.log(data.amount, trusted) // 1 true
 */
export function verifyOrThrow(signedDocument: string): Promise<ValidResult> {
  return runAsync(() => verification.verifyOrThrow(session, signedDocument))
}
/** The synchronous twin of {@link verifyOrThrow}. */
export function verifyOrThrowSync(signedDocument: string): ValidResult {
  return runSync(() => verification.verifyOrThrow(session, signedDocument))
}

/**
 * The verdict on a stored document (specification 4.1; protocol, sections 9 and 12). `NotFound`,
 * `Rollback` and `CorruptStore` are verdicts here.
 *
 * @param id an id, which means the latest version, or `id:version`
 * @throws SxError `NoAgentLoaded`, `InvalidId`, storage codes
 * @example
 * const { documentId } = await signMessage({ amount: 1 })
 * console.log((await verifyById(documentId)).data.amount) // 1
 * console.log((await verifyById(crypto.randomUUID())).code) // NotFound
 */
export function verifyById(id: string): Promise<VerificationResult> {
  return runAsync(() => documents.verifyById(session, id))
}
/** The synchronous twin of {@link verifyById}. */
export function verifyByIdSync(id: string): VerificationResult {
  return runSync(() => documents.verifyById(session, id))
}

/**
 * The text of a stored document (protocol, section 12). Its signature is not verified by this;
 * {@link verifyById} does.
 *
 * @param key `id:version`, or an id, which means its latest version
 * @returns canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`, `InvalidId`, `NotFound`; `Rollback` if a newer version is known that
 *   is not there; `CorruptStore`; storage codes
 * @example
 * const { raw, documentId } = await signMessage({ amount: 1 })
 * console.log((await getDocument(documentId)) === raw) // true
 */
export function getDocument(key: string): Promise<string> {
  return runAsync(() => documents.getDocument(session, key))
}
/** The synchronous twin of {@link getDocument}. */
export function getDocumentSync(key: string): string {
  return runSync(() => documents.getDocument(session, key))
}

/**
 * Keys (`id:version`) of the stored documents' latest versions, ascending. The agent's own document is
 * among them. No signature is verified by this.
 *
 * @throws SxError `NoAgentLoaded`; `InvalidId` for `after`, `InvalidOption` for `type` and `limit`;
 *   `Rollback` and `CorruptStore` if one of the documents cannot be told; storage codes
 * @example
 * await signMessage({ amount: 1 })
 * console.log((await listDocuments({ type: 'message' })).length) // 1
 */
export function listDocuments(options?: ListDocumentsOptions): Promise<string[]> {
  return runAsync(() => documents.listDocuments(session, options))
}
/** The synchronous twin of {@link listDocuments}. */
export function listDocumentsSync(options?: ListDocumentsOptions): string[] {
  return runSync(() => documents.listDocuments(session, options))
}

/**
 * Encrypts the private key with another password (specification 4.1; protocol, section 4). Where the
 * old one was saved, in the key directory or by the page, the new one is saved instead. One in the
 * configuration or in SX_PRIVATE_KEY_PASSWORD is yours to change.
 *
 * @param oldPassword what opens the private key now
 * @param newPassword what is to open it; not empty
 * @throws SxError `NoAgentLoaded`; `WrongPassword`; `PasswordRequired` for an empty one; `NotFound`
 *   without the key file; `InvalidKey`, `KdfOutOfRange` and `CorruptStore` for one that was damaged;
 *   storage codes
 * @example
 * await reencryptKey('correct horse battery staple', 'another one')
 * console.log((await load({ password: 'another one' })).name) // Billing
 */
export function reencryptKey(oldPassword: string, newPassword: string): Promise<void> {
  return runAsync(() => reencryptKey_(session, oldPassword, newPassword))
}
/** The synchronous twin of {@link reencryptKey}. */
export function reencryptKeySync(oldPassword: string, newPassword: string): void {
  runSync(() => reencryptKey_(session, oldPassword, newPassword))
}

/**
 * The verdict on a signed document without an agent: only with the keys that are named here
 * (specification 4.1 and 5; protocol, sections 8 and 9). An agent that is loaded plays no part.
 *
 * @param signedDocument its JSON text
 * @param options where the keys are; without any folder `./sx_keys` and `./sx_data` in Node, and no
 *   keys in a page
 * @throws SxError `InvalidOption`, also for any folder in a page; storage codes; nothing because of the
 *   document
 * @example
 * const { raw, agentId } = await signMessage({ amount: 1 })
 * const { valid, trusted } = verifyStandalone(raw, { keyDirectory: { [agentId]: getPublicKey() } })
 * console.log(valid, trusted) // true false
 */
export function verifyStandalone(signedDocument: string, options?: StandaloneOptions): VerificationResult {
  return runSync(() => standalone.verifyStandalone(signedDocument, options))
}

/**
 * The agent's public key: SPKI PEM (RFC 8410, RFC 9881).
 *
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log(getPublicKey().split('\n')[0]) // -----BEGIN PUBLIC KEY-----
 */
export function getPublicKey(): string {
  return agent.getPublicKey()
}

/**
 * Whether an agent is loaded (specification 3).
 *
 * @example
 * console.log(isLoaded()) // true
 */
export function isLoaded(): boolean {
  return agent.isLoaded()
}

/**
 * What people need to know of the agent; null if none is loaded (specification 3).
 *
 * @example
 * console.log(getAgentInfo()?.name) // Billing
 */
export function getAgentInfo(): AgentInfo | null {
  return agent.getAgentInfo()
}

/**
 * The agent document, which others pass to {@link trustAgent} (protocol, section 7).
 *
 * @returns canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`
 * @example
 * console.log(JSON.parse(exportAgent()).sxType) // agent
 */
export function exportAgent(): string {
  return agent.exportAgent()
}

/**
 * Adds another agent to the trust store, or puts a later version of its document there (protocol,
 * section 11). What it signs is trusted from the next verdict on, so make sure first whose document it
 * is. Where the storage has to be awaited it is written behind; see {@link flush}.
 *
 * @param json its agent document, JSON text
 * @throws SxError `NoAgentLoaded`; a code of a verdict for a document that is not valid under its own
 *   keys; against the known document `KeyConflict` for other keys, `KeyRevoked` if it takes back a
 *   revocation, `Rollback` for an older version, `VersionConflict` for another history, and
 *   `CorruptStore` if the known one cannot be read; storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * console.log(trustAgent(billing).name) // Billing
 */
export function trustAgent(json: string): TrustedAgent {
  return agent.trustAgent(json)
}

/**
 * Ids of the agents in the trust store, ascending (specification 4.1). The agent itself is trusted
 * without being there.
 *
 * @throws SxError `NoAgentLoaded`, storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(listTrustedAgents().includes(agentId)) // true
 */
export function listTrustedAgents(): string[] {
  return agent.listTrustedAgents()
}

/**
 * Removes an agent from the trust store (protocol, section 11). The next verdict knows.
 *
 * @param id its `sxId`
 * @returns whether it was there
 * @throws SxError `NoAgentLoaded`, `InvalidId`, storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(untrustAgent(agentId), isTrusted(agentId)) // true false
 */
export function untrustAgent(id: string): boolean {
  return agent.untrustAgent(id)
}

/**
 * Whether an agent is in the trust store (specification 4.1). The agent itself is trusted without
 * being there.
 *
 * @param id its `sxId`
 * @throws SxError `NoAgentLoaded`, `InvalidId`, storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(isTrusted(agentId)) // true
 */
export function isTrusted(id: string): boolean {
  return agent.isTrusted(id)
}

/**
 * The document of a trusted agent, as {@link trustAgent} took it (specification 4.1).
 *
 * @param id its `sxId`
 * @throws SxError `NoAgentLoaded`, `InvalidId`; `NotFound` if it is not in the trust store;
 *   `CorruptStore` if it is no UTF-8 text; storage codes
 * @example
 * const billing = exportAgent()
 * await create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * const { agentId } = trustAgent(billing)
 * console.log(getTrustedAgent(agentId) === billing) // true
 */
export function getTrustedAgent(id: string): string {
  return agent.getTrustedAgent(id)
}

/**
 * Resolves when everything written so far is as durable as the storage makes it; rejects if a write
 * behind failed. Changes of the trust store and what `Sync` twins write are written behind, and only
 * where the storage itself has to be awaited, as in a page.
 *
 * @throws SxError `NoAgentLoaded`; storage codes; `VersionConflict` if another page wrote the same in the
 *   meantime
 * @example
 * await signMessage({ amount: 1 })
 * await flush()
 */
export function flush(): Promise<void> {
  return agent.flush()
}
