// What a page has of its own: no folders, no files, and a storage that has to be opened.
import { expect, it } from 'vitest'
import { platform } from '../../browser/platform.ts'
import { SxAgent } from '../../src/index.ts'
import { init, load, quickstart, quickstartSync, verifyStandalone } from '../../src/simple.ts'

const failsWith = (code: string): unknown => expect.objectContaining({ name: 'SxError', code })

it('has no storage before an asynchronous call has opened it', async () => {
  expect(() => verifyStandalone('{}')).toThrow(failsWith('NotInitialized'))
  // Not NotInitialized: init() alone would not help, the asynchronous function does both.
  expect(() => new SxAgent().loadSync()).toThrow(failsWith('SyncStorageUnavailable'))
  await init()
  expect(() => new SxAgent().loadSync()).toThrow(failsWith('SyncStorageUnavailable'))
  await expect(load('none.json')).rejects.toEqual(failsWith('NotFound'))
  expect(() => new SxAgent().loadSync('none.json')).toThrow(failsWith('NotFound'))
})

it('keeps an agent under a name, and opens it synchronously with a password', async () => {
  const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', configPath: 'sync/sx.config.json' } as const
  expect(() => quickstartSync(options)).toThrow(failsWith('SyncStorageUnavailable')) // the vault needs time
  const { agentId, publicKeyPath } = await quickstart({ ...options, password: 'correct horse' })
  expect(publicKeyPath).toBe('sync/sx_keys/sx.public.pem')
  const agent = new SxAgent({ password: 'correct horse' })
  agent.loadSync(options.configPath)
  expect(agent.getAgentInfo()?.agentId).toBe(agentId)
})

it('refuses folders and files, and takes keys by value', async () => {
  await init()
  expect(() => verifyStandalone('{}', { keyDirectory: './sx_keys' })).toThrow(failsWith('InvalidOption'))
  expect(() => verifyStandalone('{}', { dataDirectory: './sx_data' })).toThrow(failsWith('InvalidOption'))
  expect(() => platform.readFile('agent.json', 1)).toThrow(failsWith('InvalidOption'))
  expect(verifyStandalone('{}', { keyDirectory: {} })).toMatchObject({ valid: false })
})

it('reads no environment', () => {
  expect(platform.environment()).toEqual({})
})
