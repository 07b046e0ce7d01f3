import { agent } from './agents.mjs'
import { canonicalize, core, hex, made, making, moment, must, pae, sha256, signedAt, verify } from './core.mjs'
import { trusted } from './documents.mjs'
import { key, signerOf } from './keys.mjs'

const FIELD = 'sxAgreement'
const DEADLINE = '2026-01-03T00:00:00.000Z'
const ALGORITHMS = Object.keys(agent)
const parties = ALGORITHMS.map((algorithm) => agent[algorithm].first.id)
const signer = (algorithm) => signerOf(key[algorithm], agent[algorithm].first.raw)

const VERSIONED = ['sxVersion', 'sxVersionDate', 'sxPreviousVersion', 'sxSignature', 'sxRegistration', 'sxSha256']

/** The canonical text of an object with more members, and without some. */
function without(object, names, more = {}) {
  const members = Object.entries(object).filter(([name]) => !names.includes(name))
  return canonicalize({ ...Object.fromEntries(members), ...more })
}

/** What of a document an agreement is about. */
const covered = (raw, field) => without(JSON.parse(raw), [...VERSIONED, field])

/** What a party is shown. */
function shownIn(raw, field) {
  const document = JSON.parse(raw)
  return without(document[field], ['v', 'agreementHash', 'signatures'], { sxId: document.sxId, field })
}

/** What the statements of the signatures are of. */
function signedIn(raw, field) {
  const { agreementHash, signatures } = JSON.parse(raw)[field]
  return signatures.map((entry) => without(entry, ['signature'], { agreementHash }))
}

function start(name, input, field, terms) {
  const [first] = ALGORITHMS
  const document = made(core.documentCreate(signer(first), input, making(true), undefined, moment(signedAt, name)))
  const at = moment(signedAt + 1000, `${name} agreement`)
  return made(core.agreementCreate(signer(first), document.raw, JSON.stringify({ field, ...terms }), '{}', at)).raw
}

const signs = (raw, algorithm, field, at, name) =>
  made(core.agreementSign(signer(algorithm), raw, field, '{}', moment(at, `${name} ${algorithm}`))).raw

function agreement(name, field, terms) {
  const asked = start(name, '{"rent":900}', field, { agentIDs: parties, ...terms })
  const hashed = covered(asked, field)
  const shown = shownIn(asked, field)
  const { documentHash, agreementHash } = JSON.parse(asked)[field]
  must(documentHash === hex(sha256(hashed)), `documentHash of ${name}`)
  must(agreementHash === hex(sha256(pae('sx-agreement-v1', shown))), `agreementHash of ${name}`)
  const copies = ALGORITHMS.map((algorithm) => signs(asked, algorithm, field, signedAt + 2000, name))
  const both = signs(copies[0], ALGORITHMS[1], field, signedAt + 3000, `${name} second`)
  for (const raw of [asked, ...copies, both]) must(verify(raw, trusted).valid, `a version of ${name}`)
  return { name, field, asked, hashed, documentHash, shown, agreementHash, signed: signedIn(both, field), copies, both }
}

const plain = agreement('plain', FIELD, { question: 'Do you agree?', context: 'For a year: Zoë, 世界 🌍.' })
const terms = { quorum: 1, signBy: DEADLINE, algorithms: ['ed25519', 'pq2025'], minStrength: 'classical' }
const policy = agreement('policy', 'approval', terms)
const strong = agreement('strong', FIELD, { quorum: 1, minStrength: 'classical' })

function changed(raw, field, change) {
  const document = JSON.parse(raw)
  change(document[field], document)
  return canonicalize(document)
}

/** The status of an agreement, with the codes of what it says in sentences. */
function statusOf(texts, field, now, keys = trusted) {
  const ring = core.ringNew('')
  try {
    for (const { agentId, source, bytes } of keys) core.ringSet(ring, agentId, source, Buffer.from(bytes))
    const [first, ...others] = texts
    const check = core.agreementStart(ring, first, field)
    for (const other of others) core.agreementAdd(check, ring, other)
    const { errors, invalid, ...status } = JSON.parse(core.agreementFinish(check, ring, now))
    return {
      ...status,
      invalid: invalid.map(({ agentId, code }) => ({ agentId, code })),
      errors: errors.map((sentence) => sentence.split(':')[0]),
    }
  } finally {
    core.free(ring)
  }
}

