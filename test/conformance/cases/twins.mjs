// Every operation in both its forms, from the same state: the same outcome and the same storage afterwards.

import { functionsOf, methodsOf, tables } from '../../../scripts/surfaces/tables.mjs'
import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import keys from '../../vectors/keys.json' with { type: 'json' }
import { equal, ok, outcome } from '../assert.mjs'
import { entries, password, replaced } from '../world.mjs'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const foreign = documents.documents[0].raw
const [{ publicKey, signatures }] = keys.keys
const [{ message, signature }] = signatures
const key = encoder.encode(publicKey)

const keyOf = ({ agentId, publicKey }) => [agentId, publicKey]
const namedKeys = Object.fromEntries(agents.agents.map(keyOf))

const file = { name: 'a.txt', data: encoder.encode('a file') }

const anySchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://example.com/schemas/any/v1/any.schema.json',
  allOf: [{ $ref: 'urn:sx-agent:schemas/header/v1/header.schema.json' }],
}

/** Arguments that nothing of an agreement takes. */
const noAgreement = [['x'], ['{}'], [agents.agents[0].agentId], [17], []]

/** Lists of arguments for each operation of the class, given the state it is called in. */
const ofClass = {
  load: () => [[], ['./sx.config.json'], ['./nowhere.json'], ['../out'], [''], [17]],
  createDocument: () => [
    ['{"a":1}'],
    ['{"a":1}', null, null, true],
    ['{"a":1}', null, 'copy.json'],
    ['{"a":1}', null, '../copy.json'],
    ['{"a":1,"a":2}'],
    ['{"sxId":"x"}'],
    ['1'],
    ['{}', './schema.json'],
    ['{}', null, null, false, './file'],
    [{ a: 1 }],
    [{ a: 1 }, { type: 'invoice', outputFilename: 'copy.json' }],
    [{ a: 1 }, { noSave: true }],
    ['{"a":1}', { type: 'a b' }],
    [[1], {}],
    [{ a: 1 }, { nosave: true }],
  ],
  verifyDocument: ({ raw }) => [[raw], [foreign], [raw.replace('1', '2')], ['{}'], [undefined]],
  verifySignature: ({ raw }) => [[raw], [raw, 'sxSignature'], [raw, 'sxRegistration'], [raw, 'other'], ['']],
  createAgreement: ({ raw, artifact, agentId }) => [
    [raw, [agentId], 'Do you agree?'],
    [raw, [agentId], 'Do you agree?', 'context', 'approval'],
    [raw, [agentId, agents.agents[0].agentId], { quorum: 1, minStrength: 'classical' }],
    [artifact, [agentId]],
    [raw, []],
    [raw, ['x']],
    [raw, [agentId], { quorum: 2 }],
    [raw, [agentId], { quorom: 1 }],
    [raw, [agentId], null, null, 'sxId'],
    [foreign, [agentId]],
    ['{', [agentId]],
    [raw],
  ],
  signAgreement: ({ asked, raw, agreed }) => [
    [asked],
    [asked, { refuseSigned: true }],
    [asked, 'approval'],
    [agreed],
    [agreed, { refuseSigned: true }],
    [agreed, { refuse: true }],
    [raw],
    ['{'],
  ],
  checkAgreement: ({ asked, agreed, raw }) => [
    [asked],
    [agreed, 'sxAgreement'],
    [[asked, agreed]],
    [agreed.replace('Do you', 'Did you')],
    [agreed, 'approval'],
    [raw],
    ['{'],
    [17],
  ],
  verifyOrThrow: ({ raw }) => [[raw], [foreign], [raw.replace('"a":1', '"a":2')], ['{}'], ['[']],
  updateDocument: ({ raw, id, exact, older, agentId }) => [
    [id, '{"a":2}'],
    [exact, '{"a":2}'],
    [exact, raw.replace('"a":1', '"a":2')],
    [older, '{"a":2}'],
    [agentId, '{"a":2}'],
    [agents.agents[0].agentId, '{"a":2}'],
    ['x', '{}'],
    [id, '{'],
    [id, '{"a":3}', [file], true],
    [id, '{}', ['./file']],
    [id, '{}', [], false],
    [id, '{"a":4}', { attachments: file, embed: true }],
    [id, '{"a":4}', { attachment: file }],
  ],
  signFile: () => [
    [file],
    [file, true],
    [file, { embed: true, noSave: true }],
    [{ name: 'x' }],
    ['./nowhere'],
    [''],
    [file, 1],
  ],
  describeFile: () => [
    [file],
    [{ ...file, mimeType: 'Text/HTML; charset=utf-8' }],
    [{ name: 'x' }],
    ['./nowhere'],
    [file, 1],
  ],
  verifyFile: ({ raw }) => [
    [raw, file],
    [foreign, file],
    ['{', file],
    [raw, './nowhere'],
    [raw, file, { name: 'x' }],
  ],
  buildRequestAuthHeader: () => [
    ['post', 'https://api.example.com/orders?b=2&a=1', '{"qty":1}', 'https://api.example.com'],
    ['GET', 'https://api.example.com/orders', undefined, 'api'],
    ['GET', 'https://api.example.com/orders', encoder.encode('x'), 'api'],
    ['GET', '/orders', '', 'api'],
    ['GET', 'https://api.example.com/a b', '', 'api'],
    ['GE T', 'https://api.example.com/', '', 'api'],
    ['GET', 'https://api.example.com/', '\ud800', 'api'],
    ['GET', 'https://api.example.com/', {}, 'api'],
    ['GET', 'https://api.example.com/', '', ''],
    [],
  ],
  signString: () => [['text'], ['SXv2 '], [17], ['\ud800']],
  verifyString: () => [
    [message, signature, key, 'ring-Ed25519'],
    [message, signature, key, 'pq2025'],
    [`${message}.`, signature, key, 'ed25519'],
    [message, signature, publicKey, 'ed25519'],
    [message, 1, key, 'ed25519'],
  ],
  verifyAgent: () => [[], [null], [''], ['./nowhere.json'], [17]],
  updateAgent: ({ agentText }) => [
    [agentText.replace('"name":"Twin"', '"name":"Twin the second"')],
    [agentText.replace('"name":"Twin"', '"name":""')],
    ['{}'],
    ['{'],
    [agents.agents[0].raw],
  ],
  getDocument: ({ id, exact, older }) => [[id], [exact], [older], [agents.agents[0].agentId], ['x'], [17]],
  importDocument: ({ artifact, asked, agreed, raw }) => [
    [artifact],
    [[artifact, asked, agreed]],
    [agreed],
    [[asked, artifact]],
    [raw],
    [foreign],
    [agents.agents[0].raw],
    [[]],
    ['{'],
    [17],
  ],
  listVersions: ({ id, exact, agentId }) => [[id], [agentId], [exact], [agents.agents[0].agentId], ['x'], [17]],
  signArtifact: ({ raw }) => [
    ['{"a":1}', 'result'],
    ['1', 'result', null],
    ['1', 'result', '[]'],
    ['1', 'result', '{}'],
    ['1', 'result', `[${raw}]`],
    ['1', 'result', `[${foreign}]`],
    ['{', 'result'],
    ['1', 'agent'],
    ['1', 'a b'],
    ['1'],
  ],
  verifyArtifact: ({ raw, artifact }) => [
    [artifact],
    [artifact.replace('"content":2', '"content":3')],
    [artifact.replace('"content":1', '"content":3')],
    [raw],
    ['{}'],
    [17],
  ],
  listDocuments: ({ id }) => [
    [],
    [{ type: 'agent' }],
    [{ type: 'document', limit: 1 }],
    [{ after: id }],
    [{ after: 'x' }],
    [{ limit: -1 }],
  ],
  exportStore: () => [[], [{ password: 'another password' }], [{ password: '' }], [{ passwort: 'x' }], ['x']],
  importStore: ({ store, backup }) => [
    [backup, { configPath: 'restored/sx.config.json' }],
    [backup, { storage: store, configPath: 'restored/sx.config.json', keyDirectory: 'k', dataDirectory: 'd' }],
    [backup, { storage: store }],
    [backup.slice(0, -9), { storage: store, configPath: 'restored/sx.config.json' }],
    [backup, { storage: store, configPath: 'restored/sx.config.json', overwrite: true }],
    [17, { storage: store }],
  ],
  createAgreementDoc: ({ terms }) => [
    [terms],
    [JSON.stringify(terms), { noSave: true }],
    [{ ...terms, parties: [] }],
    [{ ...terms, sxId: agents.agents[0].agentId }],
    [{ ...terms, policy: { signBy: '2020-01-01T00:00:00.000Z' } }],
    [terms, { nosave: true }],
    [17],
  ],
  proposeAgreement: ({ agreement: { draft, proposed } }) => [
    [draft],
    [draft, { note: 'n', noSave: true }],
    [draft, { note: 1 }],
    [proposed],
    ...noAgreement,
  ],
  signAgreementDoc: ({ agreement: { draft, proposed, signed } }) => [
    [proposed],
    [proposed, { note: 'n', noSave: true }],
    [proposed, { for: 'nobody' }],
    [draft],
    [signed],
    ...noAgreement,
  ],
  declineAgreement: ({ agreement: { draft, proposed, signed } }) => [
    [proposed, { reason: 'no', noSave: true }],
    [draft],
    [signed],
    ...noAgreement,
  ],
  withdrawSignature: ({ agreement: { draft, half } }) => [
    [half, { reason: 'no', noSave: true }],
    [draft],
    ...noAgreement,
  ],
  voidAgreement: ({ agreement: { draft, proposed } }) => [[proposed, { reason: 'no' }], [draft], ...noAgreement],
  commentOnAgreement: ({ agreement: { proposed } }) => [[proposed, 'a comment'], [proposed], ...noAgreement],
  attachToAgreement: ({ agreement: { proposed } }) => [
    [proposed, { name: 'a', mediaType: 'text/plain', size: 1, sha256: '0'.repeat(64) }],
    [proposed, { name: 'a' }],
    [proposed],
    ...noAgreement,
  ],
  delegateSigning: ({ agreement: { proposed }, foreign: to }) => [
    [proposed, to, { document: { sxId: to, sxVersion: to, sha256: '0'.repeat(64) } }],
    [proposed, to, { until: 'x' }],
    [proposed, to],
    [proposed, 'x'],
    ...noAgreement,
  ],
  witnessAgreement: ({ agreement: { proposed }, witnessable }) => [[witnessable], [proposed], ...noAgreement],
  notarizeAgreement: ({ agreement: { proposed, notary } }) => [[notary], [proposed], ...noAgreement],
  disputeAgreement: ({ agreement: { proposed, signed } }) => [
    [signed, 'why'],
    [proposed, 'why'],
    [signed],
    ...noAgreement,
  ],
  resolveDispute: ({ agreement: { disputed, signed } }) => [
    [disputed.raw, disputed.eventId],
    [signed, disputed.eventId],
    [signed],
    ...noAgreement,
  ],
  terminateAgreement: ({ agreement: { proposed, signed } }) => [[signed], [proposed], ...noAgreement],
  amendAgreement: ({ agreement: { signed }, terms }) => [
    [signed, { ...terms, title: 'Another one' }],
    [signed, JSON.stringify(terms), { noSave: true }],
    [signed],
    ['x', terms],
  ],
  supersedeAgreement: ({ agreement: { signed, successor } }) => [
    [signed, successor],
    [signed, signed],
    [signed, 'x'],
    [signed],
    ['x', signed],
  ],
  verifyAgreement: ({ agreement: { signed, proposed } }) => [
    [signed],
    [signed, { now: '2020-01-01T00:00:00.000Z' }],
    [signed, { now: 'x' }],
    [signed, { now: 0, keys: namedKeys }],
    [signed, { key: 'x' }],
    [proposed.replace('900 a month', '800 a month')],
    ...noAgreement,
  ],
  agreementCertificate: ({ agreement: { signed, proposed } }) => [
    [signed],
    [signed, { format: 'html' }],
    [signed, { format: 'pdf' }],
    [signed, { keys: namedKeys }],
    [signed, { keys: 'x' }],
    [proposed],
    ...noAgreement,
  ],
  mergeAgreements: ({ agreement: { draft, signed, notary } }) => [
    [[signed, draft]],
    [[signed, notary]],
    [[]],
    [signed],
    [['x']],
    [],
  ],
  importAgreement: ({ agreement: { signed } }) => [
    [signed],
    [signed.replace('900 a month', '800 a month')],
    ...noAgreement,
  ],
  getAgreement: ({ agreement: { signed } }) => [[signed], ...noAgreement],
  verifyBackup: ({ backup }) => [[backup], [backup.slice(0, -9)], ['./nowhere.json'], ['{}'], [17]],
}

