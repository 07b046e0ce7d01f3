// Where what is signed and verified comes from: blobs, responses and addresses, from a server that answers well and badly.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type FetchOptions, SxAgent, type SxErrorCode } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { close } from '../../src/operations/closing.ts'
import { entrance, type Session, untilClosed } from '../../src/session.ts'
import { Answering, SLOW_PAUSE } from '../answering.ts'
import { PASSWORD, refusal } from './fixtures.ts'

const photo = new Uint8Array(
  readFileSync(fileURLToPath(new URL('../../wasm/media/tests/data/photo.jpg', import.meta.url))),
)
/** Bytes that a text may have here. */
const LIMIT = 1 << 20

let agent: SxAgent
let server: Answering
let signed: { image: Uint8Array<ArrayBuffer>; text: Uint8Array<ArrayBuffer> }
beforeAll(async () => {
  const made = { name: 'Camera', algorithm: 'ed25519', password: PASSWORD, limits: { bytes: LIMIT } } as const
  agent = (await SxAgent.create({ ...made, storage: memoryStorage() })).agent
  signed = { image: await agent.signImage(photo, null), text: await agent.signText({ text: 'Dear all\n' }) }
  server = await Answering.start()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.asked.length = 0
  server.closed.length = 0
})

const kinds = ['image', 'text'] as const
type Kind = (typeof kinds)[number]
type Source = Blob | Response | URL | Uint8Array

type Call = (source: Source, options?: FetchOptions) => Promise<unknown>
/** Every function that takes a text or an image. */
const functions: Readonly<Record<Kind, Readonly<Record<string, Call>>>> = {
  image: {
    signImage: (source, options) => agent.signImage(source, null, options),
    verifyImage: (source, options) => agent.verifyImage(source, options),
    imageCapacity: (source, options) => agent.imageCapacity(source, options),
    extractMediaSignature: (source, options) => sx.extractMediaSignature(source, options),
    stripImageSignature: (source, options) => sx.stripImageSignature(source, null, options),
  },
  text: {
    signText: (source, options) => agent.signText(source, options),
    verifyText: (source, options) => agent.verifyText(source, options),
  },
}

async function isValid(kind: Kind, source: Source): Promise<boolean> {
  return (kind === 'image' ? await agent.verifyImage(source) : await agent.verifyText(source)).valid
}

