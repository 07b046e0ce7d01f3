// Backups and keys over time: of which moment one is, whose key vouches for it, and what it says of its age.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { SxAgent, type SxError } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage, type Storage, type SyncStorage } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { remote } from '../unit/remote.ts'
import { PASSWORD, refusal } from './fixtures.ts'

const decoder = new TextDecoder()
const encoder = new TextEncoder()
const options = { name: 'Billing', algorithm: 'ed25519', password: PASSWORD, env: {} } as const

/** A storage that lists slowly: whatever there is to do is done before the first document is listed. */
function slow(inner: SyncStorage, meanwhile: () => Promise<unknown>): Storage {
  return remote(inner, {
    list: async function* (prefix, how) {
      if (prefix.includes('documents')) await meanwhile()
      yield* inner.listSync(prefix, how)
    },
  })
}

/** Restores a backup and opens it; what it says, and the agent. */
async function restored(backup: Uint8Array, password = PASSWORD): Promise<{ info: sx.RestoredAgent; agent: SxAgent }> {
  const agent = new SxAgent({ storage: memoryStorage(), password, env: {} })
  const info = await agent.importStore(backup)
  await agent.load()
  expect(await agent.verify((await agent.signMessage('works')).raw)).toMatchObject({ valid: true })
  return { info, agent }
}

describe('K03 a backup that is made while the agent changes', () => {
  it.each([undefined, 'chosen for it'])('K03 is of the new key, with the password %s', async (password) => {
    const inner = memoryStorage()
    let rotations = 0
    const storage = slow(inner, async () => {
      if (rotations++ === 0) await agent.rotateKey({ reason: 'compromised' })
    })
    const { agent } = await SxAgent.create({ ...options, storage })
    const former = agent.getAgentInfo()?.keyId ?? ''
    const backup = await agent.exportStore(password === undefined ? {} : { password })
    const { keyId = '' } = agent.getAgentInfo() ?? {}
    expect(keyId).not.toBe(former)
    const again = await restored(backup, password)
    expect(again.info).toMatchObject({ keyId, keyIds: [former, keyId] })
    expect(rotations).toBe(2)
  })

  it('K03 is refused with Busy where the key is rotated each time', async () => {
    let isRotating = false // a rotation lists the documents, too
    const storage = slow(memoryStorage(), async () => {
      if (isRotating) return
      isRotating = true
      await agent.rotateKey()
      isRotating = false
    })
    const { agent } = await SxAgent.create({ ...options, storage })
    await refusal(() => agent.exportStore(), 'Busy')
  })

  it('K03 is refused where another process rotates the key', async () => {
    const inner = memoryStorage()
    const { agent } = await SxAgent.create({ ...options, storage: inner })
    const storage = slow(inner, async () => {
      if (!agent.getAgentInfo()?.keyIds[1]) await agent.rotateKey()
    })
    const other = new SxAgent({ storage, password: PASSWORD, env: {} })
    await other.load()
    await refusal(() => other.exportStore(), 'KeyRevoked')
    await other.load()
    const { info } = await restored(await other.exportStore())
    expect(info.keyIds).toHaveLength(2)
  })

  it('K03 has the new password where that is changed meanwhile', async () => {
    let isChanged = false
    const storage = slow(memoryStorage(), async () => {
      if (!isChanged) await agent.reencryptKey(PASSWORD, 'another one')
      isChanged = true
    })
    const { agent } = await SxAgent.create({ ...options, storage })
    const { agentId } = (await restored(await agent.exportStore(), 'another one')).info
    expect(agentId).toBe(agent.getAgentInfo()?.agentId)
  })

  it('K03 holds the version of the agent document that another process has made with the same key', async () => {
    const storage = memoryStorage()
    const { agent } = await SxAgent.create({ ...options, storage })
    const other = new SxAgent({ storage, password: PASSWORD, env: {} })
    await other.load()
    await other.updateAgent({ ...JSON.parse(other.exportAgent()), name: 'Renamed' })
    const { info } = await restored(await agent.exportStore())
    expect(info.name).toBe('Renamed')
    expect((await restored(agent.exportStoreSync())).info.name).toBe('Renamed')
  })
})

