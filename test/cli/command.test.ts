// Agents that a command opens are let go of, whatever comes of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSigner, withAgent, withSigner, withVerifier } from '../../node/cli/command.ts'
import type { SxAgent } from '../../src/agent.ts'
import { Place } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const config = place.at('sx.config.json')
const options = { input: false, config }

beforeAll(async () => {
  await place.quickstart()
  process.env['SX_PRIVATE_KEY_PASSWORD'] = 'correct horse'
})
afterAll(() => {
  delete process.env['SX_PRIVATE_KEY_PASSWORD']
  place.remove()
})

const replaceClose = (agent: SxAgent, value: () => Promise<void>): void => {
  Object.defineProperty(agent, 'close', { value })
}

type Opening = <T>(work: (agent: SxAgent) => Promise<T>) => Promise<T>
const openings: [string, Opening][] = [
  ['withVerifier', (work) => withVerifier(config, work)],
  ['withSigner', (work) => withSigner(options, config, async () => {}, work)],
  ['withAgent', async (work) => withAgent((await openSigner(options)).agent, work)],
]

describe.each(openings)('%s', (_, open) => {
  it('closes the agent after the work', async () => {
    let used: SxAgent | undefined
    const answer = await open(async (agent) => {
      used = agent
      return agent.isLoaded()
    })
    expect({ answer, after: used?.isLoaded() }).toEqual({ answer: true, after: false })
  })

  it('closes it after work that fails, and reports that', async () => {
    let used: SxAgent | undefined
    const failing = open(async (agent) => {
      used = agent
      const close = agent.close.bind(agent)
      replaceClose(agent, async () => {
        await close()
        throw new Error('the close')
      })
      throw new Error('the work')
    })
    await expect(failing).rejects.toThrow('the work')
    expect(used?.isLoaded()).toBe(false)
  })

  it('reports that letting go of it failed', async () => {
    const failing = open(async (agent) => {
      replaceClose(agent, () => Promise.reject(new Error('the close')))
    })
    await expect(failing).rejects.toThrow('the close')
  })
})

describe('an option with a value', () => {
  it.each([
    ['--key', ['verify', '--key', 'a.pem', '--key', 'b.pem', 'x.json']],
    ['--config', ['--config', 'a.json', 'agent', 'show', '--config', 'b.json']],
    ['--output', ['agent', 'export', '-o', 'a.json', '--output=b.json']],
  ])('%s is refused if it is there twice', async (option, words) => {
    const { exit, stderr } = await place.sx(words)
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: expect.stringContaining(`${option} was passed twice`) as string,
    })
  })

  it('names no file by an empty text', async () => {
    const { exit, stderr } = await place.sx(['verify', '--key', '', 'x.json'])
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('its name is empty') as string })
  })
})
