// A backup of everything: what is in it, where it can be restored, and what is refused before anything is written.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent, SxError } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD, treeOf } from './fixtures.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** How many entries a storage has. */
const count = (storage: SyncStorage): number => [...storage.listSync([])].length

/** What a call is refused with. */
async function refusal(work: () => unknown): Promise<SxError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof SxError) return error
    throw error
  }
  throw new Error('It was not refused.')
}

const saved = 'another one 4 the file'
let home: string
let backup: Uint8Array
let text: string
let billing: { id: string; document: string; versions: string[]; trusted: string; foreign: string }

beforeAll(async () => {
  home = newFolder()
  await sx.create({ name: 'Warehouse', algorithm: 'ed25519', password: PASSWORD, storage: memoryStorage() })
  const warehouse = { json: sx.exportAgent(), key: sx.getPublicKey(), id: sx.getAgentInfo()?.agentId ?? '' }
  await sx.create({ name: 'Gone', algorithm: 'ed25519', password: PASSWORD, storage: memoryStorage() })
  const gone = { json: sx.exportAgent(), id: sx.getAgentInfo()?.agentId ?? '' }
  const { agentId } = await sx.quickstart(agentIn(home))
  const { raw, documentId } = await sx.signMessage({ n: 0, 'Zoë\u2028"\\': '🌍' })
  const versions = [raw]
  for (let n = 1; n < 12; n++) versions.push((await sx.updateDocument(documentId, { n })).raw)
  sx.trustAgent(warehouse.json)
  sx.trustAgent(gone.json)
  sx.untrustAgent(gone.id)
  writeFileSync(join(home, 'sx_keys', `${warehouse.id}.public.pem`), warehouse.key)
  writeFileSync(join(home, 'sx_keys', '.sx_password'), PASSWORD)
  writeFileSync(join(home, 'sx_keys', 'notes.txt'), 'mine')
  await sx.reencryptKey(PASSWORD, saved)
  billing = { id: agentId, document: documentId, versions, trusted: warehouse.id, foreign: gone.id }
  backup = await sx.exportStore()
  text = decoder.decode(backup)
})

/** That an agent is whole again where it was restored. */
async function expectWhole(load: () => Promise<{ agentId: string }>): Promise<void> {
  expect((await load()).agentId).toBe(billing.id)
  for (const raw of billing.versions) {
    const { sxVersion } = JSON.parse(raw) as { sxVersion: string }
    const key = `${billing.document}:${sxVersion}`
    expect(await sx.getDocument(key)).toBe(raw)
    expect(await sx.verifyById(key)).toMatchObject({ valid: true, trusted: true })
  }
  expect(sx.listTrustedAgents()).toEqual([billing.trusted])
  expect(sx.isTrusted(billing.foreign)).toBe(false)
  expect((await sx.updateDocument(billing.document, { n: 12 })).documentId).toBe(billing.document)
}

