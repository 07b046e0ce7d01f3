// The rows of the specification's tables by section, and which functions are built. A test shows a row by a title that
// begins with `spec <section> <row>`, see `scripts/specification.mjs`.
import { tables } from '../surfaces/tables.mjs'

const words = (text) => text.trim().split(/\s+/)
const rows = (text) => words(text).map((name) => ({ name }))
const ofType = (type, names) => words(names).map((name) => ({ name: `${type}.${name}` }))

/** The functions of the specification, by surface and form. */
const planned = {
  simple: {
    twins: words(`
      quickstart create load verifySelf updateAgent updateDocument signMessage signFile
      verify verifyById reencryptKey createAgreement signAgreement checkAgreement audit
    `),
    direct: words(`
      verifyStandalone getPublicKey isLoaded getAgentInfo exportAgent getDnsRecord
      getWellKnownJson trustAgent listTrustedAgents untrustAgent isTrusted getTrustedAgent
    `),
    awaited: words('signText verifyText signImage verifyImage extractMediaSignature'),
  },
  agent: {
    twins: words(`
      load createDocument verifyDocument verifySignature updateDocument createAgreement
      signAgreement checkAgreement signArtifact wrapA2aArtifact signString verifyString
      verifyAgent updateAgent signAgent
    `),
    direct: words('signRequest verifyResponse verifyResponseWithAgentId'),
    awaited: [],
  },
  core: {
    twins: words(`
      load signAgent verifyString signString verifyAgent updateAgent verifyDocument updateDocument
      verifySignature createAgreement signAgreement createDocument checkAgreement
    `),
    direct: words('hashString createConfig signRequest verifyResponse verifyResponseWithAgentId'),
    awaited: [],
  },
}

/** The functions of a surface; those that are built have the form that the specification gives them. */
const functions = (surface) =>
  Object.entries(planned[surface]).flatMap(([form, names]) =>
    names.map((name) => ({ name, isBuilt: tables[surface][form].includes(name) })),
  )

const later = (names) => words(names).map((name) => ({ name, isBuilt: false }))
const built = (names) => words(names).map((name) => ({ name, isBuilt: true }))

const named = (names) => words(names).map((name) => ({ name }))

/** Where the library deviates from the specification or adds to it, by row. */
export const deviations = {
  '2.1 sxAgentKeyAlgorithm': 'also accepts `ML-DSA-87` and `Ed25519`, which mean the same',
  '2.2 key': 'an id alone means the latest version',
  '2.3 VerificationResult.data': '`undefined` if not valid',
  '2.3 VerificationResult.errors': 'read-only: its type is `readonly string[]`, and results are frozen',
  '2.3 Attachment.content': 'a `Buffer` in Node.js, otherwise a `Uint8Array`; the type is `Uint8Array`',
  '2.4 pattern': 'matches in linear time, without look-around and back-references',
  '2.4 format': 'rejects other formats',
  '4.1 quickstart': 'reports in `notice` that the agent has another algorithm',
  '4.1 createAgreement': 'also accepts a quorum, a deadline and algorithms in an options object',
  '4.1 checkAgreement': 'returns an object; also accepts several copies of one document',
  '4.1 verify': 'also accepts a custom schema or a Standard Schema',
  '4.1 signText': 'also accepts bytes, `Blob` and others, and then returns the signed text',
  '4.1 signImage': 'returns the signed image without `out`',
  '4.2 createDocument': 'also accepts options instead of positional parameters',
  '4.2 createAgreement': 'also accepts an options object instead of `question`',
  '4.2 signAgreement': 'returns the document as it is if the agent has signed',
  '4.2 checkAgreement': 'also accepts several copies of one document',
  '4.2 verifyString': 'accepts any bytes, including a `Buffer`',
  '4.2 wrapA2aArtifact': 'deprecated, as in the specification',
  '4.3 createConfig': 'rejects unknown options',
  '7 no-agent-loaded': 'not thrown by functions that need no agent, such as `inspect` and `imageCapacity`',
  '5 config-password': 'used after the argument and the environment',
  '7 MissingSignature': 'in the message and in `code`',
  '9 schema-migration': 'schemas are stored by `$id`',
}

/** The sections; rows with `isBuilt` are functions. */
export const sections = [
  {
    number: '2.1',
    title: 'Agent configuration',
    rows: rows(`
      sxUseSecurity sxDataDirectory sxKeyDirectory sxAgentPrivateKeyFilename sxAgentPublicKeyFilename
      sxAgentKeyAlgorithm sxPrivateKeyPassword sxAgentIdAndVersion sxDefaultStorage
    `),
  },
  {
    number: '2.2',
    title: 'Document header fields',
    rows: rows('sxId sxVersion sxSignature sxAgentType sxAgreement key content'),
  },
  {
    number: '2.3',
    title: 'Result and info types',
    rows: [
      ...ofType('AgentInfo', 'agentId name publicKeyPath configPath privateKeyPath'),
      ...ofType('SignedDocument', 'raw documentId agentId timestamp'),
      ...ofType('VerificationResult', 'valid data signerId timestamp attachments errors'),
      ...ofType('Attachment', 'filename mimeType hash embedded content'),
      ...ofType('VerifyTextResult', 'status signers'),
      ...ofType('VerifyImageResult', 'status signerId signedAt algorithm'),
      ...ofType('AuditResult', 'risks health_checks summary overall_status'),
    ],
  },
  {
    number: '2.4',
    title: 'Custom schemas',
    rows: rows(`
      type properties required enum const pattern format minimum maximum minItems maxItems uniqueItems items
      patternProperties additionalProperties $defs $ref if then default allOf chain
    `),
  },
  {
    number: '3',
    title: 'States and transitions',
    rows: named('quickstart-new quickstart-existing load create updateAgent document-exists updateDocument'),
  },
  { number: '4.1', title: 'Simplified module', rows: functions('simple') },
  { number: '4.2', title: 'Agent class', rows: functions('agent') },
  { number: '4.3', title: 'Utility functions', rows: built('hashString createConfig') },
  {
    number: '4.4',
    title: 'Simple-agent instance class',
    rows: [
      ...built('ephemeral getPublicKeyPem buildRequestAuthHeader'),
      ...later('signResponse unwrapSignedEvent buildAuthHeader'),
    ],
  },
  { number: '4.5', title: 'HTTP module', rows: later('SxCallbackMiddleware SxContextMiddleware') },
  {
    number: '4.6',
    title: 'MCP module',
    rows: later('createSxTransportProxy createSxTransportProxyAsync SxTransportProxy'),
  },
  { number: '4.7', title: 'Python binding', rows: later('load create_document') },
  {
    number: '5',
    title: 'Authentication',
    rows: named('env-password config-password saved-password trust-store keyResolution'),
  },
  { number: '6', title: 'Events', rows: named('no-events') },
  {
    number: '7',
    title: 'Errors',
    rows: rows(`
      no-agent-loaded load-missing-config signFile-missing-file schema-missing-field schema-outside-enum
      MarkerCollision MissingSignature AlreadySigned unwrapSignedEvent verify-invalid missing_signature
    `),
  },
  { number: '8', title: 'Limits', rows: named('ttl embed noSave robust-formats') },
  {
    number: '9',
    title: 'Versioning',
    rows: named('deprecated-functions document-versions schema-migration header-path'),
  },
]
