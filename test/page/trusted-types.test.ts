// W07: workers of a page whose policy requires Trusted Types.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'

const policy = [
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:",
  "require-trusted-types-for 'script'; trusted-types app",
].join('; ')

let site: Site
let url: string
let context: BrowserContext
beforeAll(async () => {
  if (hasNoBrowser) return
  site = await Site.open()
  url = await site.under(policy)
})
afterEach(() => site?.leave(context))
afterAll(() => site?.close())

async function visit(): Promise<{ page: Page; workers: () => number }> {
  context = await site.emptied()
  const page = await site.probe(context, url)
  let count = 0
  page.on('worker', () => {
    count += 1
  })
  return { page, workers: () => count }
}

describe.skipIf(hasNoBrowser)("W07 under require-trusted-types-for 'script'", () => {
  it('W07 a worker without a policy is refused with its cause and what to do, and keys are derived in the page', async () => {
    const { page, workers } = await visit()
    const found = await page.evaluate(async () => {
      const { createWorkerAgent, create } = window.sx
      const error: unknown = await createWorkerAgent().catch((error: unknown) => error)
      const { code, message, cause } = error as Error & { code: string }
      await create({ name: 'A', algorithm: 'ed25519', password: 'a long one' })
      return { code, message, cause: String(cause) }
    })
    expect(found).toEqual({
      code: 'WorkerUnavailable',
      message: expect.stringMatching(/requires Trusted Types .*`trustedTypes`/) as string,
      cause: expect.stringMatching(/^TypeError: .*TrustedScriptURL/) as string,
    })
    expect(workers()).toBe(0)
  })

  it.each(['init', 'createWorkerAgent'])('W07 all workers run by a policy that was passed to %s', async (where) => {
    const { page, workers } = await visit()
    const found = await page.evaluate(async (where) => {
      const { sx } = window
      const seen: string[] = []
      const { trustedTypes: types } = window as unknown as {
        trustedTypes: { createPolicy(name: string, rules: object): { createScriptURL(url: string): unknown } }
      }
      const trustedTypes = types.createPolicy('app', {
        createScriptURL: (url: string) => {
          seen.push(url)
          if (new URL(url).origin !== location.origin) throw new TypeError(url)
          return url
        },
      })
      if (where === 'init') await sx.init({ trustedTypes })
      const agent = await sx.createWorkerAgent(where === 'init' ? {} : { trustedTypes })
      const { agentId } = await agent.create({ name: 'A', algorithm: 'ed25519', password: 'a long one' })
      const { valid } = await agent.verify((await agent.signMessage({ n: 1 })).raw)
      await agent.close()
      await sx.load({ password: 'a long one' }) // derived by a worker, too
      return { agentId, valid, seen: seen.length, isWorker: Worker.name }
    }, where)
    expect(found).toEqual({ agentId: expect.any(String) as string, valid: true, seen: 2, isWorker: 'Worker' })
    expect(workers()).toBeGreaterThanOrEqual(2)
  })

  it('W07 a policy that refuses the address is named, and what is no policy is refused', async () => {
    const { page } = await visit()
    const found = await page.evaluate(async () => {
      const { sx } = window
      const refuse = (): never => {
        throw new TypeError('never')
      }
      return [
        await sx.outcome(() => sx.createWorkerAgent({ trustedTypes: { createScriptURL: refuse } })),
        await sx.outcome(() => sx.init({ trustedTypes: {} as never })),
      ]
    })
    expect(found).toEqual([
      { code: 'WorkerUnavailable', message: expect.stringContaining('does not allow the address') as string },
      { code: 'InvalidOption', message: expect.stringContaining('createScriptURL') as string },
    ])
  })
})
