// Asking for a version that is not there costs no more with a long history.
import { SxAgent } from 'sx-agent'
import { memoryStorage, mirrored, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, test } from 'vitest'
import { documentChain } from '../../src/names.ts'

const password = 'a password for tests'
const UNKNOWN = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
const VERSIONS = 401

let written: SyncStorage
let id: string
const versions: string[] = []

beforeAll(async () => {
  written = memoryStorage()
  const { agent } = await SxAgent.create({ name: 'Versions', algorithm: 'ed25519', password, storage: written })
  let document = agent.createDocumentSync('{"n":1}')
  for (let number = 1; ; number++) {
    const { sxId, sxVersion } = JSON.parse(document) as { sxId: string; sxVersion: string }
    id = sxId
    versions.push(sxVersion)
    if (number === VERSIONS) break
    document = agent.updateDocumentSync(`${sxId}:${sxVersion}`, JSON.stringify({ n: number + 1 }))
  }
  await agent.close()
})

/** A copy of what was written. */
async function copy(): Promise<SyncStorage> {
  const storage = memoryStorage()
  for await (const key of written.list([])) storage.putSync(key, written.getSync(key) as Uint8Array)
  return storage
}

const hintOf = (version: string): string[] => ['sx_data', ...(documentChain(id).index?.(version) ?? [])]

/** A remote storage that counts its calls. */
function remote(inner: SyncStorage): { storage: Storage; calls: string[] } {
  const calls: string[] = []
  const storage: Storage = {
    capabilities: { sync: false, durability: 'strict', shared: true },
    get(key) {
      calls.push(`get ${key.join('/')}`)
      return inner.get(key)
    },
    put: (key, bytes, options) => inner.put(key, bytes, options),
    delete: (key) => inner.delete(key),
    list(prefix, options) {
      calls.push(`list ${prefix.join('/')}`)
      return inner.list(prefix, options)
    },
    flush: () => inner.flush(),
    close: () => inner.close(),
  }
  return { storage, calls }
}

async function verifier(storage: Storage): Promise<SxAgent> {
  const agent = new SxAgent({ storage, verifyOnly: true })
  await agent.load()
  return agent
}

describe('K15: a request for a version', () => {
  test('that is not there takes a handful of calls, and each later one too', async () => {
    const { storage, calls } = remote(await copy())
    const agent = await verifier(storage)
    for (let round = 0; round < 3; round++) {
      calls.length = 0
      expect(await agent.verifyById(`${id}:${UNKNOWN}`)).toMatchObject({ valid: false, code: 'NotFound' })
      expect(calls.length).toBeLessThanOrEqual(10)
    }
  })

  test('that is not there reads the entries once where hints are missing, and finds those without one', async () => {
    const inner = await copy()
    const [lost = '', other = ''] = [versions[150], versions[250]]
    inner.deleteSync(hintOf(lost))
    inner.deleteSync(hintOf(other))
    const { storage, calls } = remote(inner)
    const agent = await verifier(storage)
    expect(await agent.verifyById(`${id}:${lost}`)).toMatchObject({ valid: true, data: { n: 151 } })
    expect(await agent.verifyById(`${id}:${UNKNOWN}`)).toMatchObject({ code: 'NotFound' })
    calls.length = 0
    expect(await agent.verifyById(`${id}:${UNKNOWN}`)).toMatchObject({ code: 'NotFound' })
    expect(await agent.verifyById(`${id}:${other}`)).toMatchObject({ valid: true, data: { n: 251 } })
    expect(calls.length).toBeLessThanOrEqual(60) // the latest one is looked for from a version that was seen
  })

  test('whose hint names another entry, or none, finds the version', async () => {
    const storage = await copy()
    const wrong = versions[100] ?? ''
    for (const number of ['7', '400', '9007199254740991', '{']) {
      storage.putSync(hintOf(wrong), new TextEncoder().encode(number))
      const agent = await verifier(storage)
      expect(await agent.verifyById(`${id}:${wrong}`)).toMatchObject({ valid: true, data: { n: 101 } })
      expect(agent.verifyByIdSync(`${id}:${wrong}`)).toMatchObject({ valid: true, data: { n: 101 } })
    }
  })

  test('with hints of versions that are not there finds those that have none', async () => {
    const storage = await copy()
    storage.putSync(hintOf(UNKNOWN), new TextEncoder().encode('5'))
    const agent = await verifier(storage)
    expect(agent.verifyByIdSync(`${id}:${UNKNOWN}`)).toMatchObject({ code: 'NotFound' })
    expect(agent.verifyByIdSync(`${id}:${UNKNOWN.replace('6', '7')}`)).toMatchObject({ code: 'NotFound' })
    expect(agent.verifyByIdSync(`${id}:${versions[0]}`)).toMatchObject({ valid: true, data: { n: 1 } })
  })

  test('sees versions that another process adds after a search', async () => {
    const storage = await copy()
    storage.deleteSync(hintOf(versions[30] ?? ''))
    const agent = await verifier(storage)
    expect(agent.verifyByIdSync(`${id}:${UNKNOWN}`)).toMatchObject({ code: 'NotFound' })
    const writer = new SxAgent({ storage, password })
    await writer.load()
    const added = JSON.parse(await writer.updateDocument(id, '{"n":402}')) as { sxVersion: string }
    storage.deleteSync(hintOf(added.sxVersion))
    expect(agent.verifyByIdSync(`${id}:${added.sxVersion}`)).toMatchObject({ valid: true, data: { n: 402 } })
    await writer.updateDocument(id, '{"n":403}')
    expect(agent.verifyByIdSync(`${id}:${added.sxVersion}`)).toMatchObject({ valid: true, data: { n: 402 } })
  })

  test('is answered the same by the synchronous form of a mirror', async () => {
    const agent = await verifier(await mirrored(remote(await copy()).storage))
    expect(agent.verifyByIdSync(`${id}:${UNKNOWN}`)).toMatchObject({ code: 'NotFound' })
    expect(agent.verifyByIdSync(`${id}:${versions[200]}`)).toMatchObject({ valid: true, data: { n: 201 } })
  })
})