Object.assign(ofClass, {
  wrapA2aArtifact: ofClass.signArtifact,
  signMessage: () => [
    [{ a: 1 }],
    [null],
    ['text'],
    [undefined],
    [2 ** 53],
    [new Date(0)],
    [1, { noSave: true }],
    [1, 2],
  ],
  createDocuments: () => [
    [[]],
    [[{ a: 1 }, '{"a":2}']],
    [[{ a: 1 }, { a: 2 }], { type: 'invoice' }],
    [[{ a: 1 }], { noSave: true }],
    [[{ a: 1 }, { sxId: 'x' }]],
    [['{"a":1}', '{"a":1,"a":2}', '{}']],
    [[1]],
    [{ a: 1 }],
    [[{}], { outputFilename: 'copy.json' }],
  ],
  signMessages: () => [[[]], [[{ a: 1 }, null, 'text']], [[1], { noSave: true }], [[1, undefined]], [1], [[1], 2]],
  verify: ofClass.verifyDocument,
  inspect: ofClass.verifyDocument,
  verifyById: ofClass.getDocument,
  verifySelf: () => [[]],
  refresh: () => [[]],
  reencryptKey: () => [[password, 'another password'], ['wrong', 'another password'], [password, ''], [password]],
  rotateKey: () => [
    [],
    [{ algorithm: 'pq2025', reason: 'compromised', password }],
    [{ password: 'wrong' }],
    [{ password: '' }],
    [{ algorithm: 'rsa' }],
    [{ reason: 'lost' }],
    [{ keyId: 'x' }],
    ['x'],
  ],
  revokeKey: ({ agentText }) => [
    [agents.agents[0].keyId],
    [JSON.parse(agentText).sxPublicKeys[0].keyId, { reason: 'compromised' }],
    [agents.agents[0].keyId, { reason: 'lost' }],
    [17],
    [{ statement: '{}' }],
    [{ statement: 17 }],
    [{}],
  ],
  createRevocation: () => [
    [],
    [{ reason: 'superseded' }],
    [{ reason: 'lost' }],
    [{ keyId: 'x' }],
    [{ key: 'x' }],
    ['x'],
  ],
  exportKey: () => [[{ password: 'another password' }], [{ password: '' }], [{}], [], [{ passwort: 'x' }]],
  signAgent: () => [
    [agents.agents[0].raw, encoder.encode(agents.agents[0].publicKey), agents.agents[0].algorithm],
    [agents.agents[0].raw, agents.agents[0].publicKey, agents.agents[0].algorithm],
    [agents.agents[0].raw, agents.agents[1].publicKey, agents.agents[1].algorithm],
    [agents.agents[0].raw, agents.agents[0].publicKey, 'rsa'],
    [agents.agents[0].raw, 17, 'ed25519'],
    ['{}', key, 'ed25519'],
    [foreign, key, 'ed25519'],
  ],
})