describe.each(kinds)('the source of a signed %s', (kind) => {
  beforeEach(() => {
    server.content = signed[kind]
  })
  const whole: [string, () => Source | Promise<Source>][] = [
    ['bytes', () => signed[kind]],
    ['Blob', () => new Blob([signed[kind].subarray(0, 50), signed[kind].subarray(50)])],
    ['File', () => new File([signed[kind]], 'named.gif', { type: 'image/gif' })],
    ['Response', () => new Response(signed[kind])],
    ['Response of a server', () => fetch(server.url('/whole'))],
    ['clone of a Response', async () => (await fetch(server.url('/whole'))).clone()],
    ['URL', () => server.url('/whole')],
    ['URL of what comes compressed', () => server.url('/zipped')],
    ['URL of what comes in pieces', () => server.url('/pieces')],
    ['URL that leads elsewhere', () => server.url('/moved')],
    [
      'URL of data',
      () => new URL(`data:,${[...signed[kind]].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`),
    ],
    ['URL of a Blob', () => new URL(URL.createObjectURL(new Blob([signed[kind]])))],
  ]
  it.each(whole)('is %s', async (_, make) => {
    expect(await isValid(kind, await make())).toBe(true)
  })

  it('is taken by every function', async () => {
    for (const call of Object.values(functions[kind])) {
      const expected = await call(signed[kind])
      for (const source of [server.url('/whole'), new Response(signed[kind]), new Blob([signed[kind]])]) {
        const result = await call(source)
        expect(typeof result).toBe(typeof expected)
        if (!(result instanceof Uint8Array)) expect(result).toEqual(expected)
        else expect(await isValid(kind, result)).toBe(await isValid(kind, expected as Uint8Array))
      }
    }
  })

  it('is the URL as it was when it was passed', async () => {
    const url = server.url('/whole')
    const verifying = isValid(kind, url)
    url.pathname = '/missing'
    expect(await verifying).toBe(true)
  })

  const refused: [string, () => Source | Promise<Source>, SxErrorCode, RegExp][] = [
    ['nothing that is found', () => server.url('/missing'), 'Unverifiable', /answered 404, not with the whole/],
    ['a Response of that', () => fetch(server.url('/missing')), 'Unverifiable', /answered 404/],
    ['a server that is broken', () => server.url('/broken'), 'Unverifiable', /answered 503/],
    ['a part of it', () => server.url('/part'), 'Unverifiable', /answered 206/],
    ['no content', () => server.url('/none'), 'Unverifiable', /answered 204/],
    ['a circle', () => server.url('/circle'), 'Unverifiable', /^127\.0\.0\.1:\d+ did not answer/],
    ['what is cut off', () => server.url('/cut'), 'Unverifiable', /was not transferred completely/],
    [
      'a server that is not there',
      () => new URL('http://127.0.0.1:9/x?key=secret'),
      'Unverifiable',
      /^\S+ did not answer/,
    ],
    ['a redirect', () => fetch(server.url('/moved'), { redirect: 'manual' }), 'Unverifiable', /answered 302|redirect/],
    ['a request that failed', () => Response.error(), 'Unverifiable', /failed request/],
    ['a Blob that is gone', () => new URL('blob:nodedata:gone'), 'Unverifiable', /nothing at this address/],
    [
      'a file of the machine',
      () => new URL('file:///etc/passwd'),
      'InvalidOption',
      /file: are not supported.*Pass the path of/,
    ],
    ['a script', () => new URL('javascript:alert(1)'), 'InvalidOption', /javascript: are not supported/],
    ['what says that it is too large', () => server.url('/declared'), 'LimitExceeded', /has more than \d+ bytes/],
    [
      'what says that it is too large, and is not there',
      () => new Response('', { headers: { 'Content-Length': '5000000000' } }),
      'LimitExceeded',
      /has more than \d+ bytes/,
    ],
  ]
  it.each(refused)('is never %s', async (_, make, code, found) => {
    for (const [name, call] of Object.entries(functions[kind])) {
      const error = await refusal(async () => call(await make()), code)
      expect(error.found, name).toMatch(found)
      expect(error.message).not.toContain('secret')
    }
    await expect.poll(() => server.asked.length - server.closed.length).toBe(0) // what nobody reads is not sent on
  })

  it('is a Response that nobody has read', async () => {
    const used = new Response(signed[kind])
    const verifying = isValid(kind, used)
    const again = refusal(() => isValid(kind, used), 'Unverifiable')
    expect(await verifying).toBe(true)
    expect((await again).found).toMatch(/was already read\. Pass a clone\(\)/)
    const locked = new Response(signed[kind])
    locked.body?.getReader()
    expect((await refusal(() => isValid(kind, locked), 'Unverifiable')).found).toMatch(/was already read/)
  })

  it('is a Response of bytes that end', async () => {
    const made = (pull: (controller: ReadableStreamDefaultController<unknown>) => void): Response =>
      new Response(new ReadableStream<unknown>({ pull }) as BodyInit)
    const failing = made((controller) => controller.error(new Error('gone')))
    expect((await refusal(() => isValid(kind, failing), 'Unverifiable')).cause).toEqual(new Error('gone'))
    const ofText = made((controller) => controller.enqueue('not bytes'))
    await refusal(() => isValid(kind, ofText), 'Unverifiable')
  })

  it('is what it is, not what passes for it', async () => {
    class Kind404 extends Response {
      override get ok(): boolean {
        return true
      }
      override get status(): number {
        return 200
      }
    }
    await refusal(() => isValid(kind, new Kind404(signed[kind], { status: 404 })), 'Unverifiable')
    for (const type of [Response, URL, Blob]) {
      await refusal(() => isValid(kind, Object.create(type.prototype) as Source), 'InvalidOption')
    }
  })
})

it('is read no further than a text may be long', async () => {
  const error = await refusal(() => agent.verifyText(server.url('/endless')), 'LimitExceeded')
  expect(error.found).toBe(`The text has more than ${LIMIT} bytes.`)
  await expect.poll(() => server.closed).toContain('/endless')
  const pulled: number[] = []
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled.push(1)
      controller.enqueue(new Uint8Array(1 << 16).fill(97))
    },
  })
  await refusal(() => agent.signText(new Response(endless)), 'LimitExceeded')
  expect(pulled.length).toBeLessThan(LIMIT / (1 << 16) + 4)
  const most = new Uint8Array(LIMIT).fill(97)
  expect((await agent.verifyText(new Response(most))).status).toBe('missing_signature')
  await refusal(() => agent.verifyText(new Response(new Uint8Array(LIMIT + 1))), 'LimitExceeded')
})

