// Whom an agent trusts, and what it does not let itself be told.
import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import keys from '../../vectors/keys.json' with { type: 'json' }
import verdicts from '../../vectors/verdicts.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'
import { entries, password } from '../world.mjs'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const rawOf = (name) => documents.documents.find((document) => document.name === name).raw

/** Makes a storage what another one is. */
function restore(store, from) {
  for (const key of entries(store).keys()) store.deleteSync(key.split('/'))
  for (const [key, bytes] of entries(from)) store.putSync(key.split('/'), bytes)
}

/** The entry or hint of a document with this ending. */
const entry = (id, ending) => ['sx_data', 'documents', id.slice(0, 2), `${id}.${ending}`]

/** A process that has seen nothing yet; the password is for what signs, and deriving a key from it takes long. */
const reopening =
  (main) =>
  async (store, options = { verifyOnly: true }) => {
    const agent = new main.SxAgent({ storage: store, ...options })
    await agent.load()
    return agent
  }

/** A storage without synchronous functions. */
const awaited = (inner) => ({
  capabilities: { sync: false, durability: 'none', shared: true },
  get: (key) => inner.get(key),
  put: (key, bytes, options) => inner.put(key, bytes, options),
  delete: (key) => inner.delete(key),
  list: (prefix, options) => inner.list(prefix, options),
  flush: () => inner.flush(),
  close: () => Promise.resolve(),
})

export function trust({ main, storage: storages, SxError, open, copy }) {
  const reopened = reopening(main)
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
        const { store } = await truster()
        const [{ agentId, raw }, { raw: other }] = agents.agents
        const text = rawOf('ed25519 message')
        const number =
          1 + [...entries(store).keys()].filter((key) => new RegExp(`${agentId}\\.\\d+\\.json$`).test(key)).length
        const key = ['sx_data', 'trust', `${agentId}.${number}.json`]
        const damages = [raw.replace('Zoë', 'Zoe'), other, '{}', raw.slice(1), '', '{"sxTrustRemoved":""}']
        for (const damaged of damages) {
          const changed = copy(store)
          const remembering = await reopened(changed)
          remembering.trustAgent(raw)
          equal((await remembering.verifyOrThrow(text)).trusted, true, 'as it was')
          changed.putSync(key, encoder.encode(damaged))
          equal((await remembering.verifyOrThrow(text)).trusted, true, 'who has read it by its witness')
          const fresh = await reopened(changed)
          await refused(SxError, 'CorruptStore', () => fresh.verifyOrThrow(text))
          await refused(SxError, 'CorruptStore', async () => fresh.trustAgent(raw), 'trustAgent')
          equal(fresh.listTrustedAgents(), [agentId], 'it is shown')
          await refused(SxError, 'CorruptStore', async () => fresh.getTrustedAgent(agentId), 'it is not handed out')
          equal(fresh.untrustAgent(agentId), true, 'it can be removed')
          await refused(SxError, 'UnknownSigner', () => fresh.verifyOrThrow(text), 'after a removal mark')
          equal(fresh.trustAgent(raw).agentId, agentId, 'and trusted anew')
        }
      },
    ],
    [
      'T47 decisions are appended: what goes back is Rollback, names that are no entries are ignored',
      async () => {
        const { store } = await open('ed25519', 'Truster')
        const [{ agentId, raw }] = agents.agents
        const at = (ending) => ['sx_data', 'trust', `${agentId}.${ending}`]
        const agent = await reopened(store)
        agent.trustAgent(raw)
        const trusting = copy(store)
        agent.untrustAgent(agentId)
        const names = [...entries(store).keys()].filter((key) => key.startsWith('sx_data/trust/'))
        equal(
          names,
          ['1.json', '2.json', 'latest'].map((ending) => at(ending).join('/')),
          'the entries',
        )
        equal(decoder.decode(store.getSync(at('1.json'))), raw, 'a document')
        ok(/^\{"sxTrustRemoved":"[\w-]{22}"\}$/.test(decoder.decode(store.getSync(at('2.json')))), 'a removal mark')
        equal([agent.untrustAgent(agentId), agent.isTrusted(agentId)], [false, false], 'nothing is appended')
        for (const name of ['03.json', '0.json', '9007199254740992.json', '3.JSON', '3']) {
          store.putSync(at(name), encoder.encode(raw))
        }
        equal([agent.listTrustedAgents(), (await reopened(store)).isTrusted(agentId)], [[], false], 'other names')
        store.deleteSync(at('2.json'))
        equal(agent.isTrusted(agentId), false, 'who has seen it')
        const fresh = await reopened(store)
        await refused(SxError, 'Rollback', async () => fresh.isTrusted(agentId), 'who finds the witness')
        restore(store, trusting)
        await refused(SxError, 'Rollback', async () => agent.trustAgent(raw), 'trustAgent')
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
    [
      'K08 who writes only the data directory adds no trust, and takes back no removal',
      async () => {
        const { store } = await open('ed25519', 'Robbed')
        const [{ agentId, raw }] = agents.agents
        const decision = (n) => ['sx_data', 'trust', `${agentId}.${n}.json`]
        const planted = copy(store)
        planted.putSync(decision(1), encoder.encode(raw))
        equal((await reopened(planted)).listTrustedAgents(), [], 'planted trust')
        const before = await reopened(store)
        before.trustAgent(raw)
        before.untrustAgent(agentId)
        const robbed = copy(store)
        robbed.deleteSync(decision(2))
        robbed.deleteSync(['sx_data', 'trust', `${agentId}.latest`])
        const fresh = await reopened(robbed)
        await refused(SxError, 'Rollback', async () => fresh.isTrusted(agentId))
        equal(fresh.untrustAgent(agentId), true, 'taken back again')
        equal(fresh.isTrusted(agentId), false)
      },
    ],
    [
      'K02 agents on one storage that has to be awaited share what they know of trust',
      async () => {
        const { store } = await open('ed25519', 'Shared')
        const [{ agentId, raw }] = agents.agents
        const storage = await storages.mirrored(awaited(copy(store)))
        const [one, two] = [await reopened(storage), await reopened(storage)]
        one.trustAgent(raw)
        equal(two.isTrusted(agentId), true, 'while it waits')
        await one.flush()
        two.untrustAgent(agentId)
        await two.load()
        equal([one.isTrusted(agentId), two.isTrusted(agentId)], [false, false], 'after a reload')
        await one.refresh()
        equal([one.isTrusted(agentId), two.isTrusted(agentId)], [false, false], 'when it is written')
      },
    ],
  ]
}