const outsider = '6fa459ea-ee8a-4ca4-894e-db77e160355e'

/** Texts to check, and when. */
const CHECKS = {
  'nobody has signed': [[plain.asked]],
  'one has signed': [[plain.copies[0]]],
  'the other one has signed': [[plain.copies[1]]],
  'both have signed, one after the other': [[plain.both]],
  'both have signed copies': [plain.copies],
  'both have signed copies, in the other order': [plain.copies.toReversed()],
  'the same copy twice': [[plain.copies[0], plain.copies[0]]],
  'a quorum': [[policy.copies[1]], 'approval'],
  'a quorum, after the deadline': [[policy.copies[1]], 'approval', DEADLINE.replace('.000', '.001')],
  'at the deadline': [[policy.asked], 'approval', DEADLINE],
  'after the deadline': [[policy.asked], 'approval', DEADLINE.replace('.000', '.001')],
  'the document was changed': [[changed(plain.both, FIELD, (_, document) => Object.assign(document, { content: 1 }))]],
  'the question was changed': [[changed(plain.both, FIELD, (field) => Object.assign(field, { question: 'Do you?' }))]],
  'a party was added': [[changed(plain.both, FIELD, (field) => field.agentIDs.push(outsider))]],
  'a quorum was added': [[changed(plain.copies[0], FIELD, (field) => Object.assign(field, { quorum: 1 }))]],
  'the agreement of another document': [
    [
      changed(plain.asked, FIELD, (_, document) =>
        Object.assign(document, { sxAgreement: JSON.parse(strong.both).sxAgreement }),
      ),
    ],
  ],
  'signatures of another document': [
    [
      changed(plain.asked, FIELD, (field) =>
        Object.assign(field, { signatures: JSON.parse(strong.both).sxAgreement.signatures }),
      ),
    ],
  ],
  'a signature that names the other party': [
    [changed(plain.copies[0], FIELD, ({ signatures }) => Object.assign(signatures[0], { agentID: parties[1] }))],
  ],
  'a signature that names an outsider': [
    [changed(plain.copies[0], FIELD, ({ signatures }) => Object.assign(signatures[0], { agentID: outsider }))],
  ],
  'a signature of another date': [
    [changed(plain.copies[0], FIELD, ({ signatures }) => Object.assign(signatures[0], { date: DEADLINE }))],
  ],
  'a signature of no form, next to good ones': [[changed(plain.both, FIELD, ({ signatures }) => signatures.push({}))]],
  'the parties twice': [[changed(plain.both, FIELD, ({ agentIDs }) => agentIDs.push(agentIDs[0]))]],
  'a later version of the format': [[changed(plain.both, FIELD, (field) => Object.assign(field, { v: 2 }))]],
  'no agreement': [['{"sxAgreement":[]}']],
  'nobody is known': [[plain.both], FIELD, undefined, []],
}

export const agreements = () => ({
  description: 'Agreements in documents, with every step between input and signature, and what they have come to.',
  about: [
    'The parties are those of agents.json, in its order, under the keys of keys.json; each trusts the other one.',
    '`asked` is a document with the agreement in `field`. `hashed` is the text whose SHA-256 is `documentHash`; `shown` is the payload of PAE("sx-agreement-v1", …), whose SHA-256 is `agreementHash`.',
    '`copies` are `asked`, signed by each party. `both` is the first of them, signed by the other party too; `signed` are the payloads of PAE("sx-agreement-v1-sign", …) that its signatures are over, in their order.',
    '`checks` are texts whose signatures count together, in `field`, at `now`, with `isKnown` false under no keys at all; `status` is what checkAgreement gives, with codes in the place of sentences.',
  ],
  agreements: [plain, policy],
  checks: Object.entries(CHECKS).map(([name, [texts, field = FIELD, now = '2026-01-02T12:00:00.000Z', keys]]) => ({
    name,
    texts,
    field,
    now,
    isKnown: keys === undefined,
    status: statusOf(texts, field, Date.parse(now), keys),
  })),
})
