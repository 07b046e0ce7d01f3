// Whom an agent trusts, and what it does not let itself be told.
import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import keys from '../../vectors/keys.json' with { type: 'json' }
import verdicts from '../../vectors/verdicts.json' with { type: 'json' }
import { equal, refused } from '../assert.mjs'
import { entries } from '../world.mjs'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const rawOf = (name) => documents.documents.find((document) => document.name === name).raw

/** Removes entries whose joined key ends so; gives how many there were. */
function drop(store, ending) {
  const gone = [...entries(store).keys()].filter((key) => key.endsWith(ending))
  for (const key of gone) store.deleteSync(key.split('/'))
  return gone.length
}

/** Makes a storage what another one is. */
function restore(store, from) {
  for (const key of entries(store).keys()) store.deleteSync(key.split('/'))
  for (const [key, bytes] of entries(from)) store.putSync(key.split('/'), bytes)
}

export function trust({ main, SxError, open }) {
  let opened
  /** The one agent of these cases, which trusts nobody and has no foreign key files. */
  async function truster() {
    opened ??= open('ed25519', 'Truster')
    const given = await opened
    for (const id of given.agent.listTrustedAgents()) given.agent.untrustAgent(id)
    for (const { agentId } of agents.agents) given.store.deleteSync(['sx_keys', `${agentId}.public.pem`])
    return given
  }
  return [
    ...agents.admissions.map(({ name, algorithm, known, offered, code }) => [
      `trustAgent: ${name} is ${code ?? 'taken'}`,
      async () => {
        const { agent, store } = await truster()
        const of = agents.agents.find((one) => one.algorithm === algorithm)
        if (known !== null) agent.trustAgent(of[known])
        const before = entries(store)
        if (code === null) {
          const { agentId } = agent.trustAgent(offered)
          equal(agentId, of.agentId)
          equal(agent.getTrustedAgent(agentId), offered, 'the stored document')
        } else {
          await refused(SxError, code, async () => agent.trustAgent(offered))
          equal([...entries(store)].map(String), [...before].map(String), 'the storage')
        }
        equal(agent.isTrusted(of.agentId), code === null || known !== null, 'isTrusted')
        equal(agent.listTrustedAgents(), code === null || known !== null ? [of.agentId] : [], 'listTrustedAgents')
      },
    ]),
    ...agents.agents.map(({ algorithm, agentId, raw, publicKey }) => {
      const stranger = keys.strangers.find((one) => one.algorithm === algorithm)
      const good = rawOf(`${algorithm} message`)
      const forged = verdicts.cases.find(
        ({ name }) => name === `${algorithm} message: T07 a stranger's signature with the stranger's key id`,
      ).text
      return [
        `T06 ${algorithm}: a key directory that disagrees with the trust store is a conflict`,
        async () => {
          const { agent, store } = await truster()
          const file = ['sx_keys', `${agentId}.public.pem`]
          const code = async (text) => {
            const results = [agent.verifyDocumentSync(text), await agent.verifyDocument(text)]
            const error = await agent.verifyOrThrow(text).then(
              () => null,
              ({ code }) => code,
            )
            equal(results, [error === null, error === null])
            return error
          }
          equal([await code(good), await code(forged)], ['UnknownSigner', 'UnknownSigner'], 'no key')
          store.putSync(file, encoder.encode(stranger.publicKey))
          equal([await code(good), await code(forged)], ['KeyMismatch', null], 'key directory alone')
          agent.trustAgent(raw)
          equal([await code(good), await code(forged)], ['KeyConflict', 'KeyConflict'], 'both, different')
          store.putSync(file, encoder.encode(publicKey))
          equal([await code(good), await code(forged)], [null, 'KeyMismatch'], 'both, the same')
          store.putSync(file, encoder.encode('-----BEGIN PUBLIC KEY-----\n'))
          equal([await code(good), await code(forged)], ['InvalidKey', 'InvalidKey'], 'one of them damaged')
          store.deleteSync(file)
          equal([await code(good), await code(forged)], [null, 'KeyMismatch'], 'trust store alone')
        },
      ]
    }),
    [
      "T06 a key directory does not shadow the agent's own key",
      async () => {
        const { agent, store, agentId } = await truster()
        const own = await agent.createDocument('{"a":1}')
        store.putSync(['sx_keys', `${agentId}.public.pem`], encoder.encode(keys.strangers[0].publicKey))
        const forged = verdicts.cases.find(
          ({ name }) => name.includes("stranger's key id") && name.startsWith('ed25519'),
        )
        const asOwn = forged.text.replace(/"agentID":"[^"]+"/, `"agentID":"${agentId}"`)
        equal(await agent.verifyDocument(asOwn), false, 'signed by the key that was put there')
        const { valid, trusted } = await agent.verifyOrThrow(own)
        equal([valid, trusted], [true, true], 'signed by the own key')
      },
    ],
    ...agents.agents.map(({ algorithm, agentId, raw }) => [
      `T39 ${algorithm}: what was valid is not after untrustAgent, and is again after trustAgent`,
      async () => {
        const { agent } = await truster()
        const text = rawOf(`${algorithm} document`)
        for (let round = 0; round < 3; round++) {
          await refused(SxError, 'UnknownSigner', () => agent.verifyOrThrow(text))
          equal(agent.verifyDocumentSync(text), false)
          agent.trustAgent(raw)
          equal((await agent.verifyOrThrow(text)).trusted, true)
          equal(agent.verifyDocumentSync(text), true)
          equal(agent.untrustAgent(agentId), true, 'it was there')
          equal(agent.untrustAgent(agentId), false, 'it is gone')
          await refused(SxError, 'NotFound', async () => agent.getTrustedAgent(agentId))
        }
      },
    ]),
    [
      'T39 a trust store that another process changed counts at once',
      async () => {
        const { agent, store } = await truster()
        const second = new main.SxAgent({ storage: store, password: 'a password for tests' })
        await second.load()
        const text = rawOf('ed25519 message')
        agent.trustAgent(agents.agents[0].raw)
        equal([agent.verifyDocumentSync(text), second.verifyDocumentSync(text)], [true, true])
        second.untrustAgent(agents.agents[0].agentId)
        equal([agent.verifyDocumentSync(text), second.verifyDocumentSync(text)], [false, false])
      },
    ],
    [
      'a trust store that was tampered with is no trust store',
      async () => {
        const { agent, store } = await truster()
        const [{ agentId, raw }, { raw: other }] = agents.agents
        agent.trustAgent(raw)
        const text = rawOf('ed25519 message')
        for (const damaged of [raw.replace('Zoë', 'Zoe'), other, '{}', raw.slice(1)]) {
          store.putSync(['sx_data', 'trust', `${agentId}.json`], encoder.encode(damaged))
          await refused(SxError, 'CorruptStore', () => agent.verifyOrThrow(text))
        }
      },
    ],
    [
      'T28 a name that is no id is refused by everything that takes one',
      async () => {
        const { agent, store } = await truster()
        const before = entries(store)
        const id = agents.agents[0].agentId
        const hostile = [
          '',
          '../x',
          '..%2f',
          'a/b',
          'C:\\x',
          'con',
          '\0',
          'a'.repeat(300),
          `${id}:../v`,
          `${id}/`,
          id.toUpperCase(),
        ]
        for (const name of [...hostile, null, undefined, 17, {}]) {
          for (const method of ['isTrusted', 'getTrustedAgent', 'untrustAgent', 'getDocumentSync', 'getDocument']) {
            await refused(SxError, 'InvalidId', async () => agent[method](name), `${method} ${JSON.stringify(name)}`)
          }
          for (const method of ['updateDocument', 'updateDocumentSync']) {
            await refused(
              SxError,
              'InvalidId',
              async () => agent[method](name, '{}'),
              `${method} ${JSON.stringify(name)}`,
            )
          }
        }
        equal([...entries(store)].map(String), [...before].map(String), 'the storage')
      },
    ],
  ]
}

