// The examples for Deno and Bun, in these: their programs are large, and downloaded for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { begin } from '../../scripts/matrix/processes.mjs'
import { tool } from '../../scripts/matrix/tools.mjs'
import { readPage } from '../docs/markdown.ts'
import { ask, environment, exampleProject, printed } from './project.ts'

const SIGN_TOKEN = 'a token for tests'

describe.each(['deno', 'bun'])('examples/%s', (name) => {
  let project: string
  let remove: () => Promise<void>

  beforeAll(async () => {
    ;({ project, remove } = await exampleProject(name))
  })

  afterAll(() => remove())

  /** Runs the server by the command of the page about the examples. */
  async function serving<T>(work: (url: string) => Promise<T>): Promise<T> {
    const commands = readPage('examples/README.md').text.match(new RegExp(`^${name} .*server\\.js$`, 'm')) ?? []
    const [, ...args] = (commands[0] ?? '').split(' ')
    expect(args.at(-1)).toBe('server.js')
    const env = environment(project, { SX_PRIVATE_KEY_PASSWORD: 'a password for tests', SIGN_TOKEN, PORT: '0' })
    const { output, stop } = begin(tool(name) ?? '', args, { cwd: project, env })
    try {
      return await work(await printed(output, /Listening on (http:\S+)/))
    } finally {
      stop()
    }
  }

  it('signs and verifies, and is the same agent the next time', async () => {
    const first = await serving(async (url) => {
      const { text: signed } = await ask(url, ['POST', '/sign'], '{"amount":1}', SIGN_TOKEN)
      const { json } = await ask(url, ['POST', '/verify'], signed)
      expect(json).toMatchObject({ valid: true, trusted: true, data: { amount: 1 } })
      expect((await ask(url, ['POST', '/verify'], '{}')).json).toMatchObject({ valid: false, code: 'MissingSignature' })
      expect((await ask(url, ['POST', '/sign'], '{"amount":1}')).status).toBe(401)
      expect((await ask(url, ['GET', '/other'])).status).toBe(404)
      return signed
    })
    await serving(async (url) => {
      expect((await ask(url, ['POST', '/verify'], first)).json).toMatchObject({ valid: true, trusted: true })
    })
  })
})
