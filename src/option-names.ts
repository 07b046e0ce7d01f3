import type { AuditOptions } from './audit-types.ts'
import { SxError } from './errors.ts'
import type { NamedFile, SignFileOptions, VerifyFileOptions } from './file-types.ts'
import type {
  ExtractOptions,
  ImageCapacityOptions,
  SignImageOptions,
  StripImageOptions,
  VerifyImageOptions,
} from './image-types.ts'
import type { Limits } from './limits.ts'
import type {
  AgentOptions,
  CreateDocumentOptions,
  CreateDocumentsOptions,
  CreateOptions,
  ExportKeyOptions,
  ExportOptions,
  FetchOptions,
  ImportOptions,
  ListDocumentsOptions,
  LoadOptions,
  RepairOptions,
  RevocationOptions,
  RevokeByStatement,
  RevokeOptions,
  RotateOptions,
  SignMessagesOptions,
  StandaloneOptions,
  UpdateDocumentOptions,
  VerifyManyOptions,
  VerifyOptions,
  VerifyTextOptions,
} from './types.ts'
import type { ConfigOptions } from './utilities.ts'

/** Names of options, all of them and no others. */
const namesOf = <T extends object>(names: Record<keyof T, true>): readonly string[] => Object.keys(names)

const ofAgent = {
  storage: true,
  password: true,
  passkey: true,
  signer: true,
  env: true,
  limits: true,
  verifyOnly: true,
} as const

/** Of `new SxAgent`. */
export const AGENT_OPTIONS = /* @__PURE__ */ namesOf<AgentOptions>(ofAgent)

/** Of `create`, `quickstart` and `load`: with the options that made it an agent can be loaded too. */
export const PLACE_OPTIONS = /* @__PURE__ */ namesOf<CreateOptions & LoadOptions>({
  ...ofAgent,
  name: true,
  domain: true,
  description: true,
  agentType: true,
  algorithm: true,
  configPath: true,
  dataDirectory: true,
  keyDirectory: true,
  importKey: true,
  startAnew: true,
})

/** Of `createConfig`. */
export const CONFIG_OPTIONS = /* @__PURE__ */ namesOf<ConfigOptions>({
  sxUseSecurity: true,
  sxDataDirectory: true,
  sxKeyDirectory: true,
  sxAgentPrivateKeyFilename: true,
  sxAgentPublicKeyFilename: true,
  sxAgentKeyAlgorithm: true,
  sxPrivateKeyPassword: true,
  sxAgentIdAndVersion: true,
  sxDefaultStorage: true,
})

/** Of `importKey`. */
export const IMPORT_OPTIONS = /* @__PURE__ */ namesOf<NonNullable<CreateOptions['importKey']>>({
  pem: true,
  password: true,
})

/** Of `limits`. */
export const LIMIT_OPTIONS = /* @__PURE__ */ namesOf<Limits>({ bytes: true, depth: true, image: true, members: true })

/** Of `verifyStandalone`. */
export const STANDALONE_OPTIONS = /* @__PURE__ */ namesOf<StandaloneOptions>({
  keyResolution: true,
  dataDirectory: true,
  keyDirectory: true,
  keys: true,
  limits: true,
})

/** Of `listDocuments`. */
export const LIST_OPTIONS = /* @__PURE__ */ namesOf<ListDocumentsOptions>({ type: true, after: true, limit: true })

/** Of `signMessage`. */
export const SIGN_OPTIONS = /* @__PURE__ */ namesOf<Pick<CreateDocumentOptions, 'noSave'>>({ noSave: true })

/** Of `signMessages`. */
export const BATCH_OPTIONS = /* @__PURE__ */ namesOf<SignMessagesOptions>({
  noSave: true,
  signal: true,
  onProgress: true,
})

const ofSchema = { schema: true, schemas: true } as const

/** Of `verify` and `verifyOrThrow`. */
export const VERIFY_OPTIONS = /* @__PURE__ */ namesOf<VerifyOptions>({ ...ofSchema, as: true })

/** Of `updateDocument`. */
export const UPDATE_OPTIONS = /* @__PURE__ */ namesOf<UpdateDocumentOptions>({
  ...ofSchema,
  attachments: true,
  embed: true,
  signal: true,
  onProgress: true,
})

/** Of `createDocuments`. */
export const DOCUMENTS_OPTIONS = /* @__PURE__ */ namesOf<CreateDocumentsOptions>({
  ...ofSchema,
  noSave: true,
  type: true,
  signal: true,
  onProgress: true,
})

/** Of `createDocument`. */
export const DOCUMENT_OPTIONS = /* @__PURE__ */ namesOf<CreateDocumentOptions>({
  ...ofSchema,
  attachments: true,
  embed: true,
  outputFilename: true,
  noSave: true,
  type: true,
  signal: true,
  onProgress: true,
})

/** Of `signFile`. */
export const SIGN_FILE_OPTIONS = /* @__PURE__ */ namesOf<SignFileOptions>({
  embed: true,
  noSave: true,
  signal: true,
  onProgress: true,
})