export { ofClass as argumentsOf }

/** The same for the simplified module. */
const { wrapA2aArtifact: _, ...ofBoth } = ofClass
const ofSimple = {
  ...ofBoth,
  audit: ({ store }) => [
    [{ storage: store, password }],
    [{ storage: store, recentN: 1 }],
    [{ storage: store, password: 'wrong' }],
    [{ storage: store, configPath: './nowhere.json' }],
    [{ storage: store, recentN: -1 }],
    [{ storage: store, passwrd: password }],
    ['x'],
  ],
  checkSchema: ({ raw }) => [
    [raw, { schema: anySchema }],
    [raw, { schema: './schema.json' }],
    [raw, { schema: '[' }],
    [raw, {}],
    [raw],
    [17, { schema: {} }],
  ],
  findAgent: ({ store }) => [
    [{ storage: store, password }],
    [{ storage: store, env: {} }],
    [{ storage: store, configPath: './nowhere.json', env: { SX_PRIVATE_KEY_PASSWORD: password } }],
    [{ storage: store, env: { SX_PRIVATE_KEY_PASSWORD: '' } }],
    [{ storage: store, configPath: 17 }],
    [{ storage: store, passwrd: password }],
    ['x'],
  ],
  importStore: (state) => ofClass.importStore(state).slice(1),
  repairStore: ({ store }) => [
    [{ storage: store }],
    [{ storage: store, configPath: './nowhere.json' }],
    [{ storage: store, configPath: 17 }],
    [{ storage: store, repair: true }],
    ['x'],
  ],
  quickstart: ({ store }) => [
    [{ name: 'Twin', domain: 'example.com', password, storage: store }],
    [
      {
        name: 'New',
        domain: 'example.com',
        algorithm: 'ed25519',
        password,
        storage: store,
        configPath: 'new/sx.config.json',
      },
    ],
    [{ name: 'New', domain: 'example.com', storage: store, password: '', configPath: 'new/sx.config.json' }],
    [{ name: 'New', storage: store }],
    [undefined],
  ],
  create: ({ store }) => [
    [
      {
        name: 'New',
        algorithm: 'ed25519',
        password,
        storage: store,
        configPath: 'new/sx.config.json',
        agentType: 'human',
      },
    ],
    [{ name: 'New', password, storage: store }],
    [{ name: '', password, storage: store, configPath: 'new/sx.config.json' }],
    [{ name: 'New', algorithm: 'rsa', password, storage: store, configPath: 'new/sx.config.json' }],
    [{ password, storage: store }],
  ],
  load: ({ store }) => [
    ['./sx.config.json', { storage: store, password }],
    [{ storage: store, password }],
    [{ storage: store, password: 'wrong' }],
    ['./nowhere.json', { storage: store, password }],
  ],
  updateAgent: ({ agentText }) => [
    ...ofClass.updateAgent({ agentText }),
    [{ ...JSON.parse(agentText), description: 'as an object' }],
    [{ ...JSON.parse(agentText), description: 1n }],
  ],
  updateDocument: ({ id, raw }) => [
    [id, { a: 2 }],
    [id, '{"a":2}'],
    [id, { ...JSON.parse(raw), a: 2 }],
    [id, undefined],
    [id, {}, null, true],
    ['x', {}],
  ],
}

