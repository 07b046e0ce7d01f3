import { core, entropy, made, must, outcome, signedAt } from './core.mjs'
import { key, otherKey, publicPem } from './keys.mjs'
import { resigned } from './sign.mjs'

const profile = (algorithm) => ({
  name: `Zoë's ${algorithm} agent`,
  domain: 'agents.example.com',
  description: 'Signs the test vectors.',
  agentType: 'ai',
})

function create(algorithm, { handle }) {
  const text = JSON.stringify(profile(algorithm))
  return made(core.agentCreate(handle, text, signedAt, entropy(`agent ${algorithm}`)))
}

function update(algorithm, { raw }) {
  const changed = JSON.stringify({ ...JSON.parse(raw), description: 'Signs the test vectors, and says so again.' })
  const name = `agent ${algorithm}, second version`
  return made(core.agentUpdate(key[algorithm].handle, raw, changed, signedAt + 60_000, entropy(name), ''))
}

function both(algorithm) {
  const first = create(algorithm, key[algorithm])
  return { algorithm, first, second: update(algorithm, first) }
}

/** The agents of the vectors, each with two versions of its document. */
export const agent = { ed25519: both('ed25519'), pq2025: both('pq2025') }

const weak = {
  ed25519: publicPem('ed25519', Buffer.from(`01${'00'.repeat(31)}`, 'hex')),
  pq2025: publicPem('pq2025', Buffer.alloc(2592)),
}

const entry = (document) => document.sxPublicKeys[0]

/** A change without a new signature. */
function unsigned(raw, change) {
  const document = JSON.parse(raw)
  change(document)
  return JSON.stringify(document)
}

/** What is offered: name, the version that is known (or none), the document, the code of the refusal (null: taken). */
function offers(algorithm) {
  const { first, second } = agent[algorithm]
  const own = key[algorithm]
  const stranger = otherKey[algorithm]
  const signed = (change, signer = own) => resigned(first.raw, signer, change)
  const signedAs = (keyId) => (document) => Object.assign(document.sxSignature, { keyId })
  const weakKey = (document) => Object.assign(entry(document), { publicKey: weak[algorithm] })
  const strangersKey = (document) => {
    Object.assign(entry(document), { keyId: stranger.keyId, publicKey: stranger.pem })
    document.sxSignature.keyId = stranger.keyId
  }
  const zeroHash = (document) => Object.assign(document, { sxSha256: '0'.repeat(64) })
  return [
    ['an agent seen for the first time', null, first.raw, null],
    ['the version that is known', 'raw', first.raw, null],
    ['a newer version', 'raw', second.raw, null],
    ['T47 an older version', 'second', first.raw, 'Rollback'],
    ['the known agent with another key', 'raw', create(algorithm, stranger).raw, 'KeyConflict'],
    ['the known agent with a further key', 'raw', signed(addKey(stranger)), 'KeyConflict'],
    ['T08 a weak key', null, unsigned(first.raw, weakKey), 'WeakPublicKey'],
    ['T07 signed by a key that it does not hold', null, signed(signedAs(stranger.keyId), stranger), 'KeyMismatch'],
    ["T07 signed by a stranger under the agent's key id", null, signed(undefined, stranger), 'BadSignature'],
    ['T07 the keys replaced, the signature kept', null, unsigned(first.raw, strangersKey), 'BadSignature'],
    ['a name changed after signing', null, unsigned(first.raw, set({ name: 'Mallory' })), 'BadSignature'],
    ['a hash that does not fit', null, resigned(first.raw, own, zeroHash, { keepHash: true }), 'HashMismatch'],
  ]
}

const set = (members) => (document) => Object.assign(document, members)
const setEntry = (members) => (document) => Object.assign(entry(document), members)

/** What no key makes an agent document, signed by the agent itself. */
function shapes() {
  const { raw } = agent.ed25519.first
  const message = core.documentCreate(key.ed25519.handle, stranger, stranger, true, '1', signedAt, entropy('1'), '')
  const changes = [
    ["another algorithm's name in the entry", setEntry({ algorithm: 'pq2025' }), 'InvalidAgent'],
    ["another key's id in the entry", setEntry({ keyId: otherKey.ed25519.keyId }), 'InvalidAgent'],
    ['a key entry with a further member', setEntry({ use: 'sig' }), 'InvalidAgent'],
    ['no keys', set({ sxPublicKeys: [] }), 'InvalidAgent'],
    ['the same key twice', (agent) => agent.sxPublicKeys.push(entry(agent)), 'InvalidAgent'],
    [
      'signed in the name of another',
      (agent) => Object.assign(agent.sxSignature, { agentID: stranger }),
      'InvalidAgent',
    ],
    ['its key revoked as compromised', revoke('compromised', signedAt + 1), 'KeyRevoked'],
    ['its key superseded when it signed', revoke('superseded', signedAt), 'KeyRevoked'],
    ['its key superseded after it signed', revoke('superseded', signedAt + 1), null],
    ['an unknown reason of revocation', revoke('tired', signedAt), 'InvalidAgent'],
    ['an unknown type of agent', set({ sxAgentType: 'robot' }), 'InvalidAgent'],
    ['an empty name', set({ name: ' ' }), 'InvalidAgent'],
    ['a domain that is none', set({ sxAgentDomain: 'a..b' }), 'InvalidAgent'],
    ['a header field of a later version', set({ sxLater: 1 }), 'UnsupportedFormat'],
  ]
  return [
    ...changes.map(([name, change, code]) => [name, null, resigned(raw, key.ed25519, change), code]),
    ['a document of another type', null, made(message).raw, 'InvalidAgent'],
    ['T12 a name twice', null, raw.replace('"name":', '"name":"Mallory","name":'), 'DuplicateKey'],
    ['T14 text after the document', null, `${raw}{}`, 'NotJson'],
    ['an empty object', null, '{}', 'MissingSignature'],
  ]
}

const stranger = '6fa459ea-ee8a-4ca4-894e-db77e160355e'

const addKey = (of) => (document) => {
  document.sxPublicKeys.push({ ...document.sxPublicKeys[0], keyId: of.keyId, publicKey: of.pem })
}

const revoke = (reason, at) => setEntry({ revoked: { at: new Date(at).toISOString(), reason } })

function described({ algorithm, first, second }) {
  const { keyId, pem: publicKey } = key[algorithm]
  const { id: agentId, version: agentVersion, raw } = first
  return { algorithm, agentId, agentVersion, keyId, publicKey, raw, second: second.raw }
}

function admission(algorithm, [name, known, offered, code]) {
  const held = known === null ? '' : described(agent[algorithm])[known]
  const found = outcome(() => core.trustAdmit(offered, held || undefined, '')).code ?? null
  must(found === code, `${name} (${algorithm}) is ${found}`)
  return { name: `${algorithm}: ${name}`, algorithm, known, offered, code }
}

export const agents = () => ({
  description: 'Agent documents, and which of them a trust store takes.',
  about: [
    '`agents`: the private keys are those of keys.json. `raw` is the first version of the agent document, `second` the next one.',
    '`admissions`: `offered` is taken where `code` is null, else refused with it. `known` says which document of the agent of this algorithm the trust store holds: `raw`, `second`, or none where it is null.',
  ],
  agents: Object.values(agent).map(described),
  admissions: [
    ...Object.keys(agent).flatMap((algorithm) => offers(algorithm).map((one) => admission(algorithm, one))),
    ...shapes().map((one) => admission('ed25519', one)),
  ],
})
