// Wrong arguments to every function: one SxError that says what to do, and nothing is written.
import { join } from 'node:path'
import { createConfig, hashString, init, SxAgent, SxError, type SxErrorCode } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { type Key, memoryStorage, mirrored, prefixed } from 'sx-agent/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'

type Wrong = never
const wrong = (value: unknown): Wrong => value as never

const NOTHING: unknown[] = [undefined, null]
const PRIMITIVES: unknown[] = [0, 1.5, Number.NaN, true, false, 10n, Symbol('s')]
const OBJECTS: unknown[] = [{}, [], ['x'], new Date(0), new Map(), Object(' '), () => 'x', { toString: () => 'x' }]
const NOT_TEXT = [...NOTHING, ...PRIMITIVES, ...OBJECTS]
/** What is no object that JSON can show, nor the text of one. */
const NOT_AN_OBJECT = NOT_TEXT.filter((value) => Object.prototype.toString.call(value) !== '[object Object]')
const NOT_OPTIONS: unknown[] = [null, 0, true, 10n, Symbol('s'), 'x', () => ({}), []]
const UUID = '6fa459ea-ee8a-4ca4-894e-db77e160355e'

/** What JSON cannot show, or not without a loss. */
const NOT_JSON: Record<string, unknown> = {
  undefined: undefined,
  'a function': () => 1,
  'a symbol': Symbol('s'),
  'a BigInt': 10n,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  'a Date': new Date(0),
  'a Map': new Map(),
  'a Set': new Set(),
  'a typed array': new Uint8Array(2),
  'a boxed text': Object('x'),
  'a boxed number': Object(1),
  'a RegExp': /x/,
  'an Error': new Error('x'),
  'a Promise': Promise.resolve(1),
  'a sparse array': Object.assign([], { 0: 1, 2: 2 }),
  'an array with a toJSON': Object.assign([1], { toJSON: () => 2 }),
  'undefined inside': { a: { b: undefined } },
  'undefined in an array': [undefined],
  'a toJSON': { toJSON: () => 1 },
  'a toJSON that throws': {
    get toJSON(): unknown {
      throw new Error('not for you')
    },
  },
  'a getter that throws': {
    get a(): unknown {
      throw new Error('not for you')
    },
  },
  'a proxy that throws': new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('not for you')
      },
    },
  ),
  'half a surrogate pair': '\uD800',
  'half a surrogate pair inside': { a: ['x\uDC00'] },
  'half a surrogate pair as name': { '\uD800': 1 },
}

function cyclic(): unknown {
  const value: Record<string, unknown> = {}
  value['self'] = { value }
  return value
}

/** A value that cannot be looked at any more. */
function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

const TRAPS = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'apply', 'construct'] as const

/** A value that throws what is no error, whatever is asked of it. */
function throwing<T extends object>(target: T): T {
  const trap = (): never => {
    // oxlint-disable-next-line typescript/only-throw-error, no-throw-literal -- what others throw can be anything
    throw 3
  }
  return new Proxy(target, Object.fromEntries(TRAPS.map((name) => [name, trap])))
}

/** Values that cannot be read. */
function unreadable(): unknown[] {
  const targets = [{}, [], () => 'x', new Uint8Array(2), Object.create(null)]
  return [...targets.map(revoked), ...targets.map(throwing)]
}

/** One argument of a function, what to give it, and the codes that are right for it. */
interface Row {
  readonly call: (value: Wrong) => unknown
  readonly values: readonly unknown[]
  readonly codes: SxErrorCode | readonly SxErrorCode[]
}

let root: string
let agent: SxAgent
let document: sx.SignedDocument
const notAgents: unknown[] = []
let before: Record<string, string>
beforeAll(async () => {
  root = newFolder()
  const folder = join(root, 'agent')
  await sx.create(agentIn(folder))
  document = await sx.signMessage({ a: 1 })
  agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(configIn(folder))
  notAgents.push(document, document.raw)
  before = treeOf(root)
})

afterAll(async () => {
  expect(treeOf(root)).toEqual(before)
  expect((await sx.verify((await sx.signMessage('still here')).raw)).valid).toBe(true)
})

let places = 0
/** Options of an agent in a folder that is not there yet, and should not be there afterwards. */
const fresh = (more: object): sx.QuickstartOptions => agentIn(join(root, `fresh${places++}`), more)
const config = (): string => configIn(join(root, 'agent'))
const bytes = (): Uint8Array => Buffer.from(agent.getPublicKey())

const OPTION_CODES = ['InvalidOption', 'InvalidConfig', 'InvalidAgent', 'PasswordRequired'] as const
const TEXT_OPTIONS = ['name', 'domain', 'description', 'agentType', 'algorithm', 'configPath', 'dataDirectory'] as const
const LIMITS = [5, 'x', [], Symbol('s'), 10n, { bytes: 'x' }, { depth: 0 }, { depth: 1.5 }, { depth: 1e9 }, { size: 1 }]
const STORAGES = [null, 5, 'x', {}, [], { get: () => undefined }]
const NOT_TEXT_GIVEN = NOT_TEXT.filter((value) => value !== undefined)

