// What tests of texts and images in a page do in it, and a server of another origin.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Answering } from '../answering.ts'
import { hasNoBrowser, Site } from './site.ts'

const photo = readFileSync(fileURLToPath(new URL('../../wasm/media/tests/data/photo.jpg', import.meta.url)))

let site: Site
/** Another origin. */
let server: Answering
/** The policy of the page, and what its servers have to send. */
let url: string

let context: BrowserContext
let page: Page

/** Opens the site for the tests of a file, and leaves each profile after its test. */
export function sourced(): void {
  beforeAll(async () => {
    if (hasNoBrowser) return
    server = await Answering.start()
    site = await Site.open()
    url = await site.under(
      `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src data:; connect-src 'self' blob: data: http://${server.host}`,
    )
  })
  afterAll(async () => {
    await site?.close()
    await server?.stop()
  })
  beforeEach(async () => {
    if (hasNoBrowser) return
    context = await site.emptied()
    page = await site.probe(context, url)
  })
  afterEach(() => site?.leave(context))
}

export type Kind = 'image' | 'text'

/** Makes an agent in the page, or in a worker of it, and gives what it has signed. */
async function signedIn(page: Page, kind: Kind, inWorker: boolean): Promise<Buffer> {
  const bytes = await page.evaluate(
    async ([kind, photo, inWorker]) => {
      const { sx } = window
      const options = { name: 'Camera', domain: 'example.com', algorithm: 'ed25519' } as const
      const agent = inWorker ? await sx.createWorkerAgent() : sx
      await agent.quickstart(options)
      const original = Uint8Array.from(atob(photo), (character) => character.charCodeAt(0))
      const signed =
        kind === 'image'
          ? await agent.signImage(new File([original], 'photo.jpg'), null)
          : await agent.signText(new File(['Dear all\n'], 'letter.txt'))
      const verify = async (source: Blob | Response | URL | Uint8Array): Promise<boolean> => {
        const result = kind === 'image' ? await agent.verifyImage(source) : await agent.verifyText(source)
        if (!Object.isFrozen(result) || !Object.isFrozen(result.errors)) throw new Error('It can be changed.')
        return result.valid
      }
      Object.assign(window, { verify, signed, closing: () => agent.close() })
      return Array.from(signed as Uint8Array)
    },
    [kind, photo.toString('base64'), inWorker] as const,
  )
  return Buffer.from(bytes)
}

export interface Prepared {
  readonly verify: (source: Blob | Response | URL | Uint8Array) => Promise<boolean>
  readonly signed: Uint8Array<ArrayBuffer>
}

const failure = (code: string, found: RegExp): object => ({
  code,
  message: expect.stringMatching(found) as string,
})

/** Tests of what was signed, in the page or in a worker of it. */
export function testsOfSources(...rows: [kind: Kind, inWorker: boolean][]): void {
  describe.skipIf(hasNoBrowser).each(rows)('a signed %s, verified in a worker: %s', (kind, inWorker) => {
    it('comes from whatever holds it', async () => {
      server.content = await signedIn(page, kind, inWorker)
      const found = await page.evaluate(async (address) => {
        const { verify, signed } = window as unknown as Prepared
        const held = new Blob([signed])
        const object = URL.createObjectURL(held)
        const outcomes = {
          bytes: await verify(signed),
          blob: await verify(held),
          file: await verify(new File([held], 'x.gif', { type: 'image/gif' })),
          response: await verify(new Response(held)),
          answer: await verify(await fetch(`${address}whole?open`)),
          address: await verify(new URL(`${address}whole?open`)),
          compressed: await verify(new URL(`${address}zipped?open`)),
          inPieces: await verify(new URL(`${address}pieces?open`)),
          object: await verify(new URL(object)),
        }
        URL.revokeObjectURL(object)
        return outcomes
      }, server.url('/').href)
      expect(Object.entries(found).filter(([, valid]) => !valid)).toEqual([])
    })

    it('is nothing that the browser shows to nobody, or the server has not sent', async () => {
      server.content = await signedIn(page, kind, inWorker)
      const outcomes = await page.evaluate(async (address) => {
        const { verify, signed } = window as unknown as Prepared
        const { outcome } = window.sx
        const revoked = URL.createObjectURL(new Blob([signed]))
        URL.revokeObjectURL(revoked)
        const read = new Response(signed)
        await read.blob()
        const from = (path: string) => outcome(() => verify(new URL(path, address)))
        const answered = async (path: string, init: RequestInit) => {
          const response = await fetch(new URL(path, address), init)
          return outcome(() => verify(response))
        }
        return {
          closed: await from('whole'), // without Access-Control-Allow-Origin
          opaque: await answered('whole', { mode: 'no-cors' }),
          moved: await answered('moved?open', { redirect: 'manual' }),
          missing: await from('missing?open'),
          part: await from('part?open'),
          cut: await from('cut?open'),
          declared: await from('declared?open'),
          circle: await from('circle?open'),
          forbidden: await outcome(() => verify(new URL('http://localhost:9/'))),
          revoked: await outcome(() => verify(new URL(revoked))),
          read: await outcome(() => verify(read)),
          file: await outcome(() => verify(new URL('file:///etc/passwd'))),
        }
      }, server.url('/').href)
      expect(outcomes).toEqual({
        closed: failure('Unverifiable', /^Unverifiable: \S+ did not answer.*\(CORS\)/),
        opaque: failure('Unverifiable', /no-cors/),
        moved: failure('Unverifiable', /redirect that was not followed/),
        missing: failure('Unverifiable', /answered 404/),
        part: failure('Unverifiable', /answered 206/),
        cut: failure('Unverifiable', /was not transferred completely/),
        declared: failure('LimitExceeded', /has more than \d+ bytes/),
        circle: failure('Unverifiable', /^Unverifiable: \S+ did not answer/),
        forbidden: failure('Unverifiable', /a policy forbids/),
        revoked: failure('Unverifiable', /nothing at this address/),
        read: failure('Unverifiable', /was already read/),
        file: failure('InvalidOption', /file: are not supported/),
      })
    })
  })
}

/** Tests of calls that wait for a server, of an agent in the page or in a worker of it. */
export function testsOfClosing(...rows: [kind: Kind, inWorker: boolean, path: string][]): void {
  describe.skipIf(hasNoBrowser)('W08 a call with an address', () => {
    it.each(rows)(
      'W08 of an %s, of an agent in a worker: %s, whose server is %s, ends with close()',
      async (kind, inWorker, path) => {
        server.asked.length = 0
        server.closed.length = 0
        server.content = await signedIn(page, kind, inWorker)
        await page.evaluate(
          async ([address, path]) => {
            const { verify } = window as unknown as Prepared
            const { outcome } = window.sx
            const answer = await fetch(`${address}halting?open`)
            const open = Promise.all([
              outcome(() => verify(new URL(`${address}${path}?open`))),
              outcome(() => verify(answer)),
            ])
            Object.assign(window, { open })
          },
          [server.url('/').href, path] as const,
        )
        await expect.poll(() => server.asked).toContain(`/${path}`)
        const outcomes = await page.evaluate(async () => {
          const { closing, open } = window as unknown as { closing: () => Promise<void>; open: Promise<unknown> }
          await closing()
          return open
        })
        const ended = failure('NoAgentLoaded', /^NoAgentLoaded: The agent was closed/)
        expect(outcomes).toEqual([ended, ended])
        await expect.poll(() => server.closed).toHaveLength(2) // nothing is fetched on
      },
    )
  })
}