describe('W08 a call with an address', () => {
  it.each([
    ['verifyImage', 'silent'],
    ['verifyImage', 'halting'],
    ['signImage', 'silent'],
    ['imageCapacity', 'halting'],
    ['signText', 'halting'],
    ['verifyText', 'silent'],
  ] as const)('W08 of %s, whose server is %s, ends with close()', async (name, path) => {
    const options = { name: 'B', algorithm: 'ed25519', password: PASSWORD, storage: memoryStorage() } as const
    const { agent: other } = await SxAgent.create(options)
    server.content = signed.text
    const url = server.url(`/${path}`)
    const call = name === 'signImage' ? other.signImage(url, null) : (other[name](url) as Promise<unknown>)
    const answer = await fetch(server.url('/halting'))
    const passed = other.verifyText(answer)
    await expect.poll(() => server.asked).toContain(`/${path}`)
    await Promise.all([
      expect(call).rejects.toMatchObject({ code: 'NoAgentLoaded', found: 'The agent was closed.' }),
      expect(passed).rejects.toMatchObject({ code: 'NoAgentLoaded', found: 'The agent was closed.' }),
      other.close(),
    ])
    await expect.poll(() => server.closed).toHaveLength(2)
  })
})

it('W08 what a call reads from the network does not begin after close()', async () => {
  const session: Session = { options: {}, loaded: undefined }
  const at = entrance(session)
  await close(session)
  const work = vi.fn<() => Promise<void>>(() => Promise.resolve())
  await expect(untilClosed(at, work)).rejects.toMatchObject({ code: 'NoAgentLoaded', found: 'The agent was closed.' })
  expect(work).not.toHaveBeenCalled()
})

describe.each(kinds)('W09 a server that sends a %s', (kind) => {
  beforeEach(() => {
    server.content = signed[kind]
  })
  const calls = Object.entries(functions[kind])

  it.each(['silent', 'halting'])('W09 and is %s is waited for as long as is said', async (path) => {
    for (const [name, call] of calls) {
      const error = await refusal(() => call(server.url(`/${path}`), { timeout: 50 }), 'TimedOut')
      expect(error.found, name).toBe(`${server.host} sent nothing for 0.05 s.`)
      expect(error.advice).toMatch(/`timeout`/)
    }
    const answer = await fetch(server.url('/halting'))
    for (const [, call] of calls.slice(0, 1)) {
      const error = await refusal(() => call(answer, { timeout: 50 }), 'TimedOut')
      expect(error.found).toBe('The server sent nothing for 0.05 s.')
    }
    await expect.poll(() => server.asked.length - server.closed.length).toBe(0) // nothing is left open
  })

  it('W09 slowly is waited for as long as something comes', async () => {
    // One after the other: what is done with the bytes of one is no reason for another to wait.
    for (const [, call] of calls) {
      await expect(call(server.url('/slow'), { timeout: 7 * SLOW_PAUSE })).resolves.toBeDefined()
    }
  })

  it('W09 is waited for 30 seconds, or without end', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    try {
      for (const [, call] of calls) {
        timers.mockClear()
        await call(server.url('/whole'))
        expect(timers.mock.calls.map(([, time]) => time)).toContain(30_000)
        timers.mockClear()
        await call(server.url('/whole'), { timeout: Number.POSITIVE_INFINITY })
        expect(timers.mock.calls.map(([, time]) => time)).not.toContain(30_000)
      }
    } finally {
      timers.mockRestore()
    }
  })

  it('W09 is let go of by a signal, with its reason', async () => {
    const reason = new Error('not wanted')
    for (const [name, call] of calls) {
      for (const path of ['/silent', '/halting']) {
        server.asked.length = 0
        const controller = new AbortController()
        const outcome = call(server.url(path), { signal: controller.signal }).catch((error: unknown) => error)
        await expect.poll(() => server.asked).toContain(path)
        controller.abort(reason)
        expect(await outcome, name).toBe(reason)
      }
      server.asked.length = 0
      for (const source of [server.url('/whole'), signed[kind], new Response(signed[kind])]) {
        await expect(call(source, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
      }
      expect(server.asked).toEqual([])
    }
  })

  it('W09 takes a signal and a number of milliseconds, and nothing else', async () => {
    for (const [, call] of calls) {
      for (const timeout of [0, -1, Number.NaN, '30', null] as number[]) {
        await refusal(() => call(signed[kind], { timeout }), 'InvalidOption')
      }
      await refusal(() => call(signed[kind], { signal: {} as AbortSignal }), 'InvalidOption')
      await refusal(() => call(signed[kind], { timeOut: 1 } as FetchOptions), 'InvalidOption')
    }
  })
})
