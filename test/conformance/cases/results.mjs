// What comes back when something goes wrong, and what must not.

import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import { equal, ok, outcome, own, refused } from '../assert.mjs'
import { replaced, watched } from '../world.mjs'

const marker = 'content that nobody vouches for'

/** Whether a text can be reached from a value: through properties of any name, also hidden and inherited ones. */
function reaches(value, text, seen = new Set()) {
  if (typeof value === 'string') return value.includes(text)
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return false
  seen.add(value)
  if (value instanceof Map || value instanceof Set)
    if ([...value].some((item) => reaches(item, text, seen))) return true
  return Reflect.ownKeys(value).some((name) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, name)
    return reaches(name, text, seen) || ('value' in descriptor && reaches(descriptor.value, text, seen))
  })
}

export function results({ main, SxError, simple, open, stored }) {
  const password = 'a password for tests'
  return [
    [
      'T04 a verification that fails midway leaves nothing of the document behind',
      async () => {
        const author = await open('ed25519', 'Author')
        const raw = await author.agent.createDocument(JSON.stringify({ marker }))
        const { store } = await stored('ed25519', 'Reader')
        let fails = false
        const disk = watched(store, (method, key) => {
          if (fails && method === 'getSync' && key.at(-1).endsWith('.public.pem')) {
            throw new SxError('StorageUnavailable', 'The disk is gone.')
          }
        })
        const agent = new main.SxAgent({ storage: disk, password })
        await agent.load()
        fails = true
        for (const form of [
          'verifyDocument',
          'verifyDocumentSync',
          'verifyOrThrow',
          'verifyOrThrowSync',
          'verifySignature',
        ]) {
          let error
          try {
            await agent[form](raw)
          } catch (thrown) {
            error = thrown
          }
          equal(error?.code, 'StorageUnavailable', form)
          ok(!reaches(error, marker), `the error of ${form} holds nothing of the document`)
          ok(!reaches(agent, marker) && !reaches(main, marker), 'the agent holds nothing of it')
        }
        fails = false
        await refused(SxError, 'UnknownSigner', () => agent.verifyOrThrow(raw), 'as soon as the disk is back')
        ok(reaches({ a: [{ [marker]: 1 }] }, marker) && reaches({ a: new Error(marker) }, marker), 'the search finds')
      },
    ],
    [
      'T04 an error of a refused document holds nothing of it',
      async () => {
        const { agent } = await open('ed25519', 'Reader')
        const names = JSON.stringify({ [marker]: marker, sxId: marker, sxSignature: { agentID: marker } })
        const raw = documents.documents[0].raw.replace('"content":', `"${marker}":"${marker}","content":`)
        for (const text of [names, raw, `"${marker}"`, `{"a":"${marker}",}`]) {
          const { code, message } = await outcome(SxError, () => agent.verifyOrThrow(text))
          ok(code !== undefined && !message.includes(marker), message)
          const result = simple.verifyStandalone(text, { keyDirectory: {} })
          ok(!result.valid && !reaches(result, marker), 'the result')
        }
      },
    ],
    [
      'T41 results cannot be changed, and those of bad input carry no data',
      async () => {
        const { agent } = await open('ed25519', 'Reader')
        const raw = await agent.createDocument('{"content":{"a":1}}', null, null, true)
        const good = await agent.verifyOrThrow(raw)
        const bad = simple.verifyStandalone(raw, { keyDirectory: {} })
        for (const result of [good, bad]) {
          ok(Object.isFrozen(result) && Object.isFrozen(result.errors) && Object.isFrozen(result.attachments), 'frozen')
          for (const change of [
            () => {
              result.valid = true
            },
            () => {
              result.data = { a: 2 }
            },
            () => result.errors.push('x'),
            () => Object.assign(result, { extra: 1 }),
          ]) {
            const { thrown } = await Promise.resolve()
              .then(change)
              .then(
                () => ({}),
                (error) => ({ thrown: error }),
              )
            ok(thrown instanceof TypeError, 'a change throws')
          }
        }
        equal([bad.valid, bad.data, bad.code, 'data' in bad], [false, undefined, 'UnknownSigner', true])
        equal(Object.keys(bad).sort(), Object.keys(good).sort(), 'the same members')
        equal([good.code, 'code' in good], [undefined, true])
        const message = await refused(SxError, 'UnknownSigner', () => agent.verifyOrThrow(documents.documents[0].raw))
        await refused(SxError, 'UnknownSigner', async () => agent.verifyOrThrowSync(documents.documents[0].raw))
        equal(bad.errors, [message], 'the sentence of the error')
      },
    ],
    [
      'T43 a random source that gives zeros signs nothing, and does not hinder verifying',
      async () => {
        const { agent, store } = await open('pq2025', 'Author')
        const raw = await agent.createDocument('{"a":1}')
        const key = `${JSON.parse(raw).sxId}:${JSON.parse(raw).sxVersion}`
        const before = [...store.listSync([])].length
        const signing = {
          createDocument: ['{"a":1}'],
          createDocumentSync: ['{"a":1}'],
          updateDocument: [key, '{"a":2}'],
          updateDocumentSync: [key, '{"a":2}'],
          updateAgent: [agent.exportAgent()],
          updateAgentSync: [agent.exportAgent()],
          signString: ['text'],
          signStringSync: ['text'],
        }
        for (const dead of [(bytes) => bytes, (bytes) => bytes.fill(255)]) {
          await replaced(globalThis.crypto, 'getRandomValues', dead, async () => {
            for (const [name, given] of Object.entries(signing)) {
              await refused(SxError, 'NoEntropy', async () => agent[name](...given), name)
            }
            const options = { name: 'Zero', password, storage: store, configPath: './other/sx.config.json' }
            for (const form of ['create', 'createSync', 'quickstart', 'quickstartSync']) {
              await refused(SxError, 'NoEntropy', async () => simple[form]({ ...options, domain: 'example.com' }), form)
            }
            equal(await agent.verifyDocument(raw), true)
          })
        }
        equal([...store.listSync([])].length, before, 'entries of the storage')
        equal(await agent.verifyDocument(await agent.createDocument('{"a":1}')), true, 'with the real source')
      },
    ],
    [
      'T43 a runtime without a random source signs nothing',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        await replaced(globalThis, 'crypto', undefined, async () => {
          await refused(SxError, 'NoEntropy', () => agent.signString('text'))
          await refused(SxError, 'NoEntropy', () => agent.createDocument('{"a":1}'))
        })
      },
    ],
    ...[0, 1, 2, 3].map((depth) => [
      `T15 names of prototypes at depth ${depth} are names like any other`,
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const members = ['__proto__', 'constructor', 'prototype'].map((name) => `"${name}":{"polluted":true}`).sort()
        const inner = (more) => `{${[members[0], ...more, ...members.slice(1)].join(',')}}`
        const wrapped = (text) => `${'{"n":'.repeat(depth)}${text}${'}'.repeat(depth)}`
        const clean = () => {
          equal(
            [{}.polluted, [].polluted, Object.polluted, (() => 1).polluted],
            [undefined, undefined, undefined, undefined],
          )
          equal(Object.getPrototypeOf({}), Object.prototype)
        }
        const check = async (raw, more) => {
          ok(raw.includes(wrapped(inner(more)).slice(1, -1)), 'the bytes keep them')
          const { data } = await agent.verifyOrThrow(raw)
          let found = data
          for (let level = 0; level < depth; level++) found = found.n
          for (const name of ['__proto__', 'constructor', 'prototype'])
            equal(own(found, name), { polluted: true }, name)
          clean()
        }
        const text = wrapped(inner([]))
        const raw = await agent.createDocument(text)
        await check(raw, [])
        const { sxId } = JSON.parse(raw)
        await check(await agent.updateDocument(sxId, wrapped(inner(['"a":1']))), ['"a":1'])
        await simple.load({ storage: (await stored('ed25519', 'Author')).store, password })
        const signed = await simple.signMessage(JSON.parse(text))
        await check(signed.raw, [])
        await check((await simple.updateDocument(signed.documentId, JSON.parse(wrapped(inner(['"a":1']))))).raw, [
          '"a":1',
        ])
        await check((await simple.updateDocument(signed.documentId, wrapped(inner(['"b":1'])))).raw, ['"b":1'])
        equal((await simple.verify(text)).valid, false)
        clean()
      },
    ]),
    [
      'T15 names of prototypes in agent documents, configurations and key maps pollute nothing',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const hostile = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'
        const updated = await agent.updateAgent(agent.exportAgent().replace('"name":', `${hostile},"name":`))
        ok(updated.includes(hostile), 'the agent document keeps them')
        const { agent: other } = await open('ed25519', 'Reader')
        other.trustAgent(updated)
        equal({}.polluted, undefined)
        await refused(SxError, 'InvalidOption', async () => main.createConfig(JSON.parse(`{${hostile}}`)))
        const [{ agentId, publicKey }] = agents.agents
        for (const keyDirectory of [Object.create({ [agentId]: publicKey }), JSON.parse(`{${hostile}}`)]) {
          equal(simple.verifyStandalone(documents.documents[0].raw, { keyDirectory }).code, 'UnknownSigner')
        }
        equal([{}.polluted, Object.getPrototypeOf({})], [undefined, Object.prototype])
      },
    ],
  ]
}
