import { agent } from './agents.mjs'
import { core, made, making, moment, must, outcome, pae, signedAt } from './core.mjs'
import { key, otherKey, signerOf } from './keys.mjs'
import { resigned, signature } from './sign.mjs'

const MINUTE = 60_000

/** The keys that the agent has had, oldest first: of both algorithms. */
const line = [key.ed25519, otherKey.pq2025, otherKey.ed25519]

function rotate(raw, at, number) {
  const signer = signerOf(line[number - 1], raw)
  const answer = core.agentRotate(signer, line[number].handle, 'superseded', moment(at, `rotation ${number}`))
  return made(answer).raw
}

const first = agent.ed25519.first.raw
const second = rotate(first, signedAt + MINUTE, 1)
const third = rotate(second, signedAt + 2 * MINUTE, 2)
const { sxId: agentId } = JSON.parse(first)

function message(number, raw, at) {
  const name = `message of key ${number}`
  return made(core.documentCreate(signerOf(line[number], raw), `"${name}"`, making(true), undefined, moment(at, name)))
    .raw
}

/** The statement by which a key shows that it is the agent's. */
const proofOf = (of, id = agentId) => pae('sx-key-proof-v1', JSON.stringify({ agentId: id, keyId: of.keyId }))

/** The statement by which a key vouches for the next one. */
const rotationOf = ({ date, fromKeyId, toKeyId }, id = agentId) =>
  pae('sx-key-rotation-v1', JSON.stringify({ agentId: id, date, fromKeyId, toKeyId }))

const base64 = (bytes) => Buffer.from(bytes).toString('base64')

/** The third version with something changed, signed by its last key. */
const changed = (change) => resigned(third, line[2], change)

const revoked = resigned(third, line[2], (document) => {
  const later = new Date(signedAt + 3 * MINUTE).toISOString()
  const sxVersion = '6fa459ea-ee8a-4ca4-894e-db77e160355f'
  Object.assign(document, { sxPreviousVersion: document.sxVersion, sxVersion, sxVersionDate: later })
  Object.assign(document.sxSignature, { agentVersion: sxVersion, date: later })
  document.sxPublicKeys[0].revoked.reason = 'compromised'
})

/** As a thief of the first key rotates it. */
const rival = (() => {
  const made_ = core.agentRotate(
    signerOf(line[0], first),
    key.pq2025.handle,
    'superseded',
    moment(signedAt + MINUTE, 'rival'),
  )
  return made(made_).raw
})()

const stranger = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
const moved = changed((document) => {
  document.sxId = stranger
  document.sxSignature.agentID = stranger
})

const stolen = resigned(first, line[0], (document) => {
  const later = new Date(signedAt + 9 * MINUTE).toISOString()
  const sxVersion = '6fa459ea-ee8a-4ca4-894e-db77e160355f'
  Object.assign(document, { sxPreviousVersion: document.sxVersion, sxVersion, sxVersionDate: later })
  Object.assign(document.sxSignature, { agentVersion: sxVersion, date: later })
})

const documents = { first, second, third, revoked, rival }

const swapProofs = (document) => {
  const [one, two] = document.sxPublicKeys
  ;[one.proof, two.proof] = [two.proof, one.proof]
}
const foreignProof = (document) => {
  document.sxPublicKeys[2].proof = base64(signature(line[2], proofOf(line[2], stranger)))
}
const foreignRotation = (document) => {
  const [rotation] = document.sxKeyRotation
  rotation.signature = base64(signature(line[0], rotationOf(rotation, stranger)))
}
const otherDate = (document) => {
  const [rotation] = document.sxKeyRotation
  rotation.date = new Date(signedAt + MINUTE + 1).toISOString()
}