export function rollback({ main, SxError, open, copy }) {
  let opened
  /** A document of three versions, and the storage after each. */
  async function versions() {
    opened ??= open('ed25519', 'Keeper')
    const { agent, store } = await opened
    const raws = [await agent.createDocument('{"content":{"n":1}}')]
    const stores = [copy(store)]
    const { sxId: id } = JSON.parse(raws[0])
    for (const n of [2, 3]) {
      raws.push(await agent.updateDocument(id, JSON.stringify({ n })))
      stores.push(copy(store))
    }
    const keysOf = raws.map((raw) => `${id}:${JSON.parse(raw).sxVersion}`)
    return { agent, store, stores, id, raws, keys: keysOf }
  }
  const versionOf = (key) => key.split(':')[1]
  return [
    [
      'T47 the storage goes back to an older state: Rollback, unless asked for by exact key',
      async () => {
        const { agent, store, stores, id, raws, keys: exact } = await versions()
        equal(await agent.getDocument(id), raws[2], 'the latest version')
        for (const older of [0, 1]) {
          restore(store, stores[older])
          await refused(SxError, 'Rollback', () => agent.getDocument(id), 'getDocument')
          await refused(SxError, 'Rollback', async () => agent.getDocumentSync(id), 'getDocumentSync')
          await refused(SxError, 'Rollback', () => agent.updateDocument(id, '{"n":9}'), 'updateDocument')
          equal(await agent.getDocument(exact[older]), raws[older], 'by exact key')
        }
      },
    ],
    [
      'T47 a version is gone that a record still names: Rollback, also to a process that has not seen it',
      async () => {
        const { store, id, raws, keys: exact } = await versions()
        equal(drop(store, `${versionOf(exact[2])}.json`), 1)
        const fresh = new main.SxAgent({ storage: store, password: 'a password for tests' })
        await fresh.load()
        await refused(SxError, 'Rollback', () => fresh.getDocument(id))
        equal(await fresh.getDocument(exact[1]), raws[1])
      },
    ],
    [
      'T47 a hint that fell behind is no rollback: the chain is followed',
      async () => {
        const { agent, store, stores, id, raws } = await versions()
        const latest = [...entries(store).keys()].find((key) => key.includes(id) && key.endsWith('/latest'))
        store.putSync(latest.split('/'), entries(stores[1]).get(latest))
        equal(await agent.getDocument(id), raws[2], 'one step behind')
        equal(drop(store, `${id}/latest`), 1)
        equal(await agent.getDocument(id), raws[2], 'gone')
      },
    ],
    [
      'T47 another version under the key of one is damage',
      async () => {
        const { agent, store, id, keys: exact } = await versions()
        const all = entries(store)
        const file = (key) => [...all.keys()].find((name) => name.endsWith(`${versionOf(key)}.json`))
        store.putSync(file(exact[2]).split('/'), all.get(file(exact[0])))
        await refused(SxError, 'CorruptStore', () => agent.getDocument(id))
        await refused(SxError, 'CorruptStore', () => agent.updateDocument(id, '{"n":9}'))
      },
    ],
    [
      'T47 a version whose claim was lost is no part of history',
      async () => {
        const { agent, store, raws, keys: exact } = await versions()
        const file = [...entries(store).keys()].find((key) => key.endsWith(`${versionOf(exact[2])}.json`))
        equal(drop(store, `after/${versionOf(exact[1])}`), 1)
        await refused(SxError, 'NotFound', () => agent.getDocument(exact[2]))
        equal(decoder.decode(store.getSync(file.split('/'))), raws[2], 'its text')
      },
    ],
    [
      'T47 the agent document goes back: the loaded agent remembers',
      async () => {
        const { agent, store, agentId } = await open('ed25519', 'Keeper')
        const before = copy(store)
        await agent.updateAgent(JSON.stringify({ ...JSON.parse(agent.exportAgent()), description: 'new' }))
        restore(store, before)
        equal(await agent.verifyDocument(agent.exportAgent()), true, 'what it has loaded')
        await refused(SxError, 'Rollback', () => agent.getDocument(agentId))
      },
    ],
    [
      'T47 two updates of one version: one is stored, the other is a VersionConflict',
      async () => {
        const { agent, id, keys: exact } = await versions()
        const results = await Promise.allSettled(
          ['a', 'b'].map((n) => agent.updateDocument(exact[2], JSON.stringify({ n }))),
        )
        equal(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
        equal(results.find(({ status }) => status === 'rejected').reason.code, 'VersionConflict')
        equal(await agent.getDocument(id), results.find(({ status }) => status === 'fulfilled').value)
        await refused(SxError, 'VersionConflict', () => agent.updateDocument(exact[0], '{"n":9}'))
      },
    ],
  ]
}