export { ofSimple as argumentsOfSimple }

/** The functions that make agreements, of this agent alone, when they are asked for. */
export function agreementsBy(call, agentId) {
  const terms = {
    title: 'Rent',
    terms: '900 a month',
    termsFormat: 'text/plain',
    parties: [{ partyId: 'own', agentId, role: 'signer' }],
    policy: { delegation: 'document' },
  }
  const noSave = { noSave: true }
  const make = (more) => call('createAgreementDoc', { ...terms, ...more }, noSave).raw
  const propose = (raw) => call('proposeAgreement', raw, noSave).raw
  const sign = (raw) => call('signAgreementDoc', raw, noSave).raw
  const party = (partyId, role, agentId) => ({ partyId, agentId, role })
  const [, { agentId: other }] = agents.agents
  return {
    terms,
    make() {
      const draft = make()
      const proposed = propose(draft)
      const signed = sign(proposed)
      const disputed = call('disputeAgreement', signed, 'why', noSave)
      const next = call('amendAgreement', signed, { ...terms, terms: '950 a month' }, noSave).raw
      const both = [party('own', 'signer', agentId), party('other', 'signer', other)]
      const notary = propose(make({ parties: [party('own', 'notary', agentId), party('other', 'signer', other)] }))
      const half = sign(propose(make({ parties: both })))
      return { draft, proposed, signed, disputed, successor: sign(propose(next)), notary, half }
    },
  }
}