describe('a backup', () => {
  it('holds no password, and only names that have a meaning', () => {
    expect(text).not.toContain(PASSWORD)
    expect(text).not.toContain(saved)
    expect(text).not.toContain('notes.txt')
    const { entries } = JSON.parse(text) as { entries: [string, string, string][] }
    const names = entries.map(([name]) => name)
    const shown = names.map((name) => name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '<id>').replace(/\/..\//, '/<xx>/'))
    expect([...new Set(shown)]).toEqual(
      [
        'config',
        'private.pem',
        'keys/<id>.public.pem',
        'documents/<xx>/<id>.1.json',
        ...Array.from({ length: 11 }, (_, n) => `documents/<xx>/<id>.${n + 2}.json`),
        'trust/<id>.1.json',
        'trust/<id>.2.json',
      ].filter((name) => shown.includes(name)),
    )
    expect(names).toHaveLength(2 + 1 + 13 + 3)
    expect(entries[1]?.[2]).toBe(readFileSync(join(home, 'sx_keys', 'sx.private.pem'), 'utf8'))
  })

  it('has a manifest that anybody can verify', () => {
    const [, manifest = ''] = /^\{"sxBackup":1,"manifest":(.*),"entries":\[\n/.exec(text) ?? []
    const keyDirectory = { [billing.id]: readFileSync(join(home, 'sx_keys', 'sx.public.pem'), 'utf8') }
    expect(sx.verifyStandalone(manifest, { keyDirectory })).toMatchObject({ valid: true, signerId: billing.id })
  })

  it('is made without waiting too', async () => {
    await sx.load({ configPath: configIn(home), password: saved })
    const entriesOf = (bytes: Uint8Array): string => decoder.decode(bytes).split('\n').slice(1).join('\n')
    expect(entriesOf(sx.exportStoreSync())).toBe(entriesOf(backup))
  })

  it('is not made without the private key', async () => {
    const agent = new SxAgent({ verifyOnly: true })
    await agent.load(configIn(home))
    expect((await refusal(() => agent.exportStore())).code).toBe('PasswordRequired')
  })

  it('is refused for a store with a gap or with bytes that are no text', async () => {
    const folder = newFolder()
    await sx.quickstart(agentIn(folder))
    const { documentId } = await sx.signMessage({ n: 0 })
    await sx.updateDocument(documentId, { n: 1 })
    const chain = join(folder, 'sx_data', 'documents', documentId.slice(0, 2))
    const first = readFileSync(join(chain, `${documentId}.1.json`))
    writeFileSync(join(chain, `${documentId}.1.json`), new Uint8Array([0xff]))
    expect(await refusal(() => sx.exportStore())).toMatchObject({
      code: 'CorruptStore',
      message: expect.stringContaining(`${documentId}.1.json`) as string,
    })
    rmSync(join(chain, `${documentId}.1.json`))
    expect(await refusal(() => sx.exportStore())).toMatchObject({
      code: 'CorruptStore',
      message: expect.stringContaining(`${documentId}.1.json`) as string,
    })
    writeFileSync(join(chain, `${documentId}.1.json`), first)
    await sx.exportStore()
  })
})

describe('restoring', () => {
  it.each([
    ['bytes', () => backup],
    ['a Blob', () => new Blob([new Uint8Array(backup)])],
    [
      'a path',
      () => {
        const path = join(newFolder(), 'backup.json')
        writeFileSync(path, backup)
        return path
      },
    ],
  ])('brings everything back, from %s', async (_, given) => {
    const folder = newFolder()
    const restored = await sx.importStore(given(), { configPath: configIn(folder) })
    expect(restored).toMatchObject({ agentId: billing.id, name: 'Billing', configPath: configIn(folder), entries: 19 })
    await expectWhole(async () => sx.load({ configPath: configIn(folder), password: saved }))
    expect((await refusal(() => sx.load({ configPath: configIn(folder), password: PASSWORD }))).code).toBe(
      'WrongPassword',
    )
  })

  it('goes from files into a storage and back, byte for byte the same entries', async () => {
    const storage = memoryStorage()
    const agent = new SxAgent({ storage, password: saved })
    agent.importStoreSync(backup)
    agent.loadSync()
    const second = agent.exportStoreSync()
    const folder = newFolder()
    await sx.importStore(second, { configPath: configIn(folder), keyDirectory: './k', dataDirectory: './d/e' })
    await expectWhole(async () => sx.load({ configPath: configIn(folder), password: saved }))
    const tree = Object.keys(treeOf(folder))
    expect(tree.some((path) => path.startsWith('d/e/documents/'))).toBe(true)
    expect(tree.some((path) => path.startsWith('k/sx.private.pem'))).toBe(true)
    const rest = (bytes: Uint8Array): string[] => decoder.decode(bytes).split('\n').slice(2)
    expect(rest(second)).toEqual(rest(backup))
  })

  it('opens with a password that was chosen for the backup, and only with that', async () => {
    await sx.load({ configPath: configIn(home), password: saved })
    const chosen = await sx.exportStore({ password: 'chosen for it' })
    const storage = memoryStorage()
    await sx.importStore(chosen, { storage })
    expect((await refusal(() => sx.load({ storage, password: saved }))).code).toBe('WrongPassword')
    await expectWhole(async () => sx.load({ storage, password: 'chosen for it' }))
    await sx.load({ configPath: configIn(home), password: saved })
  })

  it('takes the default directories where those of the backup were absolute', async () => {
    const [from, to, elsewhere] = [newFolder(), newFolder(), newFolder()]
    await sx.quickstart(
      agentIn(from, { keyDirectory: join(elsewhere, 'keys'), dataDirectory: join(elsewhere, 'data') }),
    )
    const bytes = await sx.exportStore()
    expect(decoder.decode(bytes)).not.toContain(elsewhere)
    await sx.importStore(bytes, { configPath: configIn(to) })
    expect((await sx.load({ configPath: configIn(to), password: PASSWORD })).keyDirectory).toBe(join(to, 'sx_keys'))
  })

  it('never overwrites: it names what stands there, and changes nothing', async () => {
    const [entry = ''] = /documents\/..\/[0-9a-f-]{36}\.2\.json/.exec(text) ?? []
    const inTheWay: Record<string, string> = {
      'sx.config.json': '{}',
      'sx.config.json.agent': '{}',
      'sx_keys/sx.private.pem': 'mine',
      'sx_keys/sx.public.pem': 'mine',
      [`sx_keys/${billing.id}.public.pem`]: 'mine',
      [`sx_keys/${billing.trusted}.public.pem`]: 'mine',
      [`sx_data/${entry}`]: '{}',
      [`sx_data/documents/${billing.document.slice(0, 2)}/${billing.document}.13.json`]: '{}',
      [`sx_data/documents/${billing.document.slice(0, 2)}/${billing.document}.latest`]: '12',
      [`sx_data/trust/${billing.document}.1.json`]: '{}',
    }
    for (const [path, content] of Object.entries(inTheWay)) {
      const folder = newFolder()
      mkdirSync(join(folder, path, '..'), { recursive: true })
      writeFileSync(join(folder, path), content)
      const before = treeOf(folder)
      const { code, message } = await refusal(() => sx.importStore(backup, { configPath: configIn(folder) }))
      expect([path, code]).toEqual([path, 'AlreadyExists'])
      expect(message).toContain(path.split('/').at(-1)?.replace('.agent', ''))
      expect(treeOf(folder)).toEqual(before)
    }
    expect((await refusal(() => sx.importStore(backup, { configPath: configIn(home) }))).code).toBe('AlreadyExists')
  })

  it('leaves alone what is nobody else’s', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'sx_data', 'documents'), { recursive: true })
    mkdirSync(join(folder, 'sx_keys'))
    writeFileSync(join(folder, 'sx_data', 'documents', '.DS_Store'), 'mine')
    writeFileSync(join(folder, 'sx_keys', '.sx_password'), saved)
    await sx.importStore(backup, { configPath: configIn(folder) })
    await expectWhole(async () => sx.load(configIn(folder)))
    expect(readFileSync(join(folder, 'sx_data', 'documents', '.DS_Store'), 'utf8')).toBe('mine')
  })

  it('refuses options that it does not know, and directories outside', async () => {
    const storage = memoryStorage()
    const attempt = (options: object): Promise<SxError> =>
      refusal(() => sx.importStore(backup, { storage, ...options }))
    expect(await attempt({ overwrite: true })).toMatchObject({ code: 'InvalidOption' })
    expect(await attempt({ configPath: 17 })).toMatchObject({ code: 'InvalidOption' })
    expect(await attempt({ dataDirectory: '../out' })).toMatchObject({ code: 'InvalidOption' })
    expect(await attempt({ keyDirectory: '/etc' })).toMatchObject({ code: 'InvalidConfig' })
    expect(await attempt({ configPath: '../sx.config.json' })).toMatchObject({ code: 'InvalidId' })
    expect((await refusal(() => sx.importStoreSync(new Blob([]) as never, { storage }))).code).toBe('InvalidOption')
    expect((await refusal(() => sx.importStore('./nowhere.json', { storage }))).code).toBe('NotFound')
    expect(count(storage)).toBe(0)
  })
})

