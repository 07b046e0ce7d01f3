/**
 * One agent for the whole program, as functions.
 *
 * A thin shell over an `SxAgent`: `quickstart`, `create` and `load` make it, all others use it.
 * Every operation comes twice: `name` returns a Promise, `nameSync` returns directly; those
 * without a twin return directly.
 *
 * @module
 */
import { refuseAttachments, SxAgent, sessionOf } from './agent.ts'
import { type Operation, runAsync, runSync } from './effects.ts'
import * as agents from './operations/agents.ts'
import * as creation from './operations/create.ts'
import * as documents from './operations/documents.ts'
import { DEFAULT_CONFIG_PATH, describe, load as loadAgent } from './operations/load.ts'
import * as standalone from './operations/standalone.ts'
import type { TrustedAgent } from './operations/trust.ts'
import * as verification from './operations/verify.ts'
import { agentOptions, plainOptions } from './options.ts'
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
 * Loads the agent at `configPath`, or creates it with a new key pair.
 *
 * Run it a second time and the same agent is back. Without a password from `password`,
 * SX_PRIVATE_KEY_PASSWORD or the configuration one is generated: saved in the key directory if
 * SX_SAVE_PASSWORD_FILE=true, in a page kept encrypted in IndexedDB, else returned this once as
 * `generatedPassword`.
 *
 * @throws SxError `InvalidOption`, `InvalidAgent`, and the codes of {@link load}
 * @example
 * const { agentId } = await quickstart({ name: 'Billing', domain: 'example.com' })
 */
export async function quickstart(options: QuickstartOptions): Promise<CreatedAgentInfo> {
  const given = plainOptions(options)
  return await runAsync(() => creation.quickstart(session, given))
}
/** The synchronous twin of {@link quickstart}. */
export function quickstartSync(options: QuickstartOptions): CreatedAgentInfo {
  return runSync(() => creation.quickstart(session, plainOptions(options)))
}

/**
 * Creates a new agent and loads it.
 *
 * @throws SxError `AlreadyExists` if there is a configuration or a private key; `InvalidOption`,
 *   `InvalidAgent`, `InvalidConfig`, `InvalidKey`, `StorageUnavailable`
 */
export async function create(options: CreateOptions): Promise<CreatedAgentInfo> {
  const given = plainOptions(options)
  return await runAsync(() => creation.create(session, given))
}
/** The synchronous twin of {@link create}. */
export function createSync(options: CreateOptions): CreatedAgentInfo {
  return runSync(() => creation.create(session, plainOptions(options)))
}

/**
 * Loads the agent of a configuration.
 *
 * @param configPath default `./sx.config.json`; or the options, with it among them
 * @throws SxError `NotFound`, `InvalidConfig`, `PasswordRequired`, `WrongPassword`, `KdfOutOfRange`,
 *   `KeyMismatch`, `Rollback`, `StorageUnavailable`
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
  if (typeof first === 'object') return plainOptions(first)
  const options = plainOptions(second)
  return first === undefined ? options : { ...options, configPath: first }
}
function* loading(options: LoadOptions): Operation<AgentInfo> {
  return describe(yield* loadAgent(session, options.configPath ?? DEFAULT_CONFIG_PATH, agentOptions(options)))
}

/**
 * Checks the agent's own document: its signature and its hash.
 *
 * @throws SxError `NoAgentLoaded`
 */
export function verifySelf(): Promise<VerificationResult> {
  return runAsync(() => verification.verifySelf(session))
}
/** The synchronous twin of {@link verifySelf}. */
export function verifySelfSync(): VerificationResult {
  return runSync(() => verification.verifySelf(session))
}

/**
 * Signs and stores the next version of the agent's own document.
 *
 * @param newAgentData the complete agent document with its profile changed, as object or JSON text
 * @returns the new version
 * @throws SxError `InvalidAgent`, `KeyConflict`, `ReservedField`, `VersionConflict`
 */
export function updateAgent(newAgentData: object | string): Promise<string> {
  return runAsync(() => agents.updateAgent(session, newAgentData))
}
/** The synchronous twin of {@link updateAgent}. */
export function updateAgentSync(newAgentData: object | string): string {
  return runSync(() => agents.updateAgent(session, newAgentData))
}

/**
 * Signs and stores the next version of a stored document.
 *
 * @param documentId its `sxId`
 * @param newDocumentData a new payload, or the whole document with its body changed; an object or JSON text
 * @param attachments not supported yet
 * @param embed not supported yet
 * @throws SxError `InvalidId`, `NotFound`, `VersionConflict`, `Rollback`, `ReservedField`, `Unsupported`
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
 * Signs any JSON-serializable value as a document whose `content` it is, and stores it.
 *
 * @throws SxError `NoAgentLoaded`, `NotJson`, `LossyNumber`, `LimitExceeded`, `StorageFull`, `StorageUnavailable`
 * @example
 * const signed = await signMessage({ amount: 1 })
 * const { valid, data } = await verify(signed.raw)
 */