/** What time makes different between two calls: dates, and what is made of them. */
function withoutTime(text) {
  // Events stand in the order of their ids, which are hashes over their dates.
  if (text.startsWith('{"$schema":"urn:sx-agent:schemas/agreement/')) {
    const { events, ...rest } = JSON.parse(text)
    return JSON.stringify({ ...rest, events: events.map((event) => withoutTime(JSON.stringify(event))).sort() })
  }
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/g, 'DATE')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/("signature\\?":\\?")[^"\\]+/g, '$1SIGNATURE')
    .replace(/SX v2\.([\w-]+)\.[\w-]+/g, (_, claims) => claimsOf(claims).replace(/"iat":\d+/, 'DATE'))
}

const claimsOf = (base64url) => atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))

function comparable(value) {
  if (typeof value === 'string') return withoutTime(value)
  if (value instanceof Uint8Array) return withoutTime(decoder.decode(value))
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const ofTime = ['sxSha256', 'signature', 'agreementHash'] // as withoutTime has them of a text
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, ofTime.includes(name) ? name : comparable(member)]),
  )
}

/** The same bytes in every run, other ones in every call. */
function counting() {
  let calls = 0
  return (bytes) => {
    calls++
    return bytes.map((_, at) => (calls * 31 + at * 7) & 255)
  }
}