describe('a damaged backup', () => {
  const lines = (): string[] => text.split('\n')
  const refused = async (bytes: Uint8Array | string): Promise<SxError> => {
    const storage = memoryStorage()
    const error = await refusal(() =>
      sx.importStore(typeof bytes === 'string' ? encoder.encode(bytes) : bytes, { storage }),
    )
    expect(count(storage)).toBe(0)
    return error
  }
  const nameIn = (line = ''): string => /"([^"]+)"/.exec(line)?.[1] ?? ''

  it('is refused wherever it is cut off, and the sentence says where', async () => {
    for (let at = 1; at < 12; at++) {
      const size = Math.floor((backup.length * at) / 12)
      const { code, message } = await refused(backup.slice(0, size))
      expect([at, code]).toEqual([at, 'CorruptStore'])
      const line = decoder.decode(backup.slice(0, size)).split('\n').length - 1
      expect(message).toContain(line === 0 ? 'manifest' : `entry ${line}`)
    }
    for (const size of [0, 1, backup.length - 4, backup.length - 1]) {
      expect((await refused(backup.slice(0, size))).code).toBe('CorruptStore')
    }
    const whole = lines().slice(0, 6).join('\n')
    expect((await refused(`${whole}\n`)).message).toContain(`after entry 5, ${nameIn(lines()[5])}`)
  })

  it('is refused for every flipped bit that was tried, and the entry is named', async () => {
    const ends = lines().map((line) => encoder.encode(line).length + 1)
    for (const at of [1, 2, 3, 5, 16, 19]) {
      const start = ends.slice(0, at).reduce((sum, length) => sum + length, 0)
      for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
        const broken = backup.slice()
        const place = start + Math.floor((ends[at] ?? 0) * part)
        broken[place] = (broken[place] ?? 0) ^ 1
        const { code, message } = await refused(broken)
        expect(code).toBe('CorruptStore')
        expect(message).toMatch(new RegExp(`entry ${at}|Entry ${at}|${nameIn(lines()[at]).replaceAll('.', '\\.')}`))
      }
    }
  })

  it('is refused if entries are left out, repeated, moved, renamed or added', async () => {
    const changed = (change: (all: string[]) => void): string => {
      const all = lines()
      change(all)
      return all.join('\n')
    }
    const cases = {
      'left out': changed((all) => void all.splice(5, 1)),
      'left out at the end': changed((all) => void all.splice(19, 1)),
      repeated: changed((all) => void all.splice(5, 0, all[5] ?? '')),
      moved: changed((all) => void all.splice(2, 2, all[3] ?? '', all[2] ?? '')),
      'followed by something': `${text}x`,
      'followed by a line': `${text}\n`,
      'another format': text.replace('"sxBackup":1', '"sxBackup":2'),
      'with white space': text.replace('\n,[', '\n, ['),
      'with an escape': text.replace('"config"', '"\\u0063onfig"'),
      'with a byte order mark': `\ufeff${text}`,
    }
    for (const [what, given] of Object.entries(cases)) {
      expect([what, (await refused(given)).code]).toEqual([what, 'CorruptStore'])
    }
  })

  it('is refused if its names lead anywhere else', async () => {
    const [, , third = ''] = lines()
    const name = nameIn(third.replace(/^,/, ''))
    for (const other of [
      '../sx.config.json',
      'keys/../../x.public.pem',
      '/etc/passwd',
      'keys/.sx_password',
      'keys/sx.private.pem.2',
      'output/x.json',
      `documents/zz/${billing.document}.1.json`,
      `documents/${billing.document.slice(0, 2)}/${billing.document}.01.json`,
      `documents/${billing.document.slice(0, 2)}/${billing.document}.latest`,
      'keys/..\\x.public.pem',
    ]) {
      const { code, message } = await refused(text.replace(JSON.stringify(name), JSON.stringify(other)))
      expect([other, code]).toEqual([other, 'CorruptStore'])
      expect(message).toContain('entry')
    }
  })

  it('is refused with a manifest that its agent was asked to sign as a document', async () => {
    await sx.load({ configPath: configIn(home), password: saved })
    const forged = lines()
    const [, entry = ''] = /^,(.*)$/.exec(forged[2] ?? '') ?? []
    const [name, , key] = JSON.parse(entry) as [string, string, string]
    expect(name).toBe('private.pem')
    const hash = (given: string): string => createHash('sha256').update(given).digest('hex')
    const stranger = key.replace('-----\n', '-----\n\n')
    forged[2] = `,${JSON.stringify([name, hash(`${name}\n${stranger}`), stranger])}`
    const sums = forged.slice(1, -2).map((line) => (JSON.parse(line.replace(/^,/, '')) as string[])[1])
    const body = { entries: sums.length, sha256: hash(sums.map((sum) => `${sum}\n`).join('')) }
    const reserved = expect.objectContaining({ name: 'SxError', code: 'ReservedField' }) as unknown
    const asked = { ...body, sxType: 'sx-backup' }
    await expect(sx.createDocument(asked)).rejects.toEqual(reserved)
    await expect(sx.createDocument(JSON.stringify(asked))).rejects.toEqual(reserved)
    await expect(sx.createDocument(body, { type: 'sx-backup' })).rejects.toEqual(reserved)
    const manifest = await sx.createDocument(body, { type: 'backup', noSave: true })
    forged[0] = `{"sxBackup":1,"manifest":${manifest},"entries":[`
    expect((await refused(forged.join('\n'))).message).toContain('not signed by its agent')
  })

  it('is refused with the manifest of another backup, or of another agent', async () => {
    await sx.load({ configPath: configIn(home), password: saved })
    await sx.signMessage({ later: true })
    const later = decoder.decode(await sx.exportStore()).split('\n')
    const mixed = [later[0], ...lines().slice(1)].join('\n')
    expect(await refused(mixed)).toMatchObject({
      code: 'CorruptStore',
      message: expect.stringContaining('manifest') as string,
    })
    await sx.create({ name: 'Other', algorithm: 'ed25519', password: PASSWORD, storage: memoryStorage() })
    const [, contents = ''] = /"entries":(\d+,.*?"sha256":"[0-9a-f]{64}")/.exec(later[0] ?? '') ?? []
    expect(contents).not.toBe('')
    const other = decoder.decode(await sx.exportStore()).split('\n')
    expect((await refused([other[0], ...lines().slice(1)].join('\n'))).message).toContain('not signed by its agent')
  })
})

