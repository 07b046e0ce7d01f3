// Agreements in a field of a document: several agents sign it, each where it is, and all see the same outcome.
import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'
import { entries, password, replaced } from '../world.mjs'

const stranger = agents.agents[0].agentId

/** A document with a member of its agreement changed. */
function changed(raw, change, field = 'sxAgreement') {
  const document = JSON.parse(raw)
  change(document[field], document)
  return JSON.stringify(document)
}

const agreementIn = (raw, field = 'sxAgreement') => JSON.parse(raw)[field]
const codesOf = ({ invalid }) => invalid.map(({ code }) => code)

export function agreementField({ main, simple, SxError, open, stored }) {
  /** Agents of which each trusts all others. */
  async function parties(...algorithms) {
    const names = ['First', 'Second', 'Third']
    const opened = await Promise.all(algorithms.map((algorithm, at) => open(algorithm, names[at])))
    for (const { agent } of opened) {
      for (const other of opened) if (other.agent !== agent) agent.trustAgent(other.agent.exportAgent())
    }
    return opened
  }
  const three = () => parties('ed25519', 'ed25519', 'ed25519')
  const idsOf = (all) => all.map(({ agentId }) => agentId)
  const statusOf = async ({ agent }, raw, field) => JSON.parse(await agent.checkAgreement(raw, field))
  /** Runs with a clock that is this much ahead. */
  const later = (milliseconds, work) => {
    const { now } = Date
    return replaced(Date, 'now', () => now.call(Date) + milliseconds, work)
  }
  /** A message of the first agent that all are asked to sign. */
  async function asked(all, options = {}, data = { rent: 900 }) {
    const { raw } = await all[0].agent.signMessage(data)
    return all[0].agent.createAgreement(raw, idsOf(all), { question: 'Do you agree?', ...options })
  }

  return [
    [
      'spec 4.2 createAgreement, signAgreement, checkAgreement; 2.2 sxAgreement: several agents sign a document',
      async () => {
        const all = await three()
        const [a, b, c] = all
        const signed = await a.agent.signMessage({ rent: 900 })
        let raw = await a.agent.createAgreement(signed.raw, idsOf(all), 'Do you agree?', 'For a year.')
        const { question, context, agentIDs, signatures } = agreementIn(raw)
        equal([question, context, agentIDs, signatures], ['Do you agree?', 'For a year.', idsOf(all), []])
        equal((await statusOf(b, raw)).status, 'pending')
        for (const [at, one] of all.entries()) {
          const before = JSON.parse(raw)
          raw = at === 1 ? one.agent.signAgreementSync(raw) : await one.agent.signAgreement(raw)
          const { sxVersion, sxPreviousVersion, sxSignature } = JSON.parse(raw)
          equal(sxPreviousVersion, before.sxVersion, 'a version follows')
          ok(sxVersion !== before.sxVersion, 'another version')
          equal(sxSignature.agentID, one.agentId, 'who signs makes it')
          const status = await statusOf(c, raw)
          equal([status.valid, status.status], [true, at === 2 ? 'complete' : 'partial'])
          equal(status.missing, idsOf(all).slice(at + 1))
        }
        for (const one of all) {
          const text = await one.agent.checkAgreement(raw)
          equal(text, one.agent.checkAgreementSync(raw))
          const { signed: counted, ...rest } = JSON.parse(text)
          equal(rest, {
            valid: true,
            status: 'complete',
            complete: true,
            field: 'sxAgreement',
            documentHashValid: true,
            agreementHash: agreementIn(raw).agreementHash,
            question: 'Do you agree?',
            context: 'For a year.',
            required: idsOf(all),
            quorum: { need: 3, have: 3 },
            missing: [],
            invalid: [],
            signBy: null,
            errors: [],
          })
          equal(
            counted.map(({ agentId, algorithm }) => [agentId, algorithm]),
            idsOf(all).map((id) => [id, 'ed25519']),
          )
          ok(
            counted.every(({ signedAt, keyId }) => signedAt.endsWith('Z') && keyId.length === 43),
            'date and key',
          )
          const verdict = await one.agent.verifyOrThrow(raw)
          equal([verdict.data, verdict.type], [{ rent: 900 }, 'message'], 'a message as before')
        }
      },
    ],
    [
      'spec 4.1 createAgreement, signAgreement, checkAgreement: with the agent of the program',
      async () => {
        const { store, agentId } = await stored('ed25519', 'First')
        await simple.load({ storage: store, password })
        const { raw } = await simple.signMessage({ rent: 900 })
        const request = await simple.createAgreement(raw, [agentId], { question: 'Do you agree?' })
        equal(agreementIn(simple.createAgreementSync(request, [agentId], 'Do you?')).question, 'Do you?')
        const newest = await simple.getDocument(JSON.parse(raw).sxId)
        equal((await simple.checkAgreement(newest)).status, 'pending')
        const done = await simple.signAgreement(newest)
        for (const status of [await simple.checkAgreement(done), simple.checkAgreementSync(done)]) {
          equal([status.complete, status.signed[0].agentId], [true, agentId])
          ok([status, status.signed, status.signed[0], status.quorum, status.errors].every(Object.isFrozen), 'frozen')
        }
        equal(simple.signAgreementSync(done), done, 'twice')
      },
    ],
    [
      'the deprecated agreement functions are the methods, on the agent of /simple',
      async () => {
        const { store, agentId } = await stored('ed25519', 'First')
        await simple.load({ storage: store, password })
        const raw = await main.createDocument('{"rent":900}')
        const request = main.createAgreementSync(await main.createAgreement(raw, [agentId], 'Do you?'), [agentId])
        const done = main.signAgreementSync(await main.signAgreement(request))
        equal(
          [await main.checkAgreement(done), main.checkAgreementSync(done)].map((text) => JSON.parse(text).complete),
          [true, true],
        )
      },
    ],
    [
      'an agreement is stored where the document is stored, and nowhere else',
      async () => {
        const all = await three()
        const [a, b] = all
        const { raw, documentId } = await a.agent.signMessage({ rent: 900 })
        const request = await a.agent.createAgreement(raw, idsOf(all))
        const first = await a.agent.signAgreement(request)
        const keys = [raw, request, first].map((text) => `${documentId}:${JSON.parse(text).sxVersion}`)
        equal(await a.agent.listVersions(documentId), keys)
        equal(await a.agent.getDocument(documentId), first)
        const verdict = await a.agent.verifyById(documentId)
        equal([verdict.valid, verdict.data], [true, { rent: 900 }])
        await refused(SxError, 'VersionConflict', () => a.agent.signAgreement(request), 'it has a successor')
        await refused(SxError, 'VersionConflict', () => a.agent.createAgreement(raw, idsOf(all)), 'so has this one')
        const before = entries(b.store)
        const second = await b.agent.signAgreement(first)
        equal([...entries(b.store)].map(String), [...before].map(String), 'who has only the document stores nothing')
        // What follows from there is stored nowhere either, since its predecessor is not.
        equal(await a.agent.signAgreement(second), second, 'signed already')
        const unsaved = await a.agent.signMessage(1, { noSave: true })
        await a.agent.createAgreement(unsaved.raw, idsOf(all))
        await refused(SxError, 'NotFound', () => a.agent.getDocument(unsaved.documentId))
      },
    ],
    [
      'importDocument: the versions of others are stored, and what follows from them too',
      async () => {
        const all = await three()
        const [a, b] = all
        const { raw, documentId } = await a.agent.signMessage({ rent: 900 })
        const request = await a.agent.createAgreement(raw, idsOf(all))
        const first = await a.agent.signAgreement(request)
        const key = (text) => `${documentId}:${JSON.parse(text).sxVersion}`
        await refused(SxError, 'NotFound', () => b.agent.importDocument(first), 'versions are missing')
        await refused(SxError, 'InvalidOption', () => b.agent.importDocument([request, raw]), 'the wrong order')
        await refused(SxError, 'InvalidOption', () => b.agent.importDocument([raw, first]), 'one is missing')
        const forged = first.replace('900', '901')
        await refused(SxError, 'BadSignature', () => b.agent.importDocument([raw, request, forged]))
        await refused(SxError, 'NotFound', () => b.agent.getDocument(documentId), 'nothing was stored')
        equal(await b.agent.importDocument(` ${raw}\n`), key(raw))
        equal(await b.agent.importDocument([raw, request, first]), key(first))
        equal(b.agent.importDocumentSync([request, first]), key(first), 'stored already')
        const second = await b.agent.signAgreement(first)
        equal(await b.agent.listVersions(documentId), [raw, request, first, second].map(key))
        // It goes back to whoever made the document, who has its other versions.
        equal(await a.agent.importDocument(second), key(second))
        equal(await a.agent.getDocument(documentId), second)
        const rival = await all[2].agent.signAgreement(first)
        await refused(SxError, 'VersionConflict', () => b.agent.importDocument(rival))
        await refused(SxError, 'InvalidOption', () => b.agent.importDocument(a.agent.exportAgent()))
        await refused(SxError, 'UnknownSigner', () => b.agent.importDocument(documents.documents[0].raw))
        await refused(SxError, 'InvalidOption', () => b.agent.importDocument([]))
      },
    ],
    [
      'A01 agreement: copies that were signed apart count together, in any order',
      async () => {
        const all = await three()
        const request = await asked(all)
        const copies = await Promise.all(all.map(({ agent }) => agent.signAgreement(request)))
        const orders = [
          [0, 1, 2],
          [0, 2, 1],
          [1, 0, 2],
          [1, 2, 0],
          [2, 0, 1],
          [2, 1, 0],
        ]
        const found = await Promise.all(
          orders.map((order) => all[1].agent.checkAgreement(order.map((at) => copies[at]))),
        )
        equal(JSON.parse(found[0]).status, 'complete')
        for (const one of found) equal(one, found[0])
        equal((await statusOf(all[0], [copies[0]])).quorum, { need: 3, have: 1 })
        const other = await asked(all)
        await refused(SxError, 'InvalidOption', () => all[0].agent.checkAgreement([copies[0], other]))
        await refused(SxError, 'InvalidOption', () => all[0].agent.checkAgreement([]))
      },
    ],
    [
      'A03 agreement: an agent counts once, and signs once',
      async () => {
        const all = await three()
        const [a, b] = all
        const request = await asked(all, { quorum: 2 })
        const once = await a.agent.signAgreement(request)
        equal(await a.agent.signAgreement(once), once)
        const told = await refused(SxError, 'AlreadySigned', () => a.agent.signAgreement(once, { refuseSigned: true }))
        ok(told.includes('already signed the agreement'), told)
        await b.agent.rotateKey()
        const { raw } = await b.agent.signMessage(0)
        ok((await b.agent.verify(raw)).valid, 'the next key signs')
        const twice = changed(once, (field) => field.signatures.push(field.signatures[0]))
        equal((await statusOf(b, twice)).quorum, { need: 2, have: 1 })
        equal((await statusOf(b, await b.agent.signAgreement(once))).quorum, { need: 2, have: 2 })
      },
    ],
    [
      'A07 A17 agreement: question, context, parties and policy are under every signature',
      async () => {
        const all = await three()
        const signBy = '2999-01-01T00:00:00.000Z'
        let raw = await asked(all, {
          context: 'c',
          quorum: 2,
          signBy,
          algorithms: ['ed25519'],
          minStrength: 'classical',
        })
        for (const { agent } of all) raw = await agent.signAgreement(raw)
        equal((await statusOf(all[0], raw)).status, 'complete')
        const changes = [
          (field) => Object.assign(field, { question: 'Do you disagree?' }),
          (field) => Object.assign(field, { context: '' }),
          (field) => Object.assign(field, { quorum: 1 }),
          (field) => delete field.quorum,
          (field) => delete field.signBy,
          (field) => delete field.algorithms,
          (field) => delete field.minStrength,
          (field) => field.agentIDs.push(stranger),
          (field) => field.agentIDs.reverse(),
        ]
        for (const change of changes) {
          const forged = changed(raw, change)
          const status = await statusOf(all[1], forged)
          const { valid, complete, signed, documentHashValid } = status
          equal(
            [valid, status.status, complete, signed, documentHashValid],
            [false, 'invalid', false, [], true],
            String(change),
          )
          equal(codesOf(status), ['AgreementHash', 'AgreementHash', 'AgreementHash'], String(change))
          ok(status.errors[0].startsWith('AgreementHash: '), status.errors[0])
          equal((await all[1].agent.verify(forged)).code, 'BadSignature', 'a verdict says so, too')
        }
      },
    ],
    [
      'A08 agreement: an outsider cannot join',
      async () => {
        const [a, b, c] = await three()
        const request = await asked([a, b])
        await refused(SxError, 'NotAParty', () => c.agent.signAgreement(request))
        const open = await c.agent.signAgreement(await asked([a, b, c]))
        const inserted = changed(request, (field) => field.signatures.push(agreementIn(open).signatures[0]))
        const status = await statusOf(a, inserted)
        equal([status.status, codesOf(status), status.invalid[0].agentId], ['pending', ['NotAParty'], c.agentId])
      },
    ],
    [
      'A09 T45 agreement: a signature of another agreement or document does not count',
      async () => {
        const all = await three()
        const signed = await all[0].agent.signAgreement(await asked(all))
        const [entry] = agreementIn(signed).signatures
        const twins = [await asked(all), await asked(all, { question: 'Do you?' }), await asked(all, {}, { rent: 1 })]
        for (const twin of twins) {
          const moved = changed(twin, (field) => field.signatures.push(entry))
          const status = await statusOf(all[1], moved)
          equal([status.status, codesOf(status), status.signed], ['pending', ['BadSignature'], []])
        }
      },
    ],
    [
      'T42 agreement: a forged signature of a party does not count',
      async () => {
        const all = await three()
        const signed = await all[0].agent.signAgreement(await asked(all, { quorum: 1 }))
        const forgeries = [
          [(entry) => Object.assign(entry, { signature: 'AAAA' }), 'BadSignature'],
          [(entry) => Object.assign(entry, { date: '2026-01-02T03:04:05.678Z' }), 'BadSignature'],
          [(entry) => Object.assign(entry, { agentID: all[1].agentId }), 'KeyMismatch'],
          [(entry) => Object.assign(entry, { signingAlgorithm: 'none' }), 'KeyMismatch'],
          [(entry) => Object.assign(entry, { response: 'disagree' }), 'InvalidDocument'],
          [(entry) => delete entry.nonce, 'InvalidDocument'],
        ]
        for (const [forge, code] of forgeries) {
          const status = await statusOf(
            all[1],
            changed(signed, ({ signatures }) => forge(signatures[0])),
          )
          equal([status.status, status.complete, codesOf(status)], ['pending', false, [code]], code)
        }
      },
    ],
    [
      'A10 agreement: the deadline ends signing, and a completed agreement stays complete',
      async () => {
        const all = await parties('ed25519', 'ed25519')
        const [a, b] = all
        const request = await asked(all, { signBy: new Date(Date.now() + 3_600_000).toISOString() })
        const first = await a.agent.signAgreement(request)
        const both = await b.agent.signAgreement(first)
        // Nobody whose clock is right signs after it; a signature that is dated so does not count.
        const late = await later(7_200_000, async () => {
          equal([(await statusOf(a, first)).status, (await statusOf(a, both)).status], ['expired', 'complete'])
          await refused(SxError, 'TooLate', () => b.agent.signAgreement(first))
          const open = await asked(all)
          return agreementIn(await b.agent.signAgreement(open)).signatures[0]
        })
        const inserted = changed(first, (field) => field.signatures.push(late))
        equal((await statusOf(a, inserted)).status, 'partial')
        await refused(SxError, 'InvalidOption', () => asked(all, { signBy: new Date(Date.now() - 1).toISOString() }))
      },
    ],
    [
      'A14 agreement: keys that are too weak do not sign',
      async () => {
        const all = await parties('ed25519', 'pq2025')
        const [a, b] = all
        const strong = await asked(all, { minStrength: 'pq' })
        await refused(SxError, 'TooWeak', () => a.agent.signAgreement(strong))
        equal((await statusOf(a, await b.agent.signAgreement(strong))).signed[0].algorithm, 'pq2025')
        const classical = await asked(all, { algorithms: ['Ed25519'] })
        equal(agreementIn(classical).algorithms, ['ed25519'])
        await refused(SxError, 'TooWeak', () => b.agent.signAgreement(classical))
      },
    ],
    [
      'A16 agreement: a rotated key still counts for what it has signed, a compromised one does not',
      async () => {
        const all = await parties('ed25519', 'ed25519')
        const [a, b] = all
        let raw = await asked(all)
        for (const { agent } of all) raw = await agent.signAgreement(raw)
        const { keyId } = b.agent.getAgentInfo()
        await b.agent.rotateKey()
        a.agent.trustAgent(b.agent.exportAgent())
        for (const one of all) equal((await statusOf(one, raw)).status, 'complete', 'superseded')
        await b.agent.revokeKey(keyId, { reason: 'compromised' })
        a.agent.trustAgent(b.agent.exportAgent())
        for (const one of all) {
          const status = await statusOf(one, raw)
          equal([status.status, codesOf(status), status.missing], ['partial', ['KeyRevoked'], [b.agentId]])
        }
        // The document itself counts no longer, as the same key has signed it; the signature of the other one does.
        equal((await a.agent.verify(raw)).code, 'KeyRevoked')
        a.agent.untrustAgent(b.agentId)
        equal(codesOf(await statusOf(a, raw)), ['UnknownSigner'])
      },
    ],
    [
      'an update of a document that was signed ends its agreement',
      async () => {
        const all = await three()
        const [a, b] = all
        const signed = await a.agent.signAgreement(await asked(all))
        const { sxId } = JSON.parse(signed)
        const updated = await a.agent.updateDocument(sxId, '{"rent":901}')
        equal(agreementIn(updated), agreementIn(signed), 'it is kept')
        equal((await a.agent.verifyOrThrow(updated)).data, { rent: 901 })
        const status = await statusOf(b, updated)
        equal(
          [status.valid, status.status, status.documentHashValid, codesOf(status)],
          [false, 'invalid', false, ['HashMismatch']],
        )
        await refused(SxError, 'HashMismatch', () => b.agent.signAgreement(updated))
        await refused(SxError, 'AgreementExists', () => a.agent.createAgreement(updated, idsOf(all)))
        const anew = await a.agent.createAgreement(updated, idsOf(all), { agreementFieldName: 'second' })
        equal((await statusOf(b, anew, 'second')).status, 'pending')
        await refused(SxError, 'ReservedField', () =>
          a.agent.updateDocument(
            sxId,
            changed(anew, (field) => field.agentIDs.pop()),
          ),
        )
        await refused(SxError, 'ReservedField', () => a.agent.createDocument('{"sxAgreement":{}}'))
      },
    ],
    [
      'an agreement under another name is a member of the body',
      async () => {
        const all = await three()
        const [a, b] = all
        const document = await a.agent.createDocument('{"rent":900}')
        const request = await a.agent.createAgreement(document, idsOf(all), 'Do you agree?', null, 'approval')
        const signed = await b.agent.signAgreement(request, 'approval')
        equal((await statusOf(a, signed, 'approval')).quorum.have, 1)
        equal((await statusOf(a, signed, 'approval')).field, 'approval')
        const { data } = await a.agent.verifyOrThrow(signed)
        equal([data.rent, data.approval.signatures.length], [900, 1])
        await refused(SxError, 'NoAgreement', () => a.agent.checkAgreement(signed))
        await refused(SxError, 'NoAgreement', () => b.agent.signAgreement(signed))
        for (const name of ['__proto__', 'constructor']) {
          const raw = await a.agent.createAgreement(await a.agent.createDocument('{}'), idsOf(all), null, null, name)
          equal((await statusOf(b, await b.agent.signAgreement(raw, name), name)).quorum.have, 1, name)
          equal({}.agentIDs, undefined)
        }
      },
    ],
    [
      'what is no agreement, no party and no field is refused, and nothing is stored',
      async () => {
        const { agent, store, agentId } = await open('ed25519', 'First')
        const { raw } = await agent.signMessage({ rent: 900 })
        const before = entries(store).size
        const create = (...given) => agent.createAgreement(raw, ...given)
        const given = [
          [[[]], 'NoParties'],
          [[[agentId, agentId]], 'InvalidOption'],
          [[[agentId.toUpperCase()]], 'InvalidId'],
          [[['x']], 'InvalidId'],
          [[[17]], 'InvalidOption'],
          [[agentId], 'InvalidOption'],
          [[undefined], 'InvalidOption'],
          [[[agentId], 17], 'InvalidOption'],
          [[[agentId], '\ud800'], 'NotJson'],
          [[[agentId], '', 17], 'InvalidOption'],
          [[[agentId], {}, 'context'], 'InvalidOption'],
          [[[agentId], { quorum: 0 }], 'InvalidOption'],
          [[[agentId], { quorum: 2 }], 'InvalidOption'],
          [[[agentId], { quorum: 0.5 }], 'InvalidOption'],
          [[[agentId], { quorum: '1' }], 'InvalidOption'],
          [[[agentId], { signBy: 'tomorrow' }], 'InvalidOption'],
          [[[agentId], { signBy: new Date() }], 'InvalidOption'],
          [[[agentId], { algorithms: [] }], 'InvalidOption'],
          [[[agentId], { algorithms: ['rsa'] }], 'InvalidOption'],
          [[[agentId], { algorithms: 'ed25519' }], 'InvalidOption'],
          [[[agentId], { algorithms: ['ed25519'], minStrength: 'pq' }], 'InvalidOption'],
          [[[agentId], { minStrength: 'weak' }], 'InvalidOption'],
          [[[agentId], { parties: 1 }], 'InvalidOption'],
          [[[agentId], '', '', 'sxId'], 'ReservedField'],
          [[[agentId], '', '', '$schema'], 'ReservedField'],
          [[[agentId], '', '', 'sxAgreements'], 'ReservedField'],
          [[[agentId], '', '', 'a b'], 'InvalidOption'],
          [[[agentId], '', '', 'content'], 'InvalidOption'],
          [[[agentId], '', '', 17], 'InvalidOption'],
        ]
        for (const [call, code] of given) {
          const [ids, ...options] = call
          await refused(SxError, code, () => create(ids, ...options), JSON.stringify(call))
        }
        for (const document of [raw.replace('900', '901'), '{}', '{', 17, undefined, documents.documents[0].raw]) {
          const { code } = await agent.verify(document)
          await refused(SxError, code, () => agent.createAgreement(document, [agentId]), String(document))
          await refused(SxError, code, () => agent.signAgreement(document), String(document))
        }
        await refused(SxError, 'InvalidOption', () => agent.createAgreement(agent.exportAgent(), [agentId]))
        await refused(SxError, 'NoAgreement', () => agent.signAgreement(raw))
        await refused(SxError, 'InvalidOption', () => agent.signAgreement(raw, { refuse: true }))
        await refused(SxError, 'InvalidOption', () => agent.signAgreement(raw, { refuseSigned: 1 }))
        const checks = [
          [[raw], 'NoAgreement'],
          [['[]'], 'NoAgreement'],
          [['{}', 'approval'], 'NoAgreement'],
          [['{}', 'sxSignature'], 'ReservedField'],
          [['{'], 'NotJson'],
          [['{"sxAgreement":{},"sxAgreement":{}}'], 'DuplicateKey'],
          [[17], 'InvalidOption'],
          [[[17]], 'InvalidOption'],
          [[null], 'InvalidOption'],
          [[raw, 17], 'InvalidOption'],
        ]
        for (const [call, code] of checks) {
          const [document, name] = call
          await refused(SxError, code, () => agent.checkAgreement(document, name), JSON.stringify(call))
        }
        equal(entries(store).size, before)
        for (const field of ['1', '{}', '[]', 'null', '{"v":2}']) {
          const status = JSON.parse(await agent.checkAgreement(`{"sxAgreement":${field}}`))
          equal([status.valid, status.status, status.errors.length], [false, 'invalid', 1], field)
        }
      },
    ],
  ]
}