export function twins({ main, simple, SxError, stored, copy }) {
  const originals = new Map()
  /** The storage that everything starts from: an agent that trusts another one. Only an earlier key can be revoked. */
  async function start(name = '') {
    const isRotated = name.startsWith('revokeKey')
    const original =
      originals.get(isRotated) ??
      stored('ed25519', 'Twin').then(async ({ store, agentId }) => {
        const agent = new main.SxAgent({ storage: store, password })
        await agent.load()
        agent.trustAgent(agents.agents[0].raw)
        if (isRotated) await agent.rotateKey()
        return { store, agentId, witnessable: await signedByAnother(agent, agentId) }
      })
    originals.set(isRotated, original)
    const { store, agentId, witnessable } = await original
    // Its first use draws random bytes, which would shift those of one form.
    await outcome(SxError, () => simple.checkSchema(foreign, { schema: anySchema }))
    return { store: copy(store), agentId, witnessable }
  }

  /** An agreement that another agent has signed, with this one as its witness. */
  async function signedByAnother(agent, agentId) {
    const { store, agentId: signer } = await stored('ed25519', 'Other')
    const other = new main.SxAgent({ storage: store, password })
    await other.load()
    agent.trustAgent(other.exportAgent())
    const parties = [
      { partyId: 'other', agentId: signer, role: 'signer' },
      { partyId: 'own', agentId, role: 'witness' },
    ]
    const { raw } = await other.createAgreementDoc({ title: 'Rent', terms: '1', termsFormat: 'text/plain', parties })
    const { raw: proposed } = await other.proposeAgreement(raw)
    return (await other.signAgreementDoc(proposed)).raw
  }

  const opening = {
    class: (store) => {
      const agent = new main.SxAgent({ storage: store, password })
      agent.loadSync()
      return agent
    },
    simple: (store) => {
      simple.loadSync({ storage: store, password })
      return simple
    },
  }
  const making = {
    class: (agent) => JSON.parse(agent.createDocumentSync('{"content":{"a":0}}')),
    simple: ({ signMessageSync }) => JSON.parse(signMessageSync({ a: 0 }).raw),
  }

  /** What a call is given: the storage, and a document of two versions that is made for it. */
  function state(kind, api, { store, agentId, witnessable }) {
    const { sxId: id, sxVersion } = making[kind](api)
    const updated = api.updateDocumentSync(id, '{"a":1}')
    const raw = updated.raw ?? updated
    const exact = `${id}:${JSON.parse(raw).sxVersion}`
    const backup = api.exportStoreSync()
    const artifact = api.signArtifactSync('2', 'result', `[${api.signArtifactSync('1', 'draft')}]`)
    const older = `${id}:${sxVersion}`
    const asked = api.createAgreementSync(artifact, [api.getAgentInfo().agentId], 'Do you agree?') // it may be a new one
    const agreed = api.signAgreementSync(asked)
    const made = agreementsBy((name, ...given) => api[`${name}Sync`](...given), api.getAgentInfo().agentId)
    const documents = { agentText: api.exportAgent(), id, raw, exact, older, backup, artifact, asked, agreed }
    const agreements = { terms: made.terms, foreign: agents.agents[0].agentId, witnessable }
    return Object.defineProperty({ store, agentId, ...documents, ...agreements }, 'agreement', {
      get: () => made.make(),
    })
  }

  /** Makes all calls of one form, one after the other; gives what each ends in and leaves behind. */
  async function run(kind, name, given) {
    const started = await start(name)
    const isAsync = !name.endsWith('Sync')
    return replaced(globalThis.crypto, 'getRandomValues', counting(), async () => {
      const api = opening[kind](started.store)
      const ends = []
      for (let at = 0, count = 1; at < count; at++) {
        const calls = given(state(kind, api, started))
        count = calls.length
        const found = await outcome(SxError, () => {
          const result = api[name](...calls[at])
          equal(result instanceof Promise, isAsync, `${name} returns a Promise`)
          return result
        })
        const storage = [...entries(started.store)].map(([key, bytes]) => [
          withoutTime(key),
          withoutTime(decoder.decode(bytes)),
        ])
        storage.sort((one, other) => (one.join() < other.join() ? -1 : 1)) // events have ids of their dates
        ends.push(comparable({ found, info: api.getAgentInfo(), storage }))
      }
      return ends
    })
  }

  const table = (kind, rows) =>
    Object.entries(rows).map(([name, given]) => [
      `twins: ${kind === 'class' ? 'SxAgent.' : 'simple '}${name} and ${name}Sync`,
      async () => {
        const waiting = await run(kind, name, given)
        const direct = await run(kind, `${name}Sync`, given)
        equal(direct.length, waiting.length)
        for (const [at, end] of waiting.entries()) equal(direct[at], end, `call ${at}`)
        ok(
          waiting.some(({ found }) => found.code === undefined),
          'one of the calls succeeds',
        )
      },
    ])

  const same = (found, expected, what) => {
    equal(
      expected.filter((name) => !found.includes(name)),
      [],
      `${what} that are missing`,
    )
    equal(
      found.filter((name) => !expected.includes(name)),
      [],
      `${what} that nobody expects`,
    )
  }
  const complete = (kind, names, rows, surface) => [
    `twins: ${kind} has what the tables promise, and every operation with a twin has a row`,
    async () => {
      const promised = [...functionsOf(surface), ...surface.classes]
      same(names, promised, 'members')
      same(Object.keys(rows), surface.twins, 'rows')
    },
  ]

  return [
    complete('SxAgent', methodsOf(main.SxAgent.prototype), ofClass, tables.agent),
    complete('the simplified module', Object.keys(simple), ofSimple, tables.simple),
    ...table('class', ofClass),
    ...table('simple', ofSimple),
    [
      'twins: without an agent all of SxAgent that needs one says so, in both forms',
      async () => {
        const started = await start()
        const starts = state('class', opening.class(started.store), started)
        for (const [name, given] of Object.entries(ofClass)) {
          if (['describeFile', 'load', 'importStore', 'inspect', 'mergeAgreements', 'verifyBackup'].includes(name))
            continue
          for (const form of [name, `${name}Sync`]) {
            const agent = new main.SxAgent()
            const { code } = await outcome(SxError, () => agent[form](...given(starts)[0]))
            equal(code, 'NoAgentLoaded', form)
          }
        }
        const agent = new main.SxAgent()
        equal([agent.isLoaded(), agent.getAgentInfo()], [false, null])
        const { direct, awaited } = tables.agent
        for (const name of [...direct, ...awaited].filter(
          (name) =>
            !['isLoaded', 'getAgentInfo', 'close', 'init', 'imageCapacity', 'stripImageSignature'].includes(name),
        )) {
          const { code } = await outcome(SxError, () => agent[name](starts.agentId))
          equal(code, 'NoAgentLoaded', name)
        }
      },
    ],
  ]
}
