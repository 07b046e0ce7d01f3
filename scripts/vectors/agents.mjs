import { core, made, making, moment, must, outcome, signedAt } from './core.mjs'
import { key, otherKey, publicPem, signerOf } from './keys.mjs'
import { resigned } from './sign.mjs'

const stranger = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
const nextVersion = '6fa459ea-ee8a-4ca4-894e-db77e160355f'
const keyIdOfNobody = 'A'.repeat(43)
/** When the key of the third version ends. */
const supersededAt = Date.UTC(2026, 5, 1)

// Changes of an agent document.
const entry = (document) => document.sxPublicKeys[0]
const set = (members) => (document) => Object.assign(document, members)
const setEntry = (members) => (document) => Object.assign(entry(document), members)
const entryOf = (document, { keyId, pem }) => ({ ...entry(document), keyId, publicKey: pem })
const addKey = (of) => (document) => document.sxPublicKeys.push(entryOf(document, of))
const addKeyBefore = (of) => (document) => document.sxPublicKeys.unshift(entryOf(document, of))
const carry = (of) => (document) => Object.assign(document, { sxPublicKeys: [entryOf(document, of)] })
const named = (signingAlgorithm) => (document) => Object.assign(document.sxSignature, { signingAlgorithm })
export const revoke = (reason, at) => setEntry({ revoked: { at: new Date(at).toISOString(), reason } })

/** Makes of a document another version, dated so much later and with another predecessor. */
export const version =
  (later, { sxPreviousVersion, sxVersion = nextVersion }) =>
  (document) => {
    const date = new Date(Date.parse(document.sxVersionDate) + later).toISOString()
    Object.assign(document, { sxVersion, sxPreviousVersion, sxVersionDate: date })
    Object.assign(document.sxSignature, { agentVersion: sxVersion, date })
  }

const profile = (algorithm) => ({
  name: `Zoë's ${algorithm} agent`,
  domain: 'agents.example.com',
  description: 'Signs the test vectors.',
  agentType: 'ai',
})

function create(algorithm, { handle }) {
  const text = JSON.stringify(profile(algorithm))
  return made(core.agentCreate(handle, text, moment(signedAt, `agent ${algorithm}`)))
}

function update(algorithm, { raw }) {
  const changed = JSON.stringify({ ...JSON.parse(raw), description: 'Signs the test vectors, and says so again.' })
  const name = `agent ${algorithm}, second version`
  return made(core.agentUpdate(signerOf(key[algorithm], raw), changed, moment(signedAt + 60_000, name)))
}

function agentOf(algorithm) {
  const first = create(algorithm, key[algorithm])
  const second = update(algorithm, first)
  const revoked = resigned(second.raw, key[algorithm], (document) => {
    version(60_000, { sxPreviousVersion: second.version })(document)
    revoke('superseded', supersededAt)(document)
  })
  return { algorithm, first, second, revoked }
}

/** The agents of the vectors, each with three versions of its document; the third ends its key. */
export const agent = { ed25519: agentOf('ed25519'), pq2025: agentOf('pq2025') }
export const other = { ed25519: 'pq2025', pq2025: 'ed25519' }

export const weak = {
  ed25519: publicPem('ed25519', Buffer.from(`01${'00'.repeat(31)}`, 'hex')),
  pq2025: publicPem('pq2025', Buffer.alloc(2592)),
}

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
    ['the known agent with a further key', 'raw', signed(addKey(stranger)), 'InvalidAgent'],
    ["a stranger's key first, its own second", null, signed(addKeyBefore(stranger)), 'InvalidAgent'],
    ["T07 a stranger's key in place of its own, signed with its own", null, signed(carry(stranger)), 'KeyMismatch'],
    ['signed with its key under the name of another algorithm', null, signed(named(other[algorithm])), 'KeyMismatch'],
    ['T08 a weak key', null, unsigned(first.raw, weakKey), 'WeakPublicKey'],
    ['T07 signed by a key that it does not hold', null, signed(signedAs(stranger.keyId), stranger), 'KeyMismatch'],
    ["T07 signed by a stranger under the agent's key id", null, signed(undefined, stranger), 'BadSignature'],
    ['T07 the keys replaced, the signature kept', null, unsigned(first.raw, strangersKey), 'BadSignature'],
    ['a name changed after signing', null, unsigned(first.raw, set({ name: 'Mallory' })), 'BadSignature'],
    ['a hash that does not fit', null, resigned(first.raw, own, zeroHash, { keepHash: true }), 'HashMismatch'],
  ]
}

