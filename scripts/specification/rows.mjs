// The rows of the specification's tables by section: which there are, and of functions which are built. A test shows a
// row by a title that begins with `spec <section> <row>`, see `scripts/specification.mjs`.
import { missing, planned } from '../surfaces/tables.mjs'

const words = (text) => text.trim().split(/\s+/)
const rows = (text) => words(text).map((name) => ({ name }))
const ofType = (type, names) => words(names).map((name) => ({ name: `${type}.${name}` }))

/** The functions of a surface that were planned. */
const functions = (surface) =>
  Object.values(planned[surface])
    .flat()
    .map((name) => ({ name, isBuilt: !missing[surface].includes(name) }))

const later = (names) => words(names).map((name) => ({ name, isBuilt: false }))
const built = (names) => words(names).map((name) => ({ name, isBuilt: true }))

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
  { number: '4.1', title: 'Simplified module', rows: functions('simple') },
  { number: '4.2', title: 'Agent class', rows: functions('agent') },
  { number: '4.3', title: 'Utility functions', rows: built('hashString createConfig') },
  {
    number: '4.4',
    title: 'Simple-agent instance class',
    rows: [
      ...built('ephemeral getPublicKeyPem'),
      ...later('buildRequestAuthHeader signResponse unwrapSignedEvent buildAuthHeader'),
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
    number: '7',
    title: 'Errors',
    rows: rows(`
      no-agent-loaded load-missing-config signFile-missing-file schema-missing-field schema-outside-enum
      MarkerCollision MissingSignature AlreadySigned unwrapSignedEvent verify-invalid missing_signature
    `),
  },
]
