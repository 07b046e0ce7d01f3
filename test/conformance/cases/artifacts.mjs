// Artifacts with what they were made from, requests, and agents that last as long as a program.
import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'
import { entries, password } from '../world.mjs'

export function artifacts({ main, simple, SxError, open, stored }) {
  /** Three agents, each of which trusts the ones before it. */
  async function three() {
    const [a, b, c] = await Promise.all(['First', 'Second', 'Third'].map((name) => open('ed25519', name)))
    b.agent.trustAgent(a.agent.exportAgent())
    for (const { agent } of [a, b]) c.agent.trustAgent(agent.exportAgent())
    return [a, b, c]
  }
  /** An artifact that its signer has made without looking at what it was made from. */
  const unchecked = (agent, parents) =>
    agent.createDocument(`{"sxType":"report","sxLevel":"artifact","content":1,"parentSignatures":[${parents}]}`)
  const forged = (artifact) => artifact.replace('"content":"draft"', '"content":"other"')

  return [
    [
      'spec 4.2 signArtifact: a chain of custody is verified to its beginning',
      async () => {
        const [a, b, c] = await three()
        const draft = await a.agent.signArtifact('"draft"', 'draft')
        const review = await b.agent.signArtifact('{"ok":true}', 'review', `[${draft},${draft}]`)
        const report = await c.agent.signArtifact('3', 'report', ` [ ${review} , ${draft} ] `)
        const { content, sxType, sxLevel, parentSignatures, ...header } = JSON.parse(report)
        equal([content, sxType, sxLevel, parentSignatures.length], [3, 'report', 'artifact', 2])
        equal(JSON.stringify(parentSignatures[1]), draft, 'parents are there whole')
        equal(
          Object.keys(header).filter((name) => !/^(\$schema|sx[A-Z]\w+)$/.test(name)),
          [],
        )
        const result = await c.agent.verifyArtifact(report)
        const { valid, type, signerId, parents, data } = result
        equal([valid, type, signerId, data.content], [true, 'report', c.agentId, 3])
        const shown = parents.map((parent) => [parent.type, parent.signerId, parent.trusted, parent.parents.length])
        equal(shown, [
          ['review', b.agentId, true, 2],
          ['draft', a.agentId, true, 0],
        ])
        ok(Object.isFrozen(result) && Object.isFrozen(parents) && Object.isFrozen(parents[0].parents), 'frozen')
        equal((await c.agent.verify(report)).valid, true, 'verify')
      },
    ],
    [
      'an artifact without parents has no member for them, and none is stored',
      async () => {
        const { agent, store } = await open('ed25519', 'First')
        const before = entries(store).size
        for (const parents of [undefined, null, '[]']) {
          equal(JSON.parse(await agent.signArtifact('1', 'result', parents)).parentSignatures, undefined)
        }
        equal(entries(store).size, before)
        equal((await agent.verifyArtifact(await agent.signArtifact('1', 'result'))).parents, [])
      },
    ],
    [
      'a parent that is not valid is refused and named, at any depth',
      async () => {
        const [a, b, c] = await three()
        const draft = await a.agent.signArtifact('"draft"', 'draft')
        const message = (await a.agent.signMessage(1)).raw
        const nested = await unchecked(b.agent, await unchecked(b.agent, `${draft},${forged(draft)}`))
        const cases = [
          [forged(draft), 'BadSignature', 'parents[0] is'],
          [`${draft},${forged(draft)}`, 'BadSignature', 'parents[1] is'],
          [await unchecked(b.agent, forged(draft)), 'BadSignature', 'parents[0].parents[0] is'],
          [nested, 'BadSignature', 'parents[0].parents[0].parents[1] is'],
          [message, 'InvalidDocument', 'parents[0] is'],
          [documents.documents[0].raw, 'UnknownSigner', 'parents[0] is'],
          ['1', 'InvalidDocument', 'parents[0] is'],
          ['null', 'InvalidDocument', 'parents[0] is'],
        ]
        for (const [parents, code, name] of cases) {
          const told = await refused(SxError, code, () => c.agent.signArtifact('1', 'report', `[${parents}]`), parents)
          ok(told.includes(name), `${told} says ${name}`)
          const {
            valid,
            errors,
            parents: shown,
            ...result
          } = await c.agent.verifyArtifact(await unchecked(c.agent, parents))
          equal([valid, result.code, shown, result.data], [false, code, [], undefined], parents)
          ok(errors[0].includes(name), `${errors[0]} says ${name}`)
          equal((await c.agent.verify(await unchecked(c.agent, parents))).valid, true, 'the artifact itself')
        }
      },
    ],
    [
      'an artifact counts under the keys that are known when it is looked at',
      async () => {
        const [a, b] = await three()
        const draft = await a.agent.signArtifact('1', 'draft')
        const report = await b.agent.signArtifact('2', 'report', `[${draft}]`)
        b.agent.untrustAgent(a.agentId)
        equal((await b.agent.verifyArtifact(report)).code, 'UnknownSigner')
        equal((await b.agent.verify(report)).valid, true)
      },
    ],
    [
      'what is no artifact, no type and no list is refused',
      async () => {
        const { agent } = await open('ed25519', 'First')
        const given = [
          [['{', 'result'], 'NotJson'],
          [['1,"sxType":"agent"', 'result'], 'NotJson'],
          [['1', 'result', '[],[]'], 'NotJson'],
          [['{"a":1,"a":2}', 'result'], 'DuplicateKey'],
          [['1e400', 'result'], 'LossyNumber'],
          [['1', 'result', '{}'], 'InvalidDocument'],
          [['1', 'result', '{"parentSignatures":[]}'], 'InvalidDocument'],
          [['1', ''], 'InvalidDocument'],
          [['1', 'a b'], 'InvalidDocument'],
          [['1', 'agent'], 'ReservedField'],
          [['1', 'sx-text'], 'ReservedField'],
          [[1, 'result'], 'InvalidOption'],
          [['1', 1], 'InvalidOption'],
          [['1', 'result', []], 'InvalidOption'],
        ]
        for (const [call, code] of given) {
          const [artifact, type, parents] = call
          await refused(SxError, code, () => agent.signArtifact(artifact, type, parents), JSON.stringify(call))
        }
        const raw = '{"sxLevel":"artifact","content":1,"parentSignatures":{}}'
        equal((await agent.verifyArtifact(await agent.createDocument(raw))).code, 'InvalidDocument')
        equal((await agent.verifyArtifact((await agent.signMessage(1)).raw)).code, 'InvalidDocument')
        equal(
          (await agent.verifyArtifact(await agent.createDocument('{"sxLevel":"artifact"}'))).code,
          'InvalidDocument',
        )
        for (const text of ['', '[', 17, undefined]) equal((await agent.verifyArtifact(text)).code, 'NotJson')
      },
    ],
    [
      'the limits of a document bound how deep a chain of custody is',
      async () => {
        const { agent } = await open('ed25519', 'First', { limits: { depth: 12 } })
        let artifact = await agent.signArtifact('0', 'link') // two levels; each parent adds two
        for (let levels = 4; levels <= 12; levels += 2)
          artifact = await agent.signArtifact('0', 'link', `[${artifact}]`)
        equal((await agent.verifyArtifact(artifact)).valid, true)
        await refused(SxError, 'LimitExceeded', () => agent.signArtifact('0', 'link', `[${artifact}]`))
      },
    ],
    [
      'spec 4.2 signRequest, verifyResponse, verifyResponseWithAgentId: what was signed comes back',
      async () => {
        const [a, b] = await three()
        const before = entries(a.store).size
        const params = { method: 'balance', of: [1, null, 'é'] }
        const request = a.agent.signRequest(params)
        equal(entries(a.store).size, before, 'stored')
        equal(JSON.parse(request).content, params)
        equal(b.agent.verifyResponse(request), { payload: params })
        equal(b.agent.verifyResponseWithAgentId(request), { payload: params, agentId: a.agentId })
        equal(b.agent.verifyResponse(await a.agent.createDocument('{"a":1}')), { payload: { a: 1 } })
        const changed = request.replace('balance', 'transfer')
        for (const verify of ['verifyResponse', 'verifyResponseWithAgentId']) {
          await refused(SxError, 'BadSignature', async () => b.agent[verify](changed), verify)
          await refused(SxError, 'UnknownSigner', async () => a.agent[verify](documents.documents[0].raw), verify)
          await refused(SxError, 'NotJson', async () => a.agent[verify](17), verify)
          await refused(SxError, 'MissingSignature', async () => a.agent[verify]('{}'), verify)
        }
        for (const value of [undefined, new Date(0), 1n]) {
          await refused(SxError, 'NotJson', async () => a.agent.signRequest(value))
        }
      },
    ],
    [
      'spec 4.4 ephemeral, getPublicKeyPem: an ephemeral agent has a key of its own',
      async () => {
        const { SxSimpleAgent } = main
        const lengths = { ed25519: 113, 'ring-Ed25519': 113, pq2025: 3595 }
        for (const [algorithm, length] of Object.entries(lengths)) {
          const agent = SxSimpleAgent.ephemeral(algorithm)
          const pem = agent.getPublicKeyPem()
          equal(pem.length, length, algorithm)
          equal(pem, agent.getPublicKeyPem(), 'the same each time')
          ok(pem !== SxSimpleAgent.ephemeral(algorithm).getPublicKeyPem(), 'another one each')
        }
        equal(SxSimpleAgent.ephemeral().getPublicKeyPem().length, lengths.pq2025)
        for (const algorithm of ['rsa', '', null, 17, {}]) {
          await refused(SxError, 'InvalidOption', async () => SxSimpleAgent.ephemeral(algorithm), typeof algorithm)
        }
      },
    ],
    [
      'spec 4.4 buildRequestAuthHeader: an ephemeral agent signs requests, and so does an agent in its form',
      async () => {
        const { SxSimpleAgent } = main
        await main.init({ exchange: true })
        const { agent } = await open('ed25519', 'Sender')
        const origin = 'https://api.example.com'
        for (const one of [
          SxSimpleAgent.ephemeral('ed25519'),
          SxSimpleAgent.ephemeral(),
          SxSimpleAgent.fromAgent(agent),
        ]) {
          const header = one.buildRequestAuthHeader('post', `${origin}/a?b=1`, '{"c":2}', origin)
          const [prefix, claims] = header.split('.')
          equal(prefix, 'SX v2')
          const { aud, kid, m, sub } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
          equal([aud, m, sub.split(':')[0]], [origin, 'POST', one.agentId])
          equal(kid, simple.getKeyId(one.getPublicKeyPem()))
          equal(simple.readAgent(one.exportAgent()).agentId, one.agentId)
          await refused(SxError, 'InvalidOption', async () => one.buildRequestAuthHeader('GET', '/a', '', origin))
        }
        await refused(SxError, 'InvalidOption', async () => SxSimpleAgent.fromAgent({}))
        await refused(SxError, 'NoAgentLoaded', async () => SxSimpleAgent.fromAgent(new main.SxAgent()))
      },
    ],
    [
      'the deprecated functions are the methods, on the agent of /simple',
      async () => {
        const { store, agentId } = await stored('ed25519', 'First')
        await simple.load({ storage: store, password })
        const raw = await main.createDocument('{"a":1}')
        equal(main.createDocumentSync({ a: 1 }).slice(0, 20), raw.slice(0, 20))
        equal((await simple.verify(raw)).signerId, agentId)
        equal([await main.verifyDocument(raw), main.verifyDocumentSync(raw)], [true, true])
        equal([await main.verifySignature(raw), main.verifySignatureSync(raw, 'sxRegistration')], [true, false])
        const { sxId } = JSON.parse(raw)
        const next = JSON.parse(await main.updateDocument(sxId, '{"a":2}'))
        equal([next.a, JSON.parse(main.updateDocumentSync(`${sxId}:${next.sxVersion}`, '{"a":3}')).a], [2, 3])
        const key = new TextEncoder().encode(simple.getPublicKey())
        for (const signature of [await main.signString('x'), main.signStringSync('x')]) {
          equal(await main.verifyString('x', signature, key, 'ed25519'), true)
          equal(main.verifyStringSync('y', signature, key, 'ed25519'), false)
        }
        equal([await main.verifyAgent(), main.verifyAgentSync()], [true, true])
        const own = JSON.parse(simple.exportAgent())
        const updated = JSON.parse(await main.updateAgent({ ...own, name: 'Renamed' }))
        equal(JSON.parse(main.updateAgentSync({ ...updated, name: 'Again' })).name, 'Again')
        equal(simple.getAgentInfo().name, 'Again')
        const request = main.signRequest({ a: 1 })
        equal(main.verifyResponse(request), { payload: { a: 1 } })
        equal(main.verifyResponseWithAgentId(request), { payload: { a: 1 }, agentId })
        await refused(SxError, 'NotFound', () => main.updateDocument(agents.agents[0].agentId, '{}'))
      },
    ],
  ]
}