/** Of `verifyFile`. */
export const VERIFY_FILE_OPTIONS = /* @__PURE__ */ namesOf<VerifyFileOptions>({
  name: true,
  keys: true,
  keyDir: true,
  signal: true,
  onProgress: true,
})

/** Of a file that is passed as its parts. */
export const NAMED_FILE = /* @__PURE__ */ namesOf<NamedFile>({ name: true, data: true, mimeType: true })

/** Of `audit`. */
export const AUDIT_OPTIONS = /* @__PURE__ */ namesOf<AuditOptions>({
  configPath: true,
  recentN: true,
  storage: true,
  password: true,
  signer: true,
  env: true,
})

/** Of `exportStore`. */
export const EXPORT_OPTIONS = /* @__PURE__ */ namesOf<ExportOptions>({ password: true })

/** Of `exportKey`. */
export const EXPORT_KEY_OPTIONS = /* @__PURE__ */ namesOf<ExportKeyOptions>({ password: true })

/** Of `rotateKey`. */
export const ROTATE_OPTIONS = /* @__PURE__ */ namesOf<RotateOptions>({
  algorithm: true,
  reason: true,
  password: true,
  force: true,
  signer: true,
})

/** Of `revokeKey` in place of a key id. */
export const STATEMENT_OPTIONS = /* @__PURE__ */ namesOf<RevokeByStatement>({ statement: true, force: true })

/** Of `createRevocation`. */
export const REVOCATION_OPTIONS = /* @__PURE__ */ namesOf<RevocationOptions>({ keyId: true, reason: true })

/** Of `revokeKey`. */
export const REVOKE_OPTIONS = /* @__PURE__ */ namesOf<RevokeOptions>({ reason: true, force: true })

/** Of `importStore`. */
export const IMPORT_STORE_OPTIONS = /* @__PURE__ */ namesOf<ImportOptions>({
  configPath: true,
  storage: true,
  keyDirectory: true,
  dataDirectory: true,
})

/** Of `repairStore`. */
export const REPAIR_OPTIONS = /* @__PURE__ */ namesOf<RepairOptions>({ configPath: true, storage: true })

/** Of `signText`. */
export const FETCH_OPTIONS = /* @__PURE__ */ namesOf<FetchOptions>({ signal: true, timeout: true })

/** Of `imageCapacity`. */
export const CAPACITY_OPTIONS = /* @__PURE__ */ namesOf<ImageCapacityOptions>({
  algorithm: true,
  signal: true,
  timeout: true,
})

/** Of `verifyText`. */
export const TEXT_OPTIONS = /* @__PURE__ */ namesOf<VerifyTextOptions>({
  signal: true,
  timeout: true,
  strict: true,
  keyDir: true,
  keys: true,
})

/** Of `verifyImage`. */
export const VERIFY_IMAGE_OPTIONS = /* @__PURE__ */ namesOf<VerifyImageOptions>({
  signal: true,
  timeout: true,
  strict: true,
  keyDir: true,
  keys: true,
  pixels: true,
})

/** Of `stripImageSignature`. */
export const STRIP_IMAGE_OPTIONS = /* @__PURE__ */ namesOf<StripImageOptions>({
  signal: true,
  timeout: true,
  force: true,
})

/** Of `signImage`. */
export const SIGN_IMAGE_OPTIONS = /* @__PURE__ */ namesOf<SignImageOptions>({
  signal: true,
  timeout: true,
  robust: true,
  refuseOverwrite: true,
  ignoreC2pa: true,
})

/** Of `extractMediaSignature`. */
export const EXTRACT_OPTIONS = /* @__PURE__ */ namesOf<ExtractOptions>({
  signal: true,
  timeout: true,
  rawPayload: true,
})

/** Of `verifyMany`. */
export const MANY_OPTIONS = /* @__PURE__ */ namesOf<VerifyManyOptions>({
  concurrency: true,
  signal: true,
  onProgress: true,
})

/** A longer name is no slip of the keyboard. */
const LONGEST_NAME = 40

/**
 * Refuses an option that nobody reads: who mistypes `password` must not get an agent with another one.
 *
 * @throws SxError `InvalidOption`, which names it and the one that was meant
 */
export function refuseUnknown(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const isShort = unknown.length <= LONGEST_NAME
  const meant = isShort ? known.find((name) => isSlip(unknown, name)) : undefined
  const advice =
    meant === undefined ? `Known options: ${known.map((name) => `'${name}'`).join(', ')}.` : `Did you mean '${meant}'?`
  throw new SxError('InvalidOption', `${isShort ? `The option '${unknown}'` : 'An option'} is unknown. ${advice}`)
}

/** Whether a name is another one but for case and at most two letters that were added, left out or changed. */
function isSlip(given: string, meant: string): boolean {
  const [a, b] = [given.toLowerCase(), meant.toLowerCase()]
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return (row[b.length] ?? 0) <= Math.min(2, Math.floor(b.length / 2))
}