export function signMessage(data: unknown): Promise<SignedDocument> {
  return runAsync(() => documents.signMessage(session, data))
}
/** The synchronous twin of {@link signMessage}. */
export function signMessageSync(data: unknown): SignedDocument {
  return runSync(() => documents.signMessage(session, data))
}

/**
 * The verdict on a signed document. Never throws because of the document.
 *
 * @param signedDocument its JSON text
 * @throws SxError `NoAgentLoaded`
 */
export function verify(signedDocument: string): Promise<VerificationResult> {
  return runAsync(() => verification.verify(session, signedDocument))
}
/** The synchronous twin of {@link verify}. */
export function verifySync(signedDocument: string): VerificationResult {
  return runSync(() => verification.verify(session, signedDocument))
}

/**
 * The verdict on a document, if it is valid.
 *
 * @throws SxError with the reason's code for any other document
 */
export function verifyOrThrow(signedDocument: string): Promise<ValidResult> {
  return runAsync(() => verification.verifyOrThrow(session, signedDocument))
}
/** The synchronous twin of {@link verifyOrThrow}. */
export function verifyOrThrowSync(signedDocument: string): ValidResult {
  return runSync(() => verification.verifyOrThrow(session, signedDocument))
}

/**
 * The verdict on a stored document.
 *
 * @param id an id, which means the latest version, or `id:version`
 * @throws SxError `InvalidId`, `NoAgentLoaded`
 */
export function verifyById(id: string): Promise<VerificationResult> {
  return runAsync(() => documents.verifyById(session, id))
}
/** The synchronous twin of {@link verifyById}. */
export function verifyByIdSync(id: string): VerificationResult {
  return runSync(() => documents.verifyById(session, id))
}

/** The text of a stored document, unverified; see `SxAgent.getDocument`. */
export function getDocument(key: string): Promise<string> {
  return runAsync(() => documents.getDocument(session, key))
}
/** The synchronous twin of {@link getDocument}. */
export function getDocumentSync(key: string): string {
  return runSync(() => documents.getDocument(session, key))
}

/** Keys of the stored documents' latest versions; see `SxAgent.listDocuments`. */
export function listDocuments(options?: ListDocumentsOptions): Promise<string[]> {
  return runAsync(() => documents.listDocuments(session, options))
}
/** The synchronous twin of {@link listDocuments}. */
export function listDocumentsSync(options?: ListDocumentsOptions): string[] {
  return runSync(() => documents.listDocuments(session, options))
}

/**
 * Encrypts the private key with another password, also where the old one was saved.
 *
 * @throws SxError `WrongPassword`, `PasswordRequired`, `StorageUnavailable`
 */
export function reencryptKey(oldPassword: string, newPassword: string): Promise<void> {
  return runAsync(() => agents.reencryptKey(session, oldPassword, newPassword))
}
/** The synchronous twin of {@link reencryptKey}. */
export function reencryptKeySync(oldPassword: string, newPassword: string): void {
  runSync(() => agents.reencryptKey(session, oldPassword, newPassword))
}

/**
 * The verdict on a signed document without an agent: only with the keys that are named here.
 *
 * @throws SxError `InvalidOption`; nothing because of the document
 * @example
 * verifyStandalone(signed, { keyResolution: 'local', keyDirectory: './keys' })
 */
export function verifyStandalone(signedDocument: string, options?: StandaloneOptions): VerificationResult {
  return runSync(() => standalone.verifyStandalone(signedDocument, options))
}

/** The agent's public key: SPKI PEM (RFC 8410, RFC 9881). */
export function getPublicKey(): string {
  return agent.getPublicKey()
}

/** Whether an agent is loaded. */
export function isLoaded(): boolean {
  return agent.isLoaded()
}

/** What people need to know of the agent; null if none is loaded. */
export function getAgentInfo(): AgentInfo | null {
  return agent.getAgentInfo()
}

/** The agent document, which others pass to {@link trustAgent}. */
export function exportAgent(): string {
  return agent.exportAgent()
}

/** Adds another agent to the trust store; see `SxAgent.trustAgent`. */
export function trustAgent(json: string): TrustedAgent {
  return agent.trustAgent(json)
}

/** Ids of the trusted agents, ascending. */
export function listTrustedAgents(): string[] {
  return agent.listTrustedAgents()
}

/** Removes an agent from the trust store; says whether it was there. */
export function untrustAgent(id: string): boolean {
  return agent.untrustAgent(id)
}

/** Whether an agent is in the trust store. */
export function isTrusted(id: string): boolean {
  return agent.isTrusted(id)
}

/** The document of a trusted agent; `NotFound` if it is not in the trust store. */
export function getTrustedAgent(id: string): string {
  return agent.getTrustedAgent(id)
}

/** Resolves when everything written so far is durable; rejects if a write behind failed. */
export function flush(): Promise<void> {
  return agent.flush()
}