const ROWS: Record<string, Row> = {
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

describe('an argument behind the options', () => {
  it('is refused, since the options are the last one', async () => {
    const { documentId } = document
    const options = { type: 'order', noSave: true }
    for (const call of [
      () => agent.createDocument('{}', options, 'x.json'),
      () => agent.createDocument('{}', options, null, true),
      () => agent.createDocument('{}', options, null, null, { name: 'x', data: new Uint8Array() }),
      () => agent.createDocument('{}', options, null, null, null, false),
      () => agent.updateDocument(documentId, '{}', { attachments: [] }, true),
      () => sx.updateDocument(documentId, {}, { attachments: [] }, false),
    ]) {
      expect((await refusal(call, 'InvalidOption')).found).toContain('The options must be the last argument')
    }
  })
})

describe('a wrong argument', () => {
  for (const [name, { call, values, codes }] of Object.entries(ROWS)) {
    it(`is refused: ${name}`, async () => {
      for (const value of values) await refusal(() => call(wrong(value)), codes)
    })
  }
})

describe('a value that throws when it is looked at', () => {
  // What they hold is spread by the test itself.
  const rows = Object.entries(ROWS).filter(([name]) => !name.startsWith('create({agentType, algorithm})'))

  for (const [name, { call }] of rows) {
    it(`is refused: ${name}`, async () => {
      for (const value of unreadable()) {
        const outcome = await (async () => call(wrong(value)))().catch((error: unknown) => error)
        expect(outcome).toBeInstanceOf(SxError)
        expect((outcome as SxError).code).not.toBe('Internal')
      }
    })
  }

  it('is no document, and no file', async () => {
    for (const value of unreadable()) {
      expect((await sx.verify(wrong(value))).valid).toBe(false)
      expect(sx.verifyStandalone(wrong(value)).valid).toBe(false)
    }
    for (const { prototype } of [Blob, Uint8Array, String])
      await refusal(() => agent.verifyAgent(Object.create(prototype)), 'InvalidOption')
  })

  it('is no storage, nor options and keys of one', async () => {
    const below = memoryStorage()
    const storage = await mirrored(below)
    const none = [null, 5, 'x', {}, () => below, { ...below, capabilities: null }, ...unreadable()]
    for (const value of [undefined, ...none]) {
      await refusal(() => mirrored(wrong(value)), 'InvalidOption')
      await refusal(() => prefixed(wrong(value), ['a']), 'InvalidOption')
      await refusal(() => storage.invalidate(wrong(value)), 'InvalidOption')
    }
    for (const value of [...none.filter((value) => typeof value !== 'object' || value === null), ...unreadable()]) {
      await refusal(() => mirrored(below, wrong(value)), 'InvalidOption')
      await refusal(() => mirrored(below, { prefix: wrong(value) }), 'InvalidId')
      await refusal(() => prefixed(below, wrong(value)), 'InvalidId')
      await refusal(() => storage.invalidate([wrong(value)]), 'InvalidId')
    }
    for (const value of [null, 5, 'x', {}])
      await refusal(() => mirrored(below, { isImmutable: wrong(value) }), 'InvalidOption')
    await refusal(() => storage.invalidate(throwing<Key[]>([['a']])), 'InvalidOption')
  })

  it('is not thrown on by what reads it late', async () => {
    const shared = memoryStorage()
    Object.assign(shared, { capabilities: { ...shared.capabilities, shared: true } })
    const storage = await mirrored(shared, { isImmutable: throwing(() => true) })
    storage.putSync(['a'], new Uint8Array(1))
    await storage.flush()
    await refusal(() => storage.get(['a']), 'InvalidOption')
    const hostile = {
      get a(): never {
        // oxlint-disable-next-line typescript/only-throw-error -- asking it whether it is an SxError throws too
        throw revoked({})
      },
    }
    await refusal(() => sx.signMessage(hostile), 'NotJson')
  })

  it('does not pass for another file than it is', async () => {
    class Lying extends Blob {
      override get size(): number {
        throw new Error('not for you')
      }
      override async arrayBuffer(): Promise<ArrayBuffer> {
        return wrong(5)
      }
    }
    expect(await agent.verifyAgent(new Lying([agent.exportAgent()]))).toBe(true)
    expect(await agent.verifyAgent(new Lying(['{}']))).toBe(false)
  })
})

describe('what is no document', () => {
  it('is no valid one, and no reason to throw', async () => {
    for (const value of [...NOT_TEXT, '', '\uD800', 'x']) {
      const text = wrong(value)
      for (const result of [
        await sx.verify(text),
        sx.verifySync(text),
        sx.verifyStandalone(text),
        sx.verifyStandalone(text, { keyDirectory: {} }),
      ]) {
        expect(result).toMatchObject({ valid: false, data: undefined, signerId: '', code: expect.any(String) })
        expect(result.errors).toHaveLength(1)
        expect(Object.isFrozen(result)).toBe(true)
      }
      expect(await agent.verifyDocument(text)).toBe(false)
      expect(agent.verifyDocumentSync(text)).toBe(false)
      expect(await agent.verifySignature(text)).toBe(false)
      await refusal(() => agent.verifyOrThrow(text), ['NotJson', 'InvalidDocument', 'MissingSignature'])
    }
  })

  it('is no signature of a string either', () => {
    const key = bytes()
    const good = agent.signStringSync('x')
    expect(agent.verifyStringSync('x', good, key, 'ring-Ed25519')).toBe(true)
    const bad = ['', 'x', '=', good.slice(1), good.slice(0, -4), `${good} `, `${good}\n`, good.replace(/=+$/, ''), '\0']
    for (const signature of bad) expect(agent.verifyStringSync('x', signature, key, 'ed25519')).toBe(false)
    for (const type of ['', 'rsa', 'pq2025', 'ED25519'])
      expect(agent.verifyStringSync('x', good, key, type)).toBe(false)
    for (const other of [new Uint8Array(), new Uint8Array(32), new Uint8Array(31), key.subarray(1)])
      expect(agent.verifyStringSync('x', good, other, 'ed25519')).toBe(false)
  })
})
