import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as module from '../../wasm/dist/agreement/agreement.js'
import { root } from '../setup/shared.mjs'
import { fileOf } from '../setup/table.mjs'
import { agent } from './agents.mjs'
import { canonicalize, core, drawn, entropy, hex, moment, must, pae, sha256, signedAt } from './core.mjs'
import { key, signerOf } from './keys.mjs'

module.initSync({ module: new WebAssembly.Module(readFileSync(join(root, fileOf('agreement')))) })

const HOUR = 3_600_000
const DAY = 24 * HOUR
const dateOf = (at) => new Date(at).toISOString()
const digest = (context, text) => hex(sha256(pae(context, text)))

/** Who signs with which algorithm: the agents of agents.json. */
const signers = { alice: 'ed25519', bob: 'pq2025' }
const agentOf = (who) => agent[signers[who]].first.id

const terms = {
  sxId: core.agreementId(entropy('agreement')),
  title: 'Rent of a flat',
  summary: 'Bob rents a flat from Alice. Zoë, 世界 🌍.',
  terms: '# Rent\n\n900 a month.\n',
  termsFormat: 'text/markdown',
  attachments: [{ name: 'plan.txt', mediaType: 'text/plain', size: 4, sha256: hex(sha256('plan')) }],
  parties: [
    { partyId: 'alice', agentId: agentOf('alice'), role: 'signer', displayName: 'Alice', required: true },
    { partyId: 'bob', agentId: agentOf('bob'), role: 'approver', keyIds: [key.pq2025.keyId] },
  ],
  policy: { effectiveFrom: dateOf(signedAt + DAY), expiresAt: dateOf(signedAt + 30 * DAY), terminate: 'any' },
}
const canonical = canonicalize(terms)
const agreementHash = digest('sx-agreement-v2', canonical)

const events = {}

/** Has a party make an event, dated so much after the proposal. */
function say(name, who, type, later, seen, data = {}) {
  const algorithm = signers[who]
  const signer = signerOf(key[algorithm], agent[algorithm].first.raw)
  const { role } = terms.parties.find(({ partyId }) => partyId === who)
  const draft = { agreementHash, data, role, seen: seen.map((one) => events[one].eventId).sort(), type }
  const at = moment(signedAt + later, `agreement ${name}`)
  const answer = core.agreementEvent(signer, JSON.stringify(draft), false, at)
  const [, id, ...text] = answer.split('\n')
  const raw = text.join('\n')
  const { signature, ...rest } = JSON.parse(raw)
  const unsigned = canonicalize(rest)
  must(id === digest('sx-agreement-event-id', unsigned), `the id of ${name}`)
  must(raw === canonicalize(JSON.parse(raw)), `${name} is canonical`)
  const rnd = algorithm === 'pq2025' && { rnd: hex(drawn(`agreement ${name}`, 'hedge')) }
  events[name] = { name, algorithm, ...rnd, unsigned, eventId: id, signature, raw }
}

say('propose', 'alice', 'propose', 0, [], { note: 'As we discussed.' })
say('sign of Alice', 'alice', 'sign', HOUR, ['propose'])
say('sign of Bob', 'bob', 'sign', HOUR, ['propose'], { note: 'Grüße' })
say('comment', 'bob', 'comment', 2 * HOUR, ['sign of Alice', 'sign of Bob'], { text: 'When do I get the keys?' })
say('terminate', 'alice', 'terminate', 3 * DAY, ['comment'], { reason: 'The flat is sold.' })
say('late sign of Bob', 'bob', 'sign', 200 * DAY, ['propose'])

