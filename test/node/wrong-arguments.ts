/** For each argument of each function: what to give it, and the codes that are right for it. */
import { createConfig, hashString, init, SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { PASSWORD } from './fixtures.ts'
import {
  agent,
  bytes,
  config,
  cyclic,
  document,
  fresh,
  LIMITS,
  NOT_AN_OBJECT,
  NOT_JSON,
  NOT_OPTIONS,
  NOT_TEXT,
  NOT_TEXT_GIVEN,
  NOTHING,
  notAgents,
  OBJECTS,
  OPTION_CODES,
  PRIMITIVES,
  type Row,
  STORAGES,
  TEXT_OPTIONS,
  UUID,
  unreadable,
  type Wrong,
} from './wrong-values.ts'

export const ROWS: Record<string, Row> = {
  'quickstart(options)': { call: sx.quickstart, values: [undefined, ...NOT_OPTIONS, {}], codes: 'InvalidOption' },
  'quickstartSync(options)': {
    call: sx.quickstartSync,
    values: [undefined, ...NOT_OPTIONS, {}],
    codes: 'InvalidOption',
  },
  'create(options)': { call: sx.create, values: [undefined, ...NOT_OPTIONS, {}], codes: 'InvalidOption' },
  'createSync(options)': { call: sx.createSync, values: [undefined, ...NOT_OPTIONS, {}], codes: 'InvalidOption' },
  ...Object.fromEntries(
    [...TEXT_OPTIONS, 'keyDirectory', 'password'].map((name) => [
      `create({${name}})`,
      {
        call: (value: Wrong) => sx.create(fresh({ [name]: value })),
        values: name === 'description' ? NOT_TEXT_GIVEN : [...NOT_TEXT_GIVEN, ''],
        codes: OPTION_CODES,
      },
    ]),
  ),
  'create({name}) of bad length': {
    call: (name) => sx.create(fresh({ name })),
    values: ['', 'x'.repeat(257)],
    codes: OPTION_CODES,
  },
  'create({name: undefined})': {
    call: (name) => sx.create(fresh({ name })),
    values: [undefined],
    codes: 'InvalidOption',
  },
  'quickstart({domain: undefined})': {
    call: (domain) => sx.quickstart(fresh({ domain })),
    values: [undefined],
    codes: 'InvalidOption',
  },
  'create({domain}) that is none': {
    call: (domain) => sx.create(fresh({ domain })),
    values: ['exa mple.com', 'https://example.com', '-a.com', 'a..b', 'x'.repeat(300), 'a\nb'],
    codes: OPTION_CODES,
  },
  'create({agentType, algorithm}) that are none': {
    call: (value) => sx.create(fresh(value)),
    values: [{ agentType: 'robot' }, { algorithm: 'rsa' }, { algorithm: 'ED25519' }],
    codes: OPTION_CODES,
  },
  'create({keyDirectory}) outside': {
    call: (keyDirectory) => sx.create(fresh({ keyDirectory })),
    values: ['../x', 'a/../../x', '..', 'a\0b'],
    codes: OPTION_CODES,
  },
  'create({importKey})': {
    call: (importKey) => sx.create(fresh({ importKey })),
    values: [null, 5, 'x', [], {}, { pem: 5 }, { pem: Symbol('s') }],
    codes: 'InvalidOption',
  },
  'create({importKey: {pem}})': {
    call: (pem) => sx.create(fresh({ importKey: { pem } })),
    values: ['', 'x', '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n', '\0'],
    codes: 'InvalidKey',
  },
  'create({limits})': { call: (limits) => sx.create(fresh({ limits })), values: LIMITS, codes: 'InvalidOption' },
  'create({storage})': { call: (storage) => sx.create(fresh({ storage })), values: STORAGES, codes: 'InvalidOption' },
  'create({env})': {
    call: (env) => sx.create(fresh({ env, password: undefined })),
    values: [{ SX_PRIVATE_KEY_PASSWORD: 5 }],
    codes: OPTION_CODES,
  },
  'load(configPath)': {
    call: (path) => sx.load(path),
    values: [null, ...PRIMITIVES, '', () => 'x'],
    codes: 'InvalidOption',
  },
  'load(configPath) that leads nowhere': {
    call: (path) => sx.load(path),
    values: ['a\0b', 'x'.repeat(5000), '/nowhere/sx.config.json', '/etc/passwd/sx.config.json'],
    codes: ['NotFound', 'InvalidOption', 'StorageUnavailable'],
  },
  'load(configPath, options)': {
    call: (options) => sx.load(config(), options),
    values: NOT_OPTIONS.filter((value) => typeof value !== 'string'),
    codes: ['InvalidOption', 'PasswordRequired'],
  },
  'load({password})': {
    call: (password) => sx.load({ configPath: config(), env: {}, password }),
    values: [...NOT_TEXT_GIVEN, ''],
    codes: ['InvalidOption', 'PasswordRequired'],
  },
  'load({limits})': {
    call: (limits) => sx.load({ configPath: config(), env: {}, password: PASSWORD, limits }),
    values: LIMITS,
    codes: 'InvalidOption',
  },
  'load({storage})': {
    call: (storage) => sx.load({ configPath: 'sx.config.json', env: {}, password: PASSWORD, storage }),
    values: STORAGES,
    codes: 'InvalidOption',
  },
  'new SxAgent(options)': {
    call: (options) => new SxAgent(options).load(config()),
    values: NOT_OPTIONS,
    codes: ['InvalidOption', 'PasswordRequired'],
  },
  'SxAgent.load(configPath)': {
    call: (path) => agent.load(path),
    values: [null, ...PRIMITIVES, ...OBJECTS, ''],
    codes: 'InvalidOption',
  },
  'SxAgent.loadSync(configPath)': {
    call: (path) => agent.loadSync(path),
    values: [null, ...PRIMITIVES, ...OBJECTS, ''],
    codes: 'InvalidOption',
  },
  'init(options)': { call: (options) => init(options), values: [null], codes: 'InvalidOption' },
  'hashString(data)': { call: hashString, values: NOT_TEXT, codes: 'InvalidOption' },
  'hashString(half a surrogate pair)': {
    call: hashString,
    values: ['\uD800', 'a\uDC00'],
    codes: ['NotJson', 'InvalidOption'],
  },
  'createConfig(options)': { call: createConfig, values: NOT_OPTIONS, codes: ['InvalidOption', 'InvalidConfig'] },
  'createConfig(fields)': {
    call: createConfig,
    values: [
      { sxDataDirectory: 5 },
      { sxKeyDirectory: null },
      { sxAgentKeyAlgorithm: 'rsa' },
      { sxUseSecurity: true },
      { sxKeyDirectory: '../x' },
    ],
    codes: 'InvalidConfig',
  },
  'signMessage(data) that is no JSON': {
    call: sx.signMessage,
    values: [...Object.values(NOT_JSON), cyclic()],
    codes: 'NotJson',
  },
  'signMessageSync(data) that is no JSON': {
    call: sx.signMessageSync,
    values: [...Object.values(NOT_JSON), cyclic()],
    codes: 'NotJson',
  },
  'signMessage(data) with numbers that lose digits': {
    call: sx.signMessage,
    values: [2 ** 53, -(2 ** 53), [1e20], { a: 123456789012345680000 }],
    codes: 'LossyNumber',
  },
  'signMessage(data) that is nested too deeply': {
    call: sx.signMessage,
    values: [128, 1000, 100_000].map(nested),
    codes: 'LimitExceeded',
  },
  'signMessage(data) of too many items': {
    call: sx.signMessage,
    values: [Array(500_001).fill(0)],
    codes: 'LimitExceeded',
  },
  'updateDocument(documentId)': {
    call: (id) => sx.updateDocument(id, { a: 2 }),
    values: [...NOT_TEXT, ''],
    codes: 'InvalidId',
  },
  'updateDocumentSync(documentId)': {
    call: (id) => sx.updateDocumentSync(id, { a: 2 }),
    values: [...NOT_TEXT, ''],
    codes: 'InvalidId',
  },
  'updateDocument(…, newDocumentData)': {
    call: (data) => sx.updateDocument(document.documentId, data),
    values: [...Object.values(NOT_JSON), cyclic(), '', '{', '{"a":1}x', '\uFEFF{}'],
    codes: 'NotJson',
  },
  'updateDocument(…, attachments)': {
    call: (attachments) => sx.updateDocument(document.documentId, { a: 2 }, attachments),
    values: [0, true, 'x', { data: 'x' }, { shema: 'x' }, { noSave: true }, ['x'], Symbol('s')],
    codes: ['InvalidOption', 'NotFound'],
  },
  'SxAgent.updateDocument(documentKey)': {
    call: (key) => agent.updateDocument(key, '{}'),
    values: [...NOT_TEXT, ''],
    codes: 'InvalidId',
  },
  'SxAgent.updateDocument(…, newDocumentString)': {
    call: (text) => agent.updateDocument(document.documentId, text),
    values: NOT_TEXT,
    codes: 'InvalidOption',
  },
  'SxAgent.createDocument(documentString)': {
    call: (text) => agent.createDocument(text),
    values: NOT_AN_OBJECT,
    codes: ['NotJson', 'InvalidDocument'],
  },
  'SxAgent.createDocumentSync(documentString)': {
    call: (text) => agent.createDocumentSync(text),
    values: NOT_AN_OBJECT,
    codes: ['NotJson', 'InvalidDocument'],
  },
  'SxAgent.createDocument(no object)': {
    call: (text) => agent.createDocument(text),
    values: ['', '{', '[]', '"x"', '1', 'null', '\uFEFF{}', '{"a":1,"a":2}', '{"a":1e400}', '\uD800'],
    codes: ['NotJson', 'InvalidDocument', 'DuplicateKey', 'LossyNumber'],
  },
  'SxAgent.createDocument(…, customSchema)': {
    call: (schema) => agent.createDocument('{}', schema),
    values: ['x', 5, true, { shema: 'x' }, { schema: 'x' }, { attachments: ['x'] }, { embed: 1 }, { noSave: 1 }],
    codes: ['InvalidOption', 'NotFound'],
  },
  'SxAgent.createDocument(…, {type})': {
    call: (type) => agent.createDocument('{}', { type, noSave: true }),
    values: ['', 'a b', 'agent', 'x'.repeat(65), 'x","sxId":"y', 5, null, {}],
    codes: ['InvalidDocument', 'InvalidOption', 'ReservedField'],
  },
  'SxAgent.createDocument(another type, {type})': {
    call: (text) => agent.createDocument(text, { type: 'invoice', noSave: true }),
    values: ['{"sxType":"invoice"}', '{"a":1,"sxType":"order"}', ' [1]', '', 'x{}'],
    codes: ['DuplicateKey', 'InvalidDocument', 'NotJson'],
  },
  'signMessage(…, options)': {
    call: (options) => sx.signMessage({ a: 1 }, options),
    values: [0, 1, true, 'x', [], { nosave: true }, { noSave: 'yes' }],
    codes: 'InvalidOption',
  },
  'SxAgent.createDocument(…, outputFilename)': {
    call: (name) => agent.createDocument('{}', null, name),
    values: NOT_TEXT_GIVEN.slice(1),
    codes: ['InvalidOption', 'InvalidId'],
  },
  'SxAgent.createDocument(…, noSave)': {
    call: (noSave) => agent.createDocument('{}', null, null, noSave),
    values: ['true', 'yes', 1, 0, {}, []],
    codes: 'InvalidOption',
  },
  'SxAgent.createDocument(…, attachments)': {
    call: (file) => agent.createDocument('{}', null, null, true, file),
    values: ['x', 5, ['x'], {}],
    codes: ['InvalidOption', 'NotFound'],
  },
  'SxAgent.signString(data)': { call: (data) => agent.signString(data), values: NOT_TEXT, codes: 'InvalidOption' },
  'SxAgent.signString(reserved)': {
    call: (data) => agent.signStringSync(data),
    values: ['SXv2 ', 'SXv2 14 sx-document-v1 2 {}'],
    codes: 'ReservedPrefix',
  },
  'SxAgent.verifyString(data)': {
    call: (data) => agent.verifyString(data, '', bytes(), 'ed25519'),
    values: NOT_TEXT,
    codes: 'InvalidOption',
  },
  'SxAgent.verifyString(…, signature)': {
    call: (signature) => agent.verifyString('x', signature, bytes(), 'ed25519'),
    values: NOT_TEXT,
    codes: 'InvalidOption',
  },
  'SxAgent.verifyString(…, publicKey)': {
    call: (key) => agent.verifyString('x', '', key, 'ed25519'),
    values: [...NOT_TEXT, 'x', new ArrayBuffer(2)],
    codes: 'InvalidOption',
  },
  'SxAgent.verifyString(…, publicKeyEncType)': {
    call: (type) => agent.verifyString('x', '', bytes(), type),
    values: NOT_TEXT,
    codes: 'InvalidOption',
  },
  'SxAgent.verifySignature(…, signatureField)': {
    call: (field) => agent.verifySignature(document.raw, field),
    values: [...PRIMITIVES, ...OBJECTS, '', 'sxAgreement', '__proto__'],
    codes: 'InvalidOption',
  },
  'createAgreement(documentString)': {
    call: (text) => sx.createAgreement(text, [UUID]),
    values: [...NOT_TEXT, '', '{', 'x'],
    codes: 'NotJson',
  },
  'createAgreement(…, agentIds)': {
    call: (ids) => sx.createAgreement(document.raw, ids),
    values: [...NOTHING, ...PRIMITIVES, ...OBJECTS, 'x', [UUID, UUID], [null], [UUID, 'x'], ...unreadable()],
    codes: ['InvalidOption', 'InvalidId', 'NoParties'],
  },
  'createAgreement(…, question)': {
    call: (question) => sx.createAgreement(document.raw, [UUID], question),
    values: [...PRIMITIVES, ['x'], new Date(0), new Map(), Object(' '), () => 'x', { x: 1 }],
    codes: 'InvalidOption',
  },
  'createAgreement(…, context)': {
    call: (context) => sx.createAgreement(document.raw, [UUID], '', context),
    values: [...PRIMITIVES, ...OBJECTS],
    codes: 'InvalidOption',
  },
  'createAgreement(…, agreementFieldName)': {
    call: (name) => sx.createAgreement(document.raw, [UUID], '', '', name),
    values: [...PRIMITIVES, ...OBJECTS, '', 'a b', 'sxId', 'content', 'x'.repeat(5000)],
    codes: ['InvalidOption', 'ReservedField', 'LimitExceeded'],
  },
  'createAgreement(…, options)': {
    call: (options) => sx.createAgreement(document.raw, [UUID], options),
    values: ['quorum', 'signBy', 'algorithms', 'minStrength'].flatMap((name) =>
      [null, ...PRIMITIVES, ...OBJECTS, '', 'x'].map((value) => ({ [name]: value })),
    ),
    codes: 'InvalidOption',
  },
  'importDocument(document)': {
    call: (text) => sx.importDocument(text),
    values: [...NOT_TEXT, '', '{', 'x', [UUID], ...unreadable()],
    codes: ['InvalidOption', 'NotJson'],
  },
  'signAgreement(documentString)': {
    call: (text) => sx.signAgreement(text),
    values: [...NOT_TEXT, '', '{', 'x'],
    codes: 'NotJson',
  },
  'signAgreement(…, agreementFieldName)': {
    call: (name) => sx.signAgreement(document.raw, name),
    values: [...PRIMITIVES, ['x'], new Date(0), () => 'x', { x: 1 }, { refuseSigned: 1 }, '', 'a b', 'sxId'],
    codes: ['InvalidOption', 'ReservedField'],
  },
  'checkAgreement(documentString)': {
    call: (text) => sx.checkAgreement(text),
    values: [...NOT_TEXT, '', '{', 'x', ...unreadable()],
    codes: ['InvalidOption', 'NotJson'],
  },
  'checkAgreement(…, agreementFieldName)': {
    call: (name) => sx.checkAgreement('{}', name),
    values: [...PRIMITIVES, ...OBJECTS, '', 'a b', 'sxId'],
    codes: ['InvalidOption', 'ReservedField'],
  },
  'SxAgent.verifyAgent(agentFile)': {
    call: (file) => agent.verifyAgent(file),
    values: [...PRIMITIVES, ...OBJECTS, ''],
    codes: 'InvalidOption',
  },
  'SxAgent.verifyAgent(agentFile) that leads nowhere': {
    call: (file) => agent.verifyAgent(file),
    values: ['/nowhere/agent.json', '/', 'a\0b', 'x'.repeat(5000)],
    codes: ['NotFound', 'InvalidOption', 'StorageUnavailable'],
  },
  'updateAgent(newAgentData)': {
    call: sx.updateAgent,
    values: [...NOT_TEXT, '', '{', '{}', '[]', '"x"'],
    codes: ['InvalidAgent', 'NotJson', 'InvalidOption'],
  },
  'updateAgent(another document)': { call: sx.updateAgent, values: notAgents, codes: 'InvalidAgent' },
  'reencryptKey(old)': {
    call: (old) => sx.reencryptKey(old, 'next'),
    values: [...NOT_TEXT, ''],
    codes: ['InvalidOption', 'PasswordRequired', 'WrongPassword'],
  },
  'reencryptKey(…, new)': {
    call: (next) => sx.reencryptKey(PASSWORD, next),
    values: [...NOT_TEXT, ''],
    codes: ['InvalidOption', 'PasswordRequired'],
  },
  'verifyById(id)': { call: sx.verifyById, values: [...NOT_TEXT, ''], codes: 'InvalidId' },
  'getDocument(key)': { call: sx.getDocument, values: [...NOT_TEXT, ''], codes: 'InvalidId' },
  'listDocuments(options)': { call: sx.listDocuments, values: NOT_OPTIONS.slice(0, -1), codes: 'InvalidOption' },
  'listDocuments({limit})': {
    call: (limit) => sx.listDocuments({ limit }),
    values: [null, '5', -1, 1.5, 10n, {}, Number.NaN],
    codes: 'InvalidOption',
  },
  'listDocuments({after})': {
    call: (after) => sx.listDocuments({ after }),
    values: [...NOT_TEXT_GIVEN, ''],
    codes: ['InvalidId', 'InvalidOption'],
  },
  'listDocuments({type})': {
    call: (type) => sx.listDocuments({ type }),
    values: [null, 5, {}, true],
    codes: 'InvalidOption',
  },
  'verifyStandalone(…, options)': {
    call: (options) => sx.verifyStandalone(document.raw, options),
    values: NOT_OPTIONS.slice(0, -1),
    codes: 'InvalidOption',
  },
  'verifyStandalone({keyResolution})': {
    call: (keyResolution) => sx.verifyStandalone(document.raw, { keyResolution }),
    values: [null, 5, '', 'dns', {}],
    codes: 'InvalidOption',
  },
  'verifyStandalone({keyDirectory})': {
    call: (keyDirectory) => sx.verifyStandalone(document.raw, { keyDirectory }),
    values: [5, true, '', Symbol('s'), 'a\0b'],
    codes: 'InvalidOption',
  },
  'verifyStandalone({dataDirectory})': {
    call: (dataDirectory) => sx.verifyStandalone(document.raw, { keyDirectory: {}, dataDirectory }),
    values: [5, true, '', {}, Symbol('s'), 'a\0b'],
    codes: 'InvalidOption',
  },
  'verifyStandalone({keyDirectory: {id: PEM}})': {
    call: (pem) => sx.verifyStandalone(document.raw, { keyDirectory: { [document.agentId]: pem } }),
    values: [5, null, {}, Symbol('s')],
    codes: 'InvalidOption',
  },
  'exportStore(options)': {
    call: (options) => sx.exportStore(options),
    values: [...NOT_OPTIONS, { passwort: 'x' }],
    codes: 'InvalidOption',
  },
  'exportStore({password})': {
    call: (password) => sx.exportStore({ password }),
    values: [5, true, null, {}, Symbol('s'), '', '\ud800', 'x'.repeat(70_000)],
    codes: ['InvalidOption', 'PasswordRequired'],
  },
  'importStore(backup)': {
    call: (backup) => sx.importStore(backup, { storage: memoryStorage() }),
    values: [...NOT_TEXT, '', 'a\0b'],
    codes: 'InvalidOption',
  },
  'importStore(no backup)': {
    call: (backup) => sx.importStore(backup, { storage: memoryStorage() }),
    values: ['', '{', '{}', '{"sxBackup":1,"manifest":{},"entries":[\n]}\n', '\n', '\0'].map((text) =>
      Buffer.from(text),
    ),
    codes: 'CorruptStore',
  },
  'importStore(backup, options)': {
    call: (options) => sx.importStore(new Uint8Array(), options),
    values: NOT_OPTIONS.slice(0, -1),
    codes: 'InvalidOption',
  },
  ...Object.fromEntries(
    ['configPath', 'storage', 'keyDirectory', 'dataDirectory'].map((name) => [
      `importStore({${name}})`,
      {
        call: (value: unknown) => sx.importStore(new Uint8Array(), { [name]: value }),
        values: [5, true, null, Symbol('s'), []],
        codes: 'InvalidOption',
      },
    ]),
  ),
  'trustAgent(json)': { call: sx.trustAgent, values: NOT_TEXT, codes: 'InvalidOption' },
  'trustAgent(no agent)': {
    call: sx.trustAgent,
    values: ['', '{', '{}', '[]', 'null', '\uFEFF{}', `{"sxId":"${UUID}"}`],
    codes: ['NotJson', 'InvalidAgent', 'InvalidDocument', 'MissingSignature'],
  },
  'untrustAgent(id)': { call: sx.untrustAgent, values: NOT_TEXT, codes: 'InvalidId' },
  'isTrusted(id)': { call: sx.isTrusted, values: NOT_TEXT, codes: 'InvalidId' },
  'getTrustedAgent(id)': { call: sx.getTrustedAgent, values: NOT_TEXT, codes: 'InvalidId' },
  'getTrustedAgent(unknown)': { call: sx.getTrustedAgent, values: [UUID], codes: 'NotFound' },
}

function nested(depth: number): unknown {
  let value: unknown = 0
  for (let level = 0; level < depth; level++) value = [value]
  return value
}
