// What is said of an agent, a key or a backup before anything is opened.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { configIn, newFolder, refusal, treeOf } from './fixtures.ts'

const password = 'correct horse battery staple'

beforeEach(() => {
  vi.stubEnv('SX_PRIVATE_KEY_PASSWORD', undefined)
  vi.stubEnv('SX_SAVE_PASSWORD_FILE', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await sx.close()
})

async function made(folder = newFolder()): Promise<{ folder: string; info: sx.CreatedAgentInfo }> {
  const options = { name: 'Billing', algorithm: 'ed25519', password, configPath: configIn(folder) } as const
  return { folder, info: await sx.create(options) }
}

describe('findAgent', () => {
  it('finds nothing where nothing is, and writes nothing', async () => {
    const folder = newFolder()
    const nothing = { hasConfig: false, agentId: undefined, passwordFrom: undefined, passwordPath: undefined }
    const found = await sx.findAgent({ configPath: configIn(folder) })
    expect(found).toEqual({ configPath: configIn(folder), ...nothing })
    expect(Object.isFrozen(found)).toBe(true)
    expect(treeOf(folder)).toEqual(treeOf(newFolder()))
  })

  it('says where the password comes from, in the order of load, and never which it is', async () => {
    const { folder, info } = await made()
    const configPath = configIn(folder)
    const passwordFile = join(folder, 'sx_keys', '.sx_password')
    const found = async (options: sx.FindAgentOptions = {}): Promise<unknown> => {
      const one = await sx.findAgent({ configPath, ...options })
      expect(sx.findAgentSync({ configPath, ...options })).toEqual(one)
      expect(JSON.stringify(one)).not.toContain('secret')
      expect(one).toMatchObject({ hasConfig: true, agentId: info.agentId })
      return [one.passwordFrom, one.passwordPath]
    }
    expect(await found()).toEqual([undefined, undefined])
    writeFileSync(passwordFile, 'secret of the file')
    expect(await found()).toEqual(['file', passwordFile])
    const config = JSON.parse(readFileSync(configPath, 'utf8')) as object
    writeFileSync(configPath, JSON.stringify({ ...config, sxPrivateKeyPassword: 'secret of the configuration' }))
    expect(await found()).toEqual(['config', configPath])
    expect(await found({ env: { SX_PRIVATE_KEY_PASSWORD: 'secret' } })).toEqual(['environment', undefined])
    vi.stubEnv('SX_PRIVATE_KEY_PASSWORD', 'secret')
    expect(await found()).toEqual(['environment', undefined])
    expect(await found({ env: {} })).toEqual(['config', configPath])
    expect(await found({ password: 'secret' })).toEqual(['argument', undefined])
  })

  it('knows a configuration that is prepared for an agent, and an agent in a storage', async () => {
    const folder = newFolder()
    writeFileSync(configIn(folder), createConfig())
    expect(await sx.findAgent({ configPath: configIn(folder) })).toMatchObject({ hasConfig: true, agentId: undefined })
    const storage = memoryStorage()
    const { agentId } = await sx.create({ name: 'Billing', algorithm: 'ed25519', password, storage })
    expect(await sx.findAgent({ storage, env: {} })).toMatchObject({ agentId, passwordFrom: undefined })
  })

  it('names a saved password that is empty or no text, as load does', async () => {
    const { folder } = await made()
    const configPath = configIn(folder)
    const passwordFile = join(folder, 'sx_keys', '.sx_password')
    for (const [content, code, found] of [
      ['', 'PasswordRequired', `The password file ${passwordFile} is empty.`],
      [Uint8Array.of(0xff), 'CorruptStore', `The password file ${passwordFile} is not UTF-8 text.`],
    ] as const) {
      writeFileSync(passwordFile, content)
      expect(await refusal(() => sx.findAgent({ configPath }), code)).toMatchObject({ code, found })
      expect(await refusal(() => sx.load(configPath), code)).toMatchObject({ code, found })
      expect(await sx.findAgent({ configPath, password })).toMatchObject({ passwordFrom: 'argument' })
    }
  })

  it('refuses what is no configuration, and options that it does not have', async () => {
    const folder = newFolder()
    writeFileSync(configIn(folder), '[')
    await refusal(() => sx.findAgent({ configPath: configIn(folder) }), 'InvalidConfig')
    await refusal(() => sx.findAgent({ verifyOnly: true } as object), 'InvalidOption')
    await refusal(() => sx.findAgent({ configPath: 17 as never }), 'InvalidOption')
  })
})

describe('keys', () => {
  it('are listed oldest first, with what has revoked them', async () => {
    const { info } = await made()
    expect(sx.listKeys()).toEqual([{ keyId: info.keyId, algorithm: 'ed25519' }])
    const { keyId, revokedAt } = await sx.rotateKey({ algorithm: 'pq2025', password })
    const former = { keyId: info.keyId, algorithm: 'ed25519', revoked: { at: revokedAt, reason: 'superseded' } }
    expect(sx.listKeys()).toEqual([former, { keyId, algorithm: 'pq2025' }])
    await sx.revokeKey({ statement: await sx.createRevocation() })
    expect(sx.listKeys()).toMatchObject([former, { keyId, revoked: { reason: 'compromised' } }])
    expect(sx.listKeys().every((key) => Object.isFrozen(key))).toBe(true)
  })

  it('have the id of their PEM', async () => {
    const { info } = await made()
    expect(sx.getKeyId(sx.getPublicKey())).toBe(info.keyId)
    for (const bad of ['', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n']) {
      await refusal(() => sx.getKeyId(bad), 'InvalidKey')
    }
    await refusal(() => sx.getKeyId(17 as never), 'InvalidOption')
  })
})

it('an agent says where its data are', async () => {
  const { folder, info } = await made()
  expect(info.dataDirectory).toBe(join(folder, 'sx_data'))
  const storage = memoryStorage()
  const options = { name: 'Billing', algorithm: 'ed25519', password, storage, dataDirectory: './deep/data' } as const
  expect((await SxAgent.create(options)).dataDirectory).toBe('deep/data')
})

describe('verifyBackup', () => {
  it('says what importStore says, and writes nothing', async () => {
    const { folder, info } = await made()
    const backup = await sx.exportStore()
    const before = treeOf(folder)
    await sx.close()
    const said = await sx.verifyBackup(backup)
    expect(said).toMatchObject({ agentId: info.agentId, keyId: info.keyId, name: 'Billing' })
    expect(treeOf(folder)).toEqual(before)
    writeFileSync(join(folder, 'backup.json'), backup)
    expect(await sx.verifyBackup(join(folder, 'backup.json'))).toEqual(said)
    expect(sx.verifyBackupSync(backup)).toEqual(said)
    const { configPath: _, ...restored } = await sx.importStore(backup, { configPath: configIn(newFolder()) })
    expect(restored).toEqual(said)
  })

  it('refuses what importStore refuses', async () => {
    await made()
    const backup = await sx.exportStore()
    const changed = Uint8Array.from(backup)
    changed[backup.length - 20] = (changed[backup.length - 20] ?? 0) ^ 1
    for (const bad of [backup.slice(0, -9), changed, new TextEncoder().encode('{}')]) {
      await refusal(() => sx.verifyBackup(bad), 'CorruptStore')
    }
    await refusal(() => sx.verifyBackup('./nowhere.json'), 'NotFound')
    await refusal(() => sx.verifyBackup('{"sxBackup":1}'), 'InvalidOption')
  })
})
