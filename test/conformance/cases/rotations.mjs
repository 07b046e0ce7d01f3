// Keys over time: who follows a rotation, what stays valid, and the same done here.
import rotations from '../../vectors/rotations.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'
import { entries, password, replaced } from '../world.mjs'

const { agentId, documents, keyIds } = rotations

export function keysOverTime({ main, SxError, open, copy }) {
  let opened
  /** The one agent of the cases of the vectors, which trusts nobody. */
  async function truster() {
    opened ??= open('ed25519', 'Follower')
    const { agent } = await opened
    agent.untrustAgent(agentId)
    return agent
  }
  return [
    ...rotations.admissions.map(({ name, known, offered, code }) => [
      `T47 rotation: ${name} is ${code ?? 'taken'}`,
      async () => {
        const agent = await truster()
        if (known !== null) agent.trustAgent(documents[known])
        if (code !== null) return refused(SxError, code, async () => agent.trustAgent(offered))
        const taken = agent.trustAgent(offered)
        equal([taken.agentId, taken.keyIds.at(-1), agent.getTrustedAgent(agentId)], [agentId, taken.keyId, offered])
        ok(Object.isFrozen(taken.keyIds), 'frozen')
      },
    ]),
    ...rotations.verdicts.map(({ name, under, text, code }) => [
      `rotation: what was signed by ${name} is ${code ?? 'valid'}`,
      async () => {
        const agent = await truster()
        agent.trustAgent(documents[under])
        for (const result of [await agent.verify(text), agent.verifySync(text)]) {
          equal([result.valid, result.code ?? null, result.trusted], [code === null, code, code === null])
          if (result.valid) ok(keyIds.includes(result.keyId), 'the key that signed')
        }
      },
    ]),
    ...['ed25519', 'pq2025'].map((algorithm) => [
      `rotation: from ${algorithm} to the other algorithm and back`,
      async () => {
        const { agent, store } = await open(algorithm, 'Rotated')
        const { keyId } = agent.getAgentInfo()
        const before = await agent.signMessage('before')
        const first = agent.exportAgent()
        const other = algorithm === 'ed25519' ? 'pq2025' : 'ed25519'
        const second = await agent.rotateKey({ algorithm: other })
        const third = agent.rotateKeySync({ algorithm })
        equal([second.formerKeyId, third.formerKeyId], [keyId, second.keyId])
        equal(agent.getAgentInfo().keyIds, [keyId, second.keyId, third.keyId])
        const after = await agent.signMessage('after')
        const again = new main.SxAgent({ storage: copy(store), password })
        await again.load()
        for (const { raw } of [before, after]) ok((await again.verify(raw)).valid, 'after loading')
        ok(
          !/"next"/.test([...entries(store).values()].map((bytes) => new TextDecoder().decode(bytes)).join()),
          'a key waits',
        )
        const follower = await truster()
        follower.trustAgent(first)
        follower.trustAgent(third.agent)
        for (const { raw } of [before, after]) ok((await follower.verify(raw)).trusted, 'followed')
        await refused(SxError, 'Rollback', async () => follower.trustAgent(second.agent))
        follower.trustAgent(await agent.revokeKey(keyId, { reason: 'compromised' }))
        equal(
          [(await follower.verify(before.raw)).code, (await follower.verify(after.raw)).valid],
          ['KeyRevoked', true],
        )
        follower.untrustAgent(agent.getAgentInfo().agentId)
        const registered = await follower.signAgent(agent.exportAgent(), agent.getPublicKey(), algorithm)
        ok(await follower.verifySignature(registered, 'sxRegistration'), 'registered')
        const { sxRegistration } = JSON.parse(registered)
        const moved = JSON.stringify({ ...JSON.parse(documents.third), sxRegistration })
        ok(!(await follower.verifySignature(moved, 'sxRegistration')), 'a registration that was moved')
      },
    ]),
    ...[{}, { verifyOnly: true }].map((options) => [
      `K01 rotation: a stolen key does not count for others that are loaded${options.verifyOnly ? ', to verify only' : ''}`,
      async () => {
        const { agent, store } = await open('ed25519', 'Stolen')
        const other = new main.SxAgent({ storage: store, password, ...options })
        await other.load()
        const thief = new main.SxAgent({ storage: copy(store), password })
        await thief.load()
        const { keyId } = await agent.rotateKey({ reason: 'compromised' })
        const { raw } = await thief.signMessage('forged')
        const verdicts = [
          other.verifySync(raw),
          await other.verify(raw),
          (await other.verifyMany([raw]))[0],
          await other.verifyById(`${other.getAgentInfo().agentId}`),
        ]
        equal(
          verdicts.map(({ valid, code }) => [valid, code]),
          [
            [false, 'KeyRevoked'],
            [false, 'KeyRevoked'],
            [false, 'KeyRevoked'],
            [true, undefined],
          ],
        )
        equal(
          other.getWellKnownJson().keys.map(({ kid }) => kid),
          [keyId],
          'what is published',
        )
        equal([other.exportAgent(), other.getPublicKey()], [agent.exportAgent(), agent.getPublicKey()])
        ok(other.getDnsRecord('example.com').includes(keyId), 'the DNS record')
        ok((await other.verify((await agent.signMessage('by the new key')).raw)).trusted, 'the new key')
        if (options.verifyOnly) return
        const signing = [
          () => other.signMessage(1, { noSave: true }),
          () => other.signString('1'),
          () => other.exportKey({ password }),
          () => other.exportStore(),
        ]
        for (const sign of signing) await refused(SxError, 'KeyRevoked', sign)
        await refused(SxError, 'KeyRevoked', async () => other.signStringSync('1'))
      },
    ]),
    [
      'K06 rotation: a clock that was ahead once gives the old key no more time',
      async () => {
        const { agent, store, agentId } = await open('ed25519', 'Ahead')
        const thief = new main.SxAgent({ storage: copy(store), password })
        await thief.load()
        const year = 365 * 86_400_000
        const { now } = Date
        await replaced(
          Date,
          'now',
          () => now.call(Date) + year,
          () => agent.updateAgent({ ...JSON.parse(agent.exportAgent()), description: 'from the future' }),
        )
        const before = [...entries(store).keys()].filter((key) => key.includes(agentId))
        await refused(SxError, 'ClockBehind', () => agent.rotateKey())
        equal(
          [...entries(store).keys()].filter((key) => key.includes(agentId)),
          before,
          'what is stored',
        )
        const { formerKeyId } = await agent.rotateKey({ force: true })
        const [{ revoked, keyId }] = JSON.parse(agent.exportAgent()).sxPublicKeys
        equal(keyId, formerKeyId)
        ok(Date.parse(revoked.at) < Date.now() + year / 2, 'the date of the revocation')
        while (Date.now() <= Date.parse(revoked.at)) await new Promise((resolve) => setTimeout(resolve, 1))
        const { raw } = await thief.signMessage('today')
        equal((await agent.verify(raw)).code, 'KeyRevoked')
        const again = new main.SxAgent({ storage: store, password })
        await again.load()
        ok((await again.verify((await again.signMessage('goes on')).raw)).valid, 'the new key')
      },
    ],
    [
      'K05 rotation: what was stored with clocks that are apart by minutes still counts',
      async () => {
        const { agent, store } = await open('ed25519', 'Apart')
        const other = new main.SxAgent({ storage: store, password })
        await other.load()
        const { now } = Date
        const { documentId, raw } = await replaced(
          Date,
          'now',
          () => now.call(Date) + 120_000,
          () => other.signMessage({ n: 1 }),
        )
        await agent.rotateKey()
        equal((await agent.verify(raw)).valid, true)
        await agent.updateDocument(documentId, '{"n":2}')
        equal((await agent.verifyById(documentId)).data, { n: 2 })
      },
    ],
    [
      'K05 rotation: whoever signs waits for one that is on its way, and breaks off that of a process that died',
      async () => {
        const { agent, store, agentId } = await open('ed25519', 'Broken off')
        const intent = ['sx_data', 'documents', agentId.slice(0, 2), `${agentId}.2.rotation`]
        store.putSync(intent, new TextEncoder().encode('somebody'))
        const { raw } = await agent.signMessage('stored') // after five seconds
        ok((await agent.verify(raw)).valid)
        const { sxVersion, sxPreviousVersion, sxPublicKeys } = JSON.parse(agent.exportAgent())
        ok(sxPreviousVersion !== undefined && sxVersion !== sxPreviousVersion, 'another version')
        equal(sxPublicKeys.length, 1)
        await agent.rotateKey()
        ok((await agent.verify(raw)).valid, 'after the next rotation')
      },
    ],
  ]
}