/** What follows on the version that is known, by its dates, links and revocations. */
function histories(algorithm) {
  const { first, second, revoked } = agent[algorithm]
  const own = key[algorithm]
  const of = (raw, ...changes) => resigned(raw, own, (document) => changes.forEach((change) => change(document)))
  const unlinked = { sxPreviousVersion: first.version }
  const linked = { sxPreviousVersion: second.version }
  const third = { sxPreviousVersion: JSON.parse(revoked).sxVersion, sxVersion: stranger }
  const ends = (at) => of(revoked, version(1, third), revoke('superseded', at))
  const registration = { ...JSON.parse(second.raw).sxSignature, keyId: keyIdOfNobody }
  return [
    ['a later version that names another predecessor', 'second', of(second.raw, version(1, unlinked)), null],
    ['another version of the same date', 'second', of(second.raw, version(0, unlinked)), 'Rollback'],
    ['a version of the same date that names the known one', 'second', of(second.raw, version(0, linked)), null],
    ['an earlier version that names the known one', 'second', of(second.raw, version(-1, linked)), 'Rollback'],
    [
      'the known version with another name',
      'second',
      of(second.raw, (document) => Object.assign(document, { name: 'Mallory' })),
      'VersionConflict',
    ],
    [
      'the known version with a registration',
      'second',
      unsigned(second.raw, (document) => Object.assign(document, { sxRegistration: registration })),
      'VersionConflict',
    ],
    [
      'a later version of another history',
      'second',
      of(second.raw, version(1, linked), (document) => Object.assign(document, { sxOriginalVersion: stranger })),
      'VersionConflict',
    ],
    ['the version that ends the key', 'second', revoked, null],
    ['the version that ends the key, once more', 'revoked', revoked, null],
    ['a later version without the end of the key', 'revoked', of(second.raw, version(120_000, third)), 'KeyRevoked'],
    ['an older version, from before the end of the key', 'revoked', second.raw, 'KeyRevoked'],
    ['a later version with the same end of the key', 'revoked', ends(supersededAt), null],
    ['a later version with a later end of the key', 'revoked', ends(supersededAt + 1), 'KeyRevoked'],
    ['a later version with an earlier end of the key', 'revoked', ends(supersededAt - 1), null],
  ]
}

/** What no key makes an agent document, signed by the agent itself. */
function shapes() {
  const { raw } = agent.ed25519.first
  const strangers = resigned(raw, key.ed25519, (document) => {
    Object.assign(document, { sxId: stranger, sxOriginalVersion: stranger, sxVersion: stranger })
    Object.assign(document.sxSignature, { agentID: stranger, agentVersion: stranger })
  })
  const message = core.documentCreate(
    signerOf(key.ed25519, strangers),
    '1',
    making(true),
    undefined,
    moment(signedAt, '1'),
  )
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

function described({ algorithm, first, second, revoked }) {
  const { keyId, pem: publicKey } = key[algorithm]
  const { id: agentId, version: agentVersion, raw } = first
  return { algorithm, agentId, agentVersion, keyId, publicKey, raw, second: second.raw, revoked }
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
    '`agents`: the private keys are those of keys.json. `raw` is the first version of the agent document, `second` the next one, `revoked` the one after that, which says when its key ends.',
    '`admissions`: `offered` is taken where `code` is null, else refused with it. `known` says which document of the agent of this algorithm the trust store holds: `raw`, `second`, `revoked`, or none where it is null.',
  ],
  agents: Object.values(agent).map(described),
  admissions: [
    ...Object.keys(agent).flatMap((algorithm) => offers(algorithm).map((one) => admission(algorithm, one))),
    ...histories('ed25519').map((one) => admission('ed25519', one)),
    ...shapes().map((one) => admission('ed25519', one)),
  ],
})