/** JSON as RFC 8785 has it, as far as these documents need it. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

type Members = Record<string, unknown> & { sxSignature: Record<string, string> }

/** Signs a document again, as `docs/protocol.md` says, by a key that was taken from somewhere. */
function signed(document: Members, key: KeyObject): string {
  const { sxSignature, sxSha256: _, ...bare } = document
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const keyId = createHash('sha256')
    .update(canonical({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
  const unsigned: Record<string, string> = { ...sxSignature, keyId }
  delete unsigned['signature']
  const hashed = { ...bare, sxSha256: sha256(canonical(bare)) }
  const payload = canonical({ ...hashed, sxSignature: unsigned })
  const statement = `SXv2 14 sx-document-v1 ${Buffer.byteLength(payload)} ${payload}`
  const signature = sign(null, Buffer.from(statement), key).toString('base64')
  return canonical({ ...hashed, sxSignature: { ...unsigned, signature } })
}

/** A backup with other entries and another manifest, which a key signs. */
function forged(
  backup: Uint8Array,
  key: KeyObject,
  { manifest: change = {}, more = [] }: { manifest?: Partial<Members>; more?: (readonly [string, string])[] },
): Uint8Array {
  const { manifest, entries } = JSON.parse(decoder.decode(backup)) as { manifest: Members; entries: string[][] }
  for (const [name, text] of more) entries.push([name, sha256(`${name}\n${text}`), text])
  const contents = { entries: entries.length, sha256: sha256(entries.map(([, sum]) => `${sum}\n`).join('')) }
  const by = { ...manifest.sxSignature, ...change.sxSignature }
  const text = signed({ ...manifest, ...contents, ...change, sxSignature: by }, key)
  const lines = entries.map((entry) => JSON.stringify(entry)).join('\n,')
  return encoder.encode(`{"sxBackup":1,"manifest":${text},"entries":[\n${lines}\n]}\n`)
}

interface Thief {
  readonly key: KeyObject
  readonly agent: SxAgent
  readonly storage: SyncStorage
  readonly early: Uint8Array
}

/** An agent whose key somebody else has, and an early backup of it. */
async function stolen(): Promise<Thief> {
  const { privateKey: key } = generateKeyPairSync('ed25519')
  const pem = key.export({ format: 'pem', type: 'pkcs8' }).toString()
  const storage = memoryStorage()
  const { agent } = await SxAgent.create({ ...options, importKey: { pem }, storage })
  return { key, agent, storage, early: await agent.exportStore() }
}

/** What a backup is refused with as damaged; nothing is written then. */
async function faultOf(backup: Uint8Array): Promise<string> {
  const storage = memoryStorage()
  const { message } = await refusal(() => sx.importStore(backup, { storage }), 'CorruptStore')
  expect([...storage.listSync([])]).toEqual([])
  return message
}

describe('K04 the manifest of a backup', () => {
  it('K04 is not signed by a key that was retired, backdated or not, and nothing is written', async () => {
    const { key, agent, early } = await stolen()
    const { agent: accomplice } = await SxAgent.create({ ...options, name: 'Accomplice', storage: memoryStorage() })
    const trust = [`trust/${accomplice.getAgentInfo()?.agentId}.1.json`, accomplice.exportAgent()] as const
    await agent.rotateKey()
    const late = await agent.exportStore()
    const { manifest } = JSON.parse(decoder.decode(early)) as { manifest: Members }
    const { sxVersionDate, sxSignature } = manifest
    const date = sxVersionDate as string
    const backdated = { sxVersionDate: date, sxOriginalDate: date, sxSignature: { date } }
    expect(await faultOf(forged(late, key, { more: [trust], manifest: backdated }))).toContain('is not the current one')
    expect(await faultOf(forged(late, key, { more: [trust] }))).toContain('is not the current one')
    const ofFirst = { ...backdated, sxSignature: { date, agentVersion: sxSignature['agentVersion'] ?? '' } }
    expect(await faultOf(forged(late, key, { more: [trust], manifest: ofFirst }))).toContain('is not the current one')
    // As long as it was the current one it could, and the result says of when that is.
    const { info } = await restored(forged(early, key, { more: [trust] }))
    expect(info).toMatchObject({ keyIds: [info.keyId], savedAt: date, entries: 4 })
  })

  it.each<[string, Partial<Members>, string]>([
    ['a third member', { third: 1 }, "has an unknown member 'third'"],
    ['a member of an image', { content: 'x' }, "has an unknown member 'content'"],
    ['another level', { sxLevel: 'config' }, 'its manifest is malformed'],
    ['another schema', { $schema: 'https://example.com/x' }, 'its manifest is malformed'],
    ['another count', { entries: 7 }, 'its entries do not match'],
    ['another hash', { sha256: '0'.repeat(64) }, 'its entries do not match'],
    ['another type', { sxType: 'backup' }, 'not signed by its agent'],
    [
      'another version of the agent document',
      { sxSignature: { agentVersion: '00000000-0000-4000-8000-000000000001' } },
      'the latest version of the agent document',
    ],
    ['another agent', { sxSignature: { agentID: '00000000-0000-4000-8000-000000000001' } }, 'not signed by its agent'],
  ])('is refused with %s, and nothing is written', async (_, manifest, why) => {
    const { key, early } = await stolen()
    await restored(forged(early, key, {})) // what is changed is what is refused
    expect(await faultOf(forged(early, key, { manifest }))).toContain(why)
  })

  it('is refused with the key of somebody else', async () => {
    const { early } = await stolen()
    expect(await faultOf(forged(early, generateKeyPairSync('ed25519').privateKey, {}))).toContain(
      'is not the current one',
    )
  })
})

describe('K11 a backup from before a rotation', () => {
  it('K11 says when it was made, by which key, and what to do', async () => {
    const { agent, early } = await stolen()
    const first = agent.getAgentInfo()?.keyId ?? ''
    const { keyId } = await agent.rotateKey()
    const { info } = await restored(early)
    expect(info).toMatchObject({ keyId: first, keyIds: [first] })
    expect(info.warnings).toEqual([
      { code: 'BackupOutdated', message: expect.stringContaining(info.savedAt) as string },
    ])
    expect(info.warnings[0]?.message).toContain(first)
    const late = await restored(await agent.exportStore())
    expect(late.info).toMatchObject({ keyId, keyIds: [first, keyId] })
    expect(late.info.warnings[0]?.message).toContain(`the last of its 2 keys, ${keyId}`)
    expect([info, info.keyIds, info.warnings, info.warnings[0]].every(Object.isFrozen)).toBe(true)
    // What the warning is about: those who know the newer key refuse the former one's next rotation.
    const { agent: other } = await SxAgent.create({ ...options, name: 'Other', storage: memoryStorage() })
    other.trustAgent(agent.exportAgent())
    const { agent: rival } = await restored(early)
    const { agent: document } = await rival.rotateKey()
    expect(() => other.trustAgent(document)).toThrow(expect.objectContaining({ code: 'KeyConflict' }) as SxError)
  })
})