export function rollback({ main, SxError, open, copy }) {
  const reopened = reopening(main)
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
      'T47 the storage goes back to an older state: Rollback',
      async () => {
        const { agent, store, stores, id, raws } = await versions()
        equal(await agent.getDocument(id), raws[2], 'the latest version')
        for (const older of [0, 1]) {
          restore(store, stores[older])
          await refused(SxError, 'Rollback', () => agent.getDocument(id), 'getDocument')
          await refused(SxError, 'Rollback', async () => agent.getDocumentSync(id), 'getDocumentSync')
          await refused(SxError, 'Rollback', () => agent.updateDocument(id, '{"n":9}'), 'updateDocument')
        }
      },
    ],
    [
      'T47 the storage goes back to an older state: what is there can be read by its exact key',
      async () => {
        const { agent, store, stores, raws, keys: exact } = await versions()
        for (const older of [0, 1]) {
          restore(store, stores[older])
          equal(await agent.getDocument(exact[older]), raws[older], 'by exact key')
        }
      },
    ],
    [
      'T47 an entry is gone that the hint names: Rollback, also to a process that has not seen it',
      async () => {
        const { agent, store, id } = await versions()
        store.deleteSync(entry(id, '3.json'))
        await refused(SxError, 'Rollback', () => agent.getDocument(id), 'who has seen it')
        const fresh = await reopened(store, { password })
        await refused(SxError, 'Rollback', () => fresh.getDocument(id))
        await refused(SxError, 'Rollback', () => fresh.updateDocument(id, '{"n":9}'), 'updateDocument')
        equal((await fresh.listDocuments()).includes(id), true, 'listed by its id')
      },
    ],
    [
      'T47 an entry is gone that the hint names: the one before can be read by its exact key',
      async () => {
        const { store, id, raws, keys: exact } = await versions()
        store.deleteSync(entry(id, '3.json'))
        const fresh = await reopened(store)
        equal(await fresh.getDocument(exact[1]), raws[1])
      },
    ],
    [
      'T47 a hint that fell behind is no rollback: the chain is followed',
      async () => {
        const { agent, store, id, raws, keys: exact } = await versions()
        equal(decoder.decode(store.getSync(entry(id, 'latest'))), '3', 'the hint')
        for (const hint of ['2', '1', '0', '', 'x', '03', '3\n', '-3', '99999999999999999999', undefined]) {
          if (hint === undefined) store.deleteSync(entry(id, 'latest'))
          else store.putSync(entry(id, 'latest'), encoder.encode(hint))
          equal(await agent.getDocument(id), raws[2], `${hint}, seen`)
          equal(await (await reopened(store)).getDocument(id), raws[2], `${hint}`)
        }
        equal((await agent.listDocuments()).includes(exact[2]), true, 'listed')
        const later = await (await reopened(store, { password })).updateDocument(id, '{"n":4}')
        equal(await agent.getDocument(id), later, 'it is continued')
      },
    ],
    [
      'T47 another version under an entry is damage, or Rollback to those who have seen the right one',
      async () => {
        const { agent, store, stores, id, raws } = await versions()
        const put = (number, raw) => store.putSync(entry(id, `${number}.json`), encoder.encode(raw))
        const both = async (seen, unseen, what) => {
          await refused(SxError, seen, () => agent.getDocument(id), `${what}, seen`)
          await refused(SxError, seen, () => agent.updateDocument(id, '{"n":9}'), `${what}, updated`)
          const message = await refused(SxError, unseen, async () => (await reopened(store)).getDocument(id), what)
          ok(/Entry 3 of the document/.test(message), message)
          await refused(
            SxError,
            unseen,
            async () => (await reopened(store, { password })).updateDocument(id, '{"n":9}'),
            what,
          )
        }
        put(3, raws[0])
        await both('CorruptStore', 'CorruptStore', 'the first version')
        put(3, raws[1])
        await both('Rollback', 'CorruptStore', 'the version before')
        put(3, await agent.createDocument('{"content":{"n":1}}'))
        await both('CorruptStore', 'CorruptStore', 'another document')
        put(3, raws[2].slice(1))
        await both('CorruptStore', 'CorruptStore', 'no document')
        put(3, '')
        await both('CorruptStore', 'CorruptStore', 'nothing')
        equal((await agent.listDocuments()).includes(id), true, 'listed by its id')
        // A branch that is as good as the other one, but that was not seen.
        const branch = await (await reopened(copy(stores[1]), { password })).updateDocument(id, '{"n":"branch"}')
        put(3, branch)
        await refused(SxError, 'Rollback', () => agent.getDocument(id), 'a branch')
        equal(await (await reopened(store)).getDocument(id), branch, 'a branch, unseen')
        put(3, raws[2])
        equal(await agent.getDocument(id), raws[2], 'restored')
        put(1, raws[1])
        const damaged = await reopened(store)
        await refused(SxError, 'CorruptStore', () => damaged.getDocument(`${id}:${JSON.parse(raws[0]).sxVersion}`))
      },
    ],
    [
      'T47 a hole in a chain is damage, and the entry is named',
      async () => {
        const { store, id, keys: exact } = await versions()
        for (const [number, hint, key] of [
          [2, '3', id],
          [2, undefined, id],
          [2, '3', exact[1]],
          [2, '3', exact[0]],
          [1, '3', exact[0]],
          [1, undefined, id],
        ]) {
          const changed = copy(store)
          changed.deleteSync(entry(id, `${number}.json`))
          if (hint === undefined) changed.deleteSync(entry(id, 'latest'))
          const fresh = await reopened(changed)
          const message = await refused(
            SxError,
            'CorruptStore',
            () => fresh.getDocument(key),
            `${number} ${hint} ${key}`,
          )
          ok(message.includes(`Entry ${number} of the document ${id}`), message)
          if (key === id) equal((await fresh.listDocuments()).includes(id), true, 'listed by its id')
        }
      },
    ],
    [
      'T47 names that are no entries are ignored',
      async () => {
        const { agent, store, id, raws, keys: exact } = await versions()
        const before = await agent.listDocuments()
        const bytes = encoder.encode(raws[0])
        for (const name of ['04.json', '0.json', '9007199254740992.json', '4.JSON', '4', '4.json.bak', 'json']) {
          store.putSync(entry(id, name), bytes)
        }
        const [data, documents, folder] = entry(id, '1.json')
        store.putSync([data, documents, folder, `${id.toUpperCase()}.1.json`], bytes)
        equal(await agent.listDocuments(), before, 'listDocuments')
        const fresh = await reopened(store)
        equal([await agent.getDocument(id), await fresh.getDocument(id)], [raws[2], raws[2]], 'getDocument')
        equal(await fresh.getDocument(exact[1]), raws[1], 'by exact key')
      },
    ],
    [
      'T47 an index that lies leads nobody astray',
      async () => {
        const { agent, store, id, raws, keys: exact } = await versions()
        for (const at of [0, 1, 2]) {
          const index = entry(id, versionOf(exact[at]))
          for (const lie of ['1', '2', '3', '9', 'x', '', undefined]) {
            if (lie === undefined) store.deleteSync(index)
            else store.putSync(index, encoder.encode(lie))
            equal(await agent.getDocument(exact[at]), raws[at], `version ${at + 1} at ${lie}, seen`)
            equal(await (await reopened(store)).getDocument(exact[at]), raws[at], `version ${at + 1} at ${lie}`)
          }
        }
        const other = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
        for (const [hint, code] of [
          ['2', 'NotFound'],
          ['9', 'Rollback'],
          [undefined, 'NotFound'],
        ]) {
          if (hint === undefined) store.deleteSync(entry(id, other))
          else store.putSync(entry(id, other), encoder.encode(hint))
          await refused(SxError, code, () => agent.getDocument(`${id}:${other}`), `a version that is none at ${hint}`)
        }
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