/** What is offered: name, what is known, the document, the code of the refusal (null: taken). */
const admissions = [
  ['an agent with three keys, seen for the first time', null, third, null],
  ['the next key', 'first', second, null],
  ['a key after one that was never seen', 'first', third, null],
  ['T47 the version before the rotation', 'second', first, 'Rollback'],
  ['T47 the version before two rotations', 'third', first, 'Rollback'],
  ['T47 a later version by the key before', 'third', stolen, 'Rollback'],
  ['a rival rotation, where the successor is not known', 'first', rival, null],
  ['a rival rotation', 'third', rival, 'KeyConflict'],
  ['an earlier key revoked as compromised', 'third', revoked, null],
  ['its revocation taken back', 'revoked', changed(() => {}), 'KeyRevoked'],
  ['proofs of other keys of the same agent', null, changed(swapProofs), 'BadSignature'],
  ["a proof over another agent's id", null, changed(foreignProof), 'BadSignature'],
  ['a key without proof', null, changed((document) => delete document.sxPublicKeys[1].proof), 'InvalidAgent'],
  ["a rotation over another agent's id", null, changed(foreignRotation), 'BadSignature'],
  ['a rotation of another date', null, changed(otherDate), 'BadSignature'],
  ['a rotation less', null, changed((document) => document.sxKeyRotation.pop()), 'InvalidAgent'],
  ['no rotations', null, changed((document) => delete document.sxKeyRotation), 'InvalidAgent'],
  ['rotations in another order', null, changed((document) => document.sxKeyRotation.reverse()), 'InvalidAgent'],
  ['keys in another order', null, changed((document) => document.sxPublicKeys.reverse()), 'InvalidAgent'],
  [
    'an earlier key that is not revoked',
    null,
    changed((document) => delete document.sxPublicKeys[0].revoked),
    'InvalidAgent',
  ],
  [
    'a last key that is revoked',
    null,
    changed((document) => (document.sxPublicKeys[2].revoked = document.sxPublicKeys[0].revoked)),
    'KeyRevoked',
  ],
  ['signed by an earlier key', null, resigned(third, line[1]), 'BadSignature'],
  ['all of it under the id of another agent', null, moved, 'BadSignature'],
  [
    'one key with a rotation',
    null,
    resigned(first, line[0], (document) => (document.sxKeyRotation = [])),
    'InvalidAgent',
  ],
]

/** Documents, under an agent document: name, which one, the text, the code (null: valid). */
const verdicts = [
  ['the first key before it was superseded', 'third', message(0, first, signedAt + MINUTE - 1), null],
  ['the first key when it was superseded', 'third', message(0, first, signedAt + MINUTE), 'KeyRevoked'],
  ['the second key before it was superseded', 'third', message(1, second, signedAt + MINUTE), null],
  ['the last key', 'third', message(2, third, signedAt + 2 * MINUTE), null],
  ['a key that is not known yet', 'first', message(2, third, signedAt + 2 * MINUTE), 'KeyMismatch'],
  ['a compromised key, whenever it signed', 'revoked', message(0, first, signedAt), 'KeyRevoked'],
  ['a key beside a compromised one', 'revoked', message(1, second, signedAt + MINUTE), null],
]

function admission([name, known, offered, expected]) {
  const code = outcome(() => core.trustAdmit(offered, known === null ? undefined : documents[known], '')).code ?? null
  must(code === expected, `${name} is ${code}`)
  return { name, known, offered, code }
}

export const rotations = () => ({
  description: 'An agent whose key was rotated, and who follows it.',
  about: [
    '`documents`: versions of one agent document: `first` with one key (that of the ed25519 agent of agents.json), `second` and `third` with one more each, `revoked` where the first key is compromised; `rival` is `first` as a thief of its key rotates it.',
    '`proofs` and `rotations`: the bytes (UTF-8) that the keys of `third` have signed, in their order.',
    '`admissions`: as in agents.json, with `known` one of `documents`. `verdicts`: `text` under the agent document `under`; valid where `code` is null.',
  ],
  agentId,
  keyIds: line.map(({ keyId }) => keyId),
  documents,
  proofs: line.map((of) => proofOf(of).toString()),
  rotations: JSON.parse(third).sxKeyRotation.map((rotation) => rotationOf(rotation).toString()),
  admissions: admissions.map(admission),
  verdicts: verdicts.map(([name, under, text, code]) => ({ name, under, text, code })),
})
