// What the specification says outside of its tables of functions: states, passwords, limits, versions.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as main from 'sx-agent'
import { SxAgent, SxError } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { beforeEach, describe, expect, it } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD } from '../node/fixtures.ts'

let folder: string
beforeEach(() => {
  folder = newFolder()
})

it('spec 3 create, updateAgent: from an agent that is loaded to another one, and to a later version of it', async () => {
  await sx.quickstart(agentIn(folder))
  const { agentId } = await sx.create({ ...agentIn(join(folder, 'other')), name: 'Shipping' })
  expect(sx.isLoaded()).toBe(true)
  expect(sx.getAgentInfo()).toMatchObject({ agentId, name: 'Shipping' })
  const before = JSON.parse(sx.exportAgent()) as Record<string, unknown>
  const after = JSON.parse(await sx.updateAgent({ ...before, description: 'Sends parcels.' })) as typeof before
  expect(after).toMatchObject({ sxId: agentId, description: 'Sends parcels.' })
  expect(after['sxVersion']).not.toBe(before['sxVersion'])
  expect(await sx.verifySelf()).toMatchObject({ valid: true })
})

describe('spec 5', () => {
  const options = () =>
    ({ name: 'Billing', domain: 'example.com', algorithm: 'ed25519', configPath: configIn(folder) }) as const

  it('spec 5 env-password: the password comes from SX_PRIVATE_KEY_PASSWORD', async () => {
    const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD }
    expect(await sx.quickstart({ ...options(), env })).not.toHaveProperty('generatedPassword')
    await sx.load(configIn(folder), { password: PASSWORD, env: {} })
    await sx.load(configIn(folder), { env })
    await expect(sx.load(configIn(folder), { env: {} })).rejects.toMatchObject({ code: 'PasswordRequired' })
  })

  it('spec 5 config-password: the password comes from the configuration', async () => {
    await sx.quickstart(agentIn(folder))
    const fields = JSON.parse(readFileSync(configIn(folder), 'utf8')) as object
    writeFileSync(configIn(folder), JSON.stringify({ ...fields, sxPrivateKeyPassword: PASSWORD }), { mode: 0o600 })
    await sx.load(configIn(folder), { env: {} })
    const wrong = { env: { SX_PRIVATE_KEY_PASSWORD: 'another one' } }
    await expect(sx.load(configIn(folder), wrong)).rejects.toMatchObject({ code: 'WrongPassword' })
  })

  it('spec 5 saved-password: a password that was made is saved in sx_keys where that is asked for', async () => {
    const env = { SX_SAVE_PASSWORD_FILE: 'true' }
    await sx.quickstart({ ...options(), env })
    const saved = readFileSync(join(folder, 'sx_keys', '.sx_password'), 'utf8')
    await sx.load(configIn(folder), { env: {} })
    await sx.load(configIn(folder), { password: saved, env: {} })
    const unsaved = newFolder()
    const { generatedPassword = '' } = await sx.quickstart({ ...options(), configPath: configIn(unsaved), env: {} })
    expect(existsSync(join(unsaved, 'sx_keys', '.sx_password'))).toBe(false)
    await sx.load(configIn(unsaved), { password: generatedPassword, env: {} })
  })
})

describe('spec 8', () => {
  it('spec 8 embed: a file is in its document only where that is asked for', async () => {
    await sx.quickstart(agentIn(folder))
    const path = join(folder, 'note.txt')
    writeFileSync(path, 'Dear all\n')
    const [without, within] = [
      await sx.verify((await sx.signFile(path)).raw),
      await sx.verify((await sx.signFile(path, true)).raw),
    ]
    expect(without.attachments).toMatchObject([{ embedded: false }])
    expect(without.attachments[0]?.content).toBeUndefined()
    expect(within.attachments).toMatchObject([{ embedded: true, content: Buffer.from('Dear all\n') }])
  })

  it('spec 8 robust-formats: the pixels of PNG and JPEG are signed, those of WebP are not', async () => {
    await sx.quickstart(agentIn(folder))
    const image = (name: string) => fileURLToPath(new URL(`../../wasm/media/tests/data/${name}`, import.meta.url))
    for (const name of ['interlaced.png', 'texture.jpg']) {
      await sx.signImage(image(name), join(folder, name), { robust: true })
      await sx.stripImageSignature(join(folder, name), join(folder, 'stripped'))
      expect(await sx.verifyImage(join(folder, 'stripped'))).toMatchObject({ status: 'valid', coverage: 'pixels' })
    }
    await expect(sx.signImage(image('lossy.webp'), join(folder, 'a.webp'), { robust: true })).rejects.toMatchObject({
      code: 'Unsupported',
    })
  })
})

it('spec 9 deprecated-functions: the functions of the module that its methods replace say so if asked to', async () => {
  const names =
    'load signAgent verifyString signString verifyAgent updateAgent verifyDocument updateDocument verifySignature createAgreement signAgreement createDocument checkAgreement signRequest verifyResponse verifyResponseWithAgentId'
  const said: string[] = []
  const listen = (warning: Error & { code?: string }): void => void said.push(warning.code ?? '')
  process.on('warning', listen)
  try {
    await sx.quickstart(agentIn(folder, { env: { SX_SHOW_DEPRECATIONS: '1' } }))
    const called = names
      .split(' ')
      .flatMap((name) => [name, ...(`${name}Sync` in SxAgent.prototype ? [`${name}Sync`] : [])])
    for (const name of called) {
      expect(SxAgent.prototype).toHaveProperty(name, expect.any(Function))
      const f = (main as unknown as Record<string, () => unknown>)[name]
      // With nothing: what it does is tested elsewhere.
      const refused = await Promise.resolve()
        .then(() => f?.())
        .then(
          () => undefined,
          (error: unknown) => error,
        )
      expect(refused === undefined || refused instanceof SxError).toBe(true)
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(said).toEqual(called.map((name) => `DEPRECATED_${name}`))
  } finally {
    process.off('warning', listen)
  }
})

it('spec 9 header-path: the version of the schema for headers is in its path', async () => {
  await sx.quickstart(agentIn(folder))
  const { $schema } = JSON.parse((await sx.signMessage({ amount: 1 })).raw) as { $schema: string }
  expect($schema).toContain('/header/v1/')
  const schema = fileURLToPath(new URL('../../schemas/header/v1/header.schema.json', import.meta.url))
  expect(JSON.parse(readFileSync(schema, 'utf8'))).toHaveProperty('$id', $schema)
})
