// Keys over time: who follows a rotation, what stays valid, and the same done here.
import rotations from '../../vectors/rotations.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'
import { entries, password } from '../world.mjs'

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
  ]
}