/** The same event with a signature that was changed on its way. */
const damaged = (() => {
  const { raw, signature, ...rest } = events['sign of Bob']
  const other = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`
  return { ...rest, name: 'sign of Bob, damaged', signature: other, raw: raw.replace(signature, other) }
})()
events[damaged.name] = damaged

const known = {
  both: [agent.ed25519.first, agent.pq2025.first],
  'only Alice': [agent.ed25519.first],
  'Bob with a superseded key': [agent.ed25519.first, { ...agent.pq2025.first, raw: agent.pq2025.revoked }],
}

const signing = ['propose', 'sign of Alice', 'sign of Bob']
/** Name, whose keys are known, copies that are merged, as names of events, and how long after the proposal. */
const cases = [
  ['nothing but terms', 'both', [[]], 0],
  ['proposed', 'both', [['propose']], 0],
  ['signed by one', 'both', [['propose', 'sign of Alice']], HOUR],
  [
    'signed by both in two places',
    'both',
    [
      ['propose', 'sign of Alice'],
      ['sign of Bob', 'propose'],
    ],
    2 * HOUR,
  ],
  ['in effect', 'both', [signing], DAY],
  ['ended by its date', 'both', [signing], 30 * DAY],
  ['terminated', 'both', [[...signing, 'comment', 'terminate']], 4 * DAY],
  ['an event that is missing', 'both', [['propose', 'sign of Alice', 'comment']], DAY],
  ['a damaged signature', 'both', [['propose', 'sign of Alice', damaged.name]], DAY],
  ['a damaged signature beside the genuine one', 'both', [[...signing, damaged.name]], DAY],
  ['a party whose key is not known', 'only Alice', [signing], DAY],
  ['nobody whose key is known', null, [signing], DAY],
  ['signed before the key was superseded', 'Bob with a superseded key', [signing], DAY],
  [
    'signed after the key was superseded',
    'Bob with a superseded key',
    [['propose', 'sign of Alice', 'late sign of Bob']],
    200 * DAY,
  ],
]

function answerOf(text) {
  const answer = JSON.parse(text)
  must(answer.error === undefined, `${answer.error}: ${answer.message}`)
  return answer
}

function result([name, keys, copies, later]) {
  const texts = copies.map(
    (names) => `{"events":[${names.map((one) => events[one].raw).join(',')}],"terms":${canonical}}`,
  )
  const { raw, hash } = answerOf(module.open(texts))
  must(hash === agreementHash, `the hash of ${name}`)
  must(raw === canonicalize(JSON.parse(raw)), `${name} is canonical`)
  const ring = core.ringNew('')
  try {
    for (const { id, raw } of keys === null ? [] : known[keys]) core.ringSet(ring, id, 'trust', Buffer.from(raw))
    const answer = core.agreementJudged(ring, raw, signedAt + later)
    const end = answer.indexOf('\n')
    const question = JSON.parse(answer.slice(end + 1))
    const judged = answerOf(module.judgeBeside(answer.slice(end + 1), '{}'))
    return {
      name,
      known: keys,
      copies,
      document: { bytes: Buffer.byteLength(raw), sha256: hex(sha256(raw)) },
      verdicts: question.events.map(({ verdict }) => verdict),
      now: question.now,
      signers: JSON.parse(answer.slice(0, end)),
      result: judged,
    }
  } finally {
    core.free(ring)
  }
}

export const standaloneAgreements = () => ({
  description: 'A standalone agreement, signed with both algorithms, and what is decided of its copies.',
  about: [
    'The signers are the agents of agents.json, under the keys of keys.json: Alice with ed25519, Bob with pq2025.',
    '`canonical` is the canonical text of `terms`; `agreementHash` is the SHA-256 of PAE("sx-agreement-v2", `canonical`).',
    '`events`: `unsigned` is the canonical text without the signature. `eventId` is the SHA-256 of PAE("sx-agreement-event-id", `unsigned`), `signature` (base64) is over PAE("sx-agreement-event-v2", `unsigned`), and `raw` is the event. For pq2025 `rnd` (hex) is the random input of FIPS 204 algorithm 7. "sign of Bob, damaged" has a signature that does not verify.',
    '`results`: `copies` are documents with the terms and the events of these names. Merged they are the canonical document, of which `document` has the length in bytes and the SHA-256. `verdicts` are those on its events, in its order, with the agent documents `known` as decisions of the trust store (null: none). `result` is what is decided at `now`; `signers` are the agents with a valid signature.',
  ],
  terms,
  canonical,
  agreementHash,
  events: Object.values(events),
  known: Object.fromEntries(Object.entries(known).map(([name, documents]) => [name, documents.map(({ raw }) => raw)])),
  results: cases.map(result),
})
