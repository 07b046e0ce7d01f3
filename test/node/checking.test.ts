// What can be asked before somebody signs or trusts: no agent is loaded.
import { readFileSync } from 'node:fs'
import { SxAgent } from 'sx-agent'
import { checkImage, checkSchema, checkSchemaSync, readAgent } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, refusal } from './fixtures.ts'

const image = (name: string): Uint8Array =>
  readFileSync(new URL(`../../wasm/media/tests/data/${name}`, import.meta.url))

let agent: SxAgent
beforeAll(async () => {
  const options = { name: 'A', domain: 'example.com', algorithm: 'ed25519', password: PASSWORD } as const
  ;({ agent } = await SxAgent.create({ ...options, storage: memoryStorage() }))
})

describe('checkImage', () => {
  it.each(['rgb.png', 'texture.jpg', 'lossy.webp'])(
    'takes %s, signed or not, unless a signature is to stay',
    async (name) => {
      await checkImage(image(name))
      const signed = await agent.signImage(image(name), null)
      await checkImage(signed)
      await refusal(() => checkImage(signed, { refuseOverwrite: true }), 'AlreadySigned')
      await checkImage(image(name), { refuseOverwrite: true })
    },
  )

  it('refuses what signImage refuses, with the same sentence', async () => {
    const cases: Uint8Array[] = [
      new TextEncoder().encode('a text'),
      new Uint8Array(),
      image('rgb.png').subarray(0, 60),
      image('texture.jpg').subarray(0, 100),
    ]
    for (const bytes of cases) {
      const { code, message } = await refusal(() => agent.signImage(bytes, null), 'Unsupported')
      expect((await refusal(() => checkImage(bytes), code)).message).toBe(message)
    }
    await refusal(() => checkImage('./nowhere.png'), 'NotFound')
  })
})

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://shop.example.com/schemas/order/v1/order.schema.json',
  allOf: [
    { $ref: 'urn:sx-agent:schemas/header/v1/header.schema.json' },
    { type: 'object', properties: { amount: { type: 'number', minimum: 0 }, name: { type: 'string' } } },
  ],
}

describe('checkSchema', () => {
  it('says all that does not fit, of a document that nobody has to know', async () => {
    const raw = await agent.createDocument({ amount: 1, name: 'a' }, { schema })
    await checkSchema(raw, { schema })
    checkSchemaSync(raw, { schema })
    const changed = raw.replace('"amount":1', '"amount":-1').replace('"name":"a"', '"name":7')
    for (const check of [checkSchema, async (...given: Parameters<typeof checkSchema>) => checkSchemaSync(...given)]) {
      const { details } = await refusal(() => check(changed, { schema }), 'SchemaViolation')
      expect(details?.map(({ path }) => path).sort()).toEqual(['/amount', '/name'])
    }
  })

  it('refuses a schema that cannot be used, and what is no document', async () => {
    const raw = await agent.createDocument({ amount: 1 }, { schema })
    await refusal(() => checkSchema(raw, { schema: { ...schema, allOf: [] } }), 'InvalidSchema')
    await refusal(() => checkSchema(raw, { schema: './nowhere.schema.json' }), 'NotFound')
    const { found } = await refusal(() => checkSchema('./order.json', { schema }), 'NotJson')
    expect(found).toContain('looks like the path of a file')
  })
})

describe('readAgent', () => {
  it('says whose a document is, which nobody has to trust', () => {
    const { agentId, keyId } = agent.getAgentInfo() ?? {}
    expect(readAgent(agent.exportAgent())).toEqual({ agentId, name: 'A', keyId, keyIds: [keyId] })
  })

  it('says what was passed in place of an agent document', async () => {
    const text = agent.exportAgent()
    const pem = await refusal(() => readAgent(agent.getPublicKey()), 'InvalidAgent')
    expect(pem.found).toContain('The input is a PEM key, not an agent document.')
    const path = await refusal(() => readAgent('./agent.json'), 'NotJson')
    expect(path.found).toContain('looks like the path of a file')
    await refusal(() => readAgent(text.replace('"A"', '"B"')), 'BadSignature')
    const { raw } = await agent.signMessage(1)
    await refusal(() => readAgent(raw), 'InvalidAgent')
  })
})