describe('an import that breaks off', () => {
  it('leaves no agent, and is finished by importing the same backup again', async () => {
    const written = memoryStorage()
    await sx.importStore(backup, { storage: written })
    const total = count(written)
    for (let room = 0; room < total + 8; room++) {
      const inner = memoryStorage()
      let left = room
      const limited: Storage = {
        capabilities: { ...inner.capabilities, sync: false },
        get: (key) => inner.get(key),
        put: async (key, bytes, options) => {
          if (left === 0) throw new SxError('StorageFull')
          left -= 1
          return inner.put(key, bytes, options)
        },
        delete: (key) => inner.delete(key),
        list: (prefix, options) => inner.list(prefix, options),
        flush: () => inner.flush(),
        close: () => inner.close(),
      }
      const failure = await sx.importStore(backup, { storage: limited }).then(
        () => undefined,
        (error: unknown) => error as SxError,
      )
      if (failure !== undefined) {
        expect(failure.code).toBe('StorageFull')
        expect((await refusal(() => sx.load({ storage: inner, password: saved }))).code).toBe('NotFound')
        await sx.importStore(backup, { storage: inner })
      }
      await expectWhole(async () => sx.load({ storage: inner, password: saved }))
      if (failure === undefined) return
      if (room > 3) room += 5 // each world derives a key
    }
    throw new Error('It never succeeded.')
  })
})
