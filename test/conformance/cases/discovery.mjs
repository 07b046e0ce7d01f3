// What an agent publishes to be found, and the versions of its documents.
import agents from '../../vectors/agents.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'
import { entries, password, watched } from '../world.mjs'

/** Longest domain that leaves room for the names before it. */
const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(48)}`

/** RFC 7638 of a JWK: what a text hashes to, in base64url. */
function thumbprint(jwk, hashString) {
  const members = Object.entries(jwk).filter(([name]) => name !== 'kid')
  const sorted = Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
  const hex = hashString(JSON.stringify(sorted))
  const bytes = hex.match(/../g).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_').replace('=', '')
}

export function discovery({ main, simple, storage, SxError, open, stored }) {
  return [
    [
      'spec 4.1 getDnsRecord: names the agent and its key',
      async () => {
        for (const algorithm of ['ed25519', 'pq2025']) {
          const { agent, agentId } = await open(algorithm, 'Found')
          const text = `v=sx; sx_agent_id=${agentId}; alg=${algorithm}; kid=${agent.getAgentInfo().keyId}`
          equal(agent.getDnsRecord('example.com'), `_v1.agent.sx.example.com. 3600 IN TXT "${text}"`)
          equal(agent.getDnsRecord('A-1.example', 0), `_v1.agent.sx.A-1.example. 0 IN TXT "${text}"`)
          equal(agent.getDnsRecord(longest, 2 ** 31 - 1), `_v1.agent.sx.${longest}. 2147483647 IN TXT "${text}"`)
          ok(text.length < 256, 'one string of a record holds it')
        }
      },
    ],
    [
      'getDnsRecord takes no other domains and times to live',
      async () => {
        const { agent } = await open('ed25519', 'Found')
        const domains = [
          '',
          '.',
          'example.com.',
          '-a.com',
          'a-.com',
          'a..b',
          'a b',
          'é.com',
          'a"b',
          'a\nb',
          `${longest}a`,
        ]
        for (const domain of [...domains, undefined, null, 17, 'a'.repeat(2000)]) {
          const code = domain?.length === 2000 ? 'LimitExceeded' : 'InvalidOption'
          await refused(SxError, code, async () => agent.getDnsRecord(domain), String(domain))
        }
        for (const ttl of [-1, 0.5, 2 ** 31, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '60', null, 60n]) {
          await refused(SxError, 'InvalidOption', async () => agent.getDnsRecord('example.com', ttl), String(ttl))
        }
      },
    ],
    [
      'spec 4.1 getWellKnownJson: keys as JWK, whose thumbprint is the key id',
      async () => {
        const members = { ed25519: ['crv', 'kid', 'kty', 'x'], pq2025: ['alg', 'kid', 'kty', 'pub'] }
        for (const [algorithm, names] of Object.entries(members)) {
          const { agent, agentId } = await open(algorithm, 'Found')
          const { agentVersion, keys, ...rest } = agent.getWellKnownJson()
          equal(rest, { agentId, dnsRecord: null })
          equal(agentVersion, JSON.parse(agent.exportAgent()).sxVersion)
          equal([keys.length, Object.keys(keys[0]).sort(), keys[0].kid], [1, names, agent.getAgentInfo().keyId])
          equal(thumbprint(keys[0], main.hashString), keys[0].kid)
        }
      },
    ],
    [
      'getWellKnownJson has the record of the agent’s own domain, where there can be one',
      async () => {
        for (const [domain, isThere] of [
          ['agents.example.com', true],
          [`${longest}a`, false],
        ]) {
          const { agent } = await main.SxAgent.create({
            name: 'Found',
            domain,
            algorithm: 'ed25519',
            password,
            storage: storage.memoryStorage(),
          })
          const { dnsRecord } = agent.getWellKnownJson()
          equal(dnsRecord, isThere ? agent.getDnsRecord(domain) : null, domain)
        }
      },
    ],
    [
      'listVersions: all versions of a document, oldest first, from the chain alone',
      async () => {
        const { store, agentId } = await stored('ed25519', 'Found')
        await simple.load({ storage: store, password })
        const first = await simple.signMessage({ n: 1 })
        const id = first.documentId
        const keys = [`${id}:${JSON.parse(first.raw).sxVersion}`]
        for (let n = 2; n <= 6; n++) {
          const { raw } = await simple.updateDocument(id, { n })
          keys.push(`${id}:${JSON.parse(raw).sxVersion}`)
        }
        equal(await simple.listVersions(id), keys)
        for (const [at, key] of keys.entries()) equal((await simple.verifyById(key)).data, { n: at + 1 })
        equal(await simple.listVersions(agentId), [`${agentId}:${JSON.parse(simple.exportAgent()).sxVersion}`])

        const name = [...entries(store).keys()].find((key) => key.endsWith(`${id}.3.json`)).split('/')
        const text = new TextDecoder().decode(store.getSync(name))
        store.putSync(name, new TextEncoder().encode(text.replace('"n":3', '"n":4')))
        equal(await simple.listVersions(id), keys, 'no signature is looked at')
        store.putSync(name, store.getSync([...name.slice(0, -1), `${id}.4.json`]))
        await refused(SxError, 'CorruptStore', () => simple.listVersions(id), 'another version')
        store.deleteSync(name)
        await refused(SxError, 'CorruptStore', () => simple.listVersions(id), 'no version')
        await refused(SxError, 'NotFound', () => simple.listVersions(agents.agents[0].agentId))
        for (const wrong of [keys[0], 'x', '', undefined, 17]) {
          await refused(SxError, 'InvalidId', () => simple.listVersions(wrong), String(wrong))
        }
      },
    ],
    [
      'listVersions reads no other document',
      async () => {
        const { store } = await stored('ed25519', 'Found')
        let reads = 0
        const counted = watched(store, (method) => {
          reads += method === 'listSync' ? 1000 : 1
        })
        const agent = new main.SxAgent({ storage: counted, password })
        await agent.load()
        const { documentId } = await agent.signMessage(1)
        const cost = async () => {
          const before = reads
          await agent.listVersions(documentId)
          return reads - before
        }
        const alone = await cost()
        ok(alone < 20, `${alone} reads`)
        for (let n = 0; n < 20; n++) await agent.signMessage(n)
        equal(await cost(), alone)
      },
    ],
  ]
}
