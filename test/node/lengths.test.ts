// Texts as long as the engine makes them are refused, and not copied into the core.
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentIn, configIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'

const OPTIONS = 'name domain description agentType algorithm configPath dataDirectory keyDirectory'.split(' ')

let root: string
let agent: SxAgent
let document: sx.SignedDocument
let before: Record<string, string>
beforeAll(async () => {
  root = newFolder()
  await sx.create(agentIn(join(root, 'agent')))
  document = await sx.signMessage({ a: 1 })
  agent = new SxAgent({ password: PASSWORD, env: {} })
  await agent.load(config())
  before = treeOf(root)
})

afterAll(() => {
  expect(treeOf(root)).toEqual(before)
})

const config = (): string => configIn(join(root, 'agent'))
const fresh = (more: object): sx.QuickstartOptions => agentIn(join(root, 'fresh'), more)

describe('a text of the greatest length', () => {
  const giant = 'a'.repeat(2 ** 29 - 24)

  it('is refused as an option of a new agent, by the name of the option', async () => {
    for (const name of OPTIONS) {
      for (const make of [sx.create, sx.quickstart, sx.createSync, sx.quickstartSync]) {
        const { message } = await refusal(() => make(fresh({ [name]: giant })), 'InvalidOption')
        expect(message).toContain(`The option '${name}' has more than 1048576 characters.`)
      }
    }
    const { message } = await refusal(() => sx.create(fresh({ importKey: { pem: giant } })), 'InvalidOption')
    expect(message).toContain("'importKey.pem'")
  })

  it('is refused as a path', async () => {
    for (const call of [
      () => sx.load(giant),
      () => sx.loadSync(giant),
      () => agent.load(giant),
      () => agent.verifyAgent(giant),
      () => sx.verifyStandalone(document.raw, { dataDirectory: giant }),
      () => sx.verifyStandalone(document.raw, { keyDirectory: giant }),
    ]) {
      const { message } = await refusal(call, 'InvalidOption')
      expect(message).toContain('A path has more than 32767 characters.')
    }
  })

  it('is refused in what is signed, also if only its JSON text is so long', async () => {
    await sx.load({ ...agentIn(join(root, 'agent')), limits: { bytes: 2 ** 30 } })
    const control = '\u0001'.repeat(100_000_000)
    for (const value of [giant, { [giant]: 1 }, control]) await refusal(() => sx.signMessage(value), 'LimitExceeded')
    await sx.load(agentIn(join(root, 'agent')))
  })
})
