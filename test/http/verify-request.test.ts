// Requests, signed by one agent and verified by another one.
import { type SxAgent, SxError } from 'sx-agent'
import { memoryReplayStore, type RequestParts, type VerifyRequestOptions, verifyRequest } from 'sx-agent/http'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { newAgent } from './agents.ts'

const ORIGIN = 'https://api.example.com'
const URL_ = `${ORIGIN}/orders?b=2&a=1`
const BODY = '{"qty":1,"note":"€"}'

let shop: SxAgent
let api: SxAgent

beforeAll(async () => {
  shop = await newAgent('Shop')
  api = await newAgent('API')
  api.trustAgent(shop.exportAgent())
})

afterEach(() => {
  vi.useRealTimers()
})

interface Sent {
  method: string
  url: string
  body: string
  audience: string
}

type SignedRequest = Omit<RequestParts, 'headers'> & { headers: { authorization: string } }

async function signedBy(agent: SxAgent, sent: Partial<Sent> = {}): Promise<SignedRequest> {
  const { method = 'POST', url = URL_, body = BODY, audience = ORIGIN } = sent
  const authorization = await agent.buildRequestAuthHeader(method, url, body, audience)
  return { method, url, body, headers: { authorization } }
}

const policy = (more: Partial<VerifyRequestOptions> = {}): VerifyRequestOptions => ({
  agent: api,
  publicOrigin: ORIGIN,
  replayStore: memoryReplayStore(),
  ...more,
})

async function codeOf(request: Request | RequestParts, more: Partial<VerifyRequestOptions> = {}): Promise<string> {
  const result = await verifyRequest(request, policy(more))
  return result.ok ? 'ok' : result.code
}

const other = (part: Partial<RequestParts>) => async (): Promise<string> =>
  codeOf({ ...(await signedBy(shop)), ...part })

describe('a request', () => {
  it('is accepted with who has signed it, and with its body', async () => {
    const result = await verifyRequest(await signedBy(shop), policy())
    expect(result).toMatchObject({ ok: true, signerName: 'Shop', audience: ORIGIN })
    if (!result.ok) return
    expect(result.signerId).toBe(shop.getAgentInfo()?.agentId)
    expect(result.keyId).toBe(shop.getAgentInfo()?.keyId)
    expect(new TextDecoder().decode(result.body)).toBe(BODY)
    expect(result.nonce).toMatch(/^[\w-]{22}$/)
    expect(Math.abs(Date.parse(result.issuedAt) - Date.now())).toBeLessThan(60_000)
  })

  it('is accepted as a Request of fetch, whose body is read', async () => {
    const { headers } = await signedBy(shop)
    const request = new Request(URL_, { method: 'POST', body: BODY, headers })
    expect(await codeOf(request)).toBe('ok')
    expect(request.bodyUsed).toBe(true)
    expect(await verifyRequest(request, policy())).toMatchObject({ code: 'BodyAlreadyConsumed', status: 500 })
  })

  it('is accepted with a key of ML-DSA-87, in a header that usual proxies let pass', async () => {
    const agent = await newAgent('Large', 'pq2025')
    api.trustAgent(agent.exportAgent())
    const request = await signedBy(agent)
    expect(request.headers.authorization).toHaveLength(6640)
    expect(await codeOf(request)).toBe('ok')
  })

  it('is signed at once, too', () => {
    expect(shop.buildRequestAuthHeaderSync('GET', URL_, null, ORIGIN)).toMatch(/^SX v2\.[\w-]+\.[\w-]{86}$/)
  })

  it('without a body is accepted', async () => {
    const request = await signedBy(shop, { method: 'get', body: '' })
    expect(await codeOf({ ...request, body: null })).toBe('ok')
    expect(await codeOf(new Request(URL_, { headers: request.headers }))).toBe('ok')
  })

  it('may come as the target of its request line', async () => {
    expect(await other({ url: '/orders?b=2&a=1' })()).toBe('ok')
  })
})

describe('what a signature is bound to', () => {
  it.each<[string, string, Partial<RequestParts>]>([
    ['R01 another method', 'MethodMismatch', { method: 'PUT' }],
    ['R02 another value in the query', 'UrlMismatch', { url: `${ORIGIN}/orders?b=3&a=1` }],
    ['R03 another order of the query', 'UrlMismatch', { url: `${ORIGIN}/orders?a=1&b=2` }],
    ['R04 no query', 'UrlMismatch', { url: `${ORIGIN}/orders` }],
    ['R09 a target that a server might resolve', 'UrlMismatch', { url: '/x/../orders?b=2&a=1' }],
    ['R10 two slashes for one', 'UrlMismatch', { url: '//orders?b=2&a=1' }],
    ['R11 one byte of the body', 'BodyMismatch', { body: BODY.replace('1', '2') }],
    ['R11 another order of keys', 'BodyMismatch', { body: '{"note":"€","qty":1}' }],
    ['R12 a newline at the end', 'BodyMismatch', { body: `${BODY}\n` }],
    ['R12 a byte order mark', 'BodyMismatch', { body: `\uFEFF${BODY}` }],
    ['R13 no body', 'BodyMismatch', { body: null }],
  ])('%s is %s', async (_, code, part) => {
    expect(await other(part)()).toBe(code)
  })

  it('R04 the question mark alone counts', async () => {
    const request = await signedBy(shop, { url: `${ORIGIN}/orders` })
    expect(await codeOf({ ...request, url: `${ORIGIN}/orders?` })).toBe('UrlMismatch')
  })

  it('R05, R06 scheme and port count, as the server knows them', async () => {
    expect(await codeOf(await signedBy(shop, { url: URL_.replace('https', 'http') }))).toBe('UrlMismatch')
    expect(await codeOf(await signedBy(shop, { url: URL_.replace('.com', '.com:8443') }))).toBe('UrlMismatch')
  })

  it('R07, R08 the case of the host and the fragment do not count', async () => {
    const request = await signedBy(shop, { url: `HTTPS://API.Example.com:443/v1/../orders?b=2&a=1#top` })
    expect(await codeOf({ ...request, url: URL_ })).toBe('ok')
  })

  it('R13 a lone surrogate in a body is refused when it is signed', async () => {
    await expect(signedBy(shop, { body: '\ud800' })).rejects.toMatchObject({ code: 'NotJson' })
  })

  it('R15, R16 audiences are compared byte for byte', async () => {
    for (const audience of [
      'https://other.example.com',
      `${ORIGIN}/`,
      'https://API.example.com',
      'https://api.example.co',
    ]) {
      expect([audience, await codeOf(await signedBy(shop, { audience }))]).toEqual([audience, 'WrongAudience'])
    }
    expect(await codeOf(await signedBy(shop, { audience: 'b' }), { audience: ['a', 'b'] })).toBe('ok')
  })

  it('R34 what headers say of the host has no effect', async () => {
    const request = await signedBy(shop)
    const headers = {
      ...request.headers,
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
    }
    expect(await codeOf({ ...request, headers })).toBe('ok')
    const absolute = { ...request, url: 'https://evil.example/orders?b=2&a=1' }
    expect(await codeOf(absolute, { publicOrigin: 'https://other.example', audience: ORIGIN })).toBe('UrlMismatch')
  })

  it('R39 a header that overrides the method has no effect', async () => {
    const request = await signedBy(shop)
    expect(await codeOf({ ...request, headers: { ...request.headers, 'X-HTTP-Method-Override': 'DELETE' } })).toBe('ok')
  })
})

describe('the header', () => {
  const withHeader = async (change: (value: string) => unknown): Promise<string> => {
    const request = await signedBy(shop)
    return codeOf({ ...request, headers: { authorization: change(request.headers.authorization) as string } })
  }

  it.each<[string, string, (value: string) => unknown]>([
    ['none', 'Missing', () => undefined],
    ['R26 two headers', 'Malformed', (value) => [value, value]],
    ['R27 two values in one', 'Malformed', (value) => `${value}, ${value}`],
    ['R28 another case', 'Malformed', (value) => value.replace('SX v2', 'sx V2')],
    ['R19 padding', 'Malformed', (value) => `${value}=`],
    ['R19 white space', 'Malformed', (value) => `${value} `],
    ['R29 the old format', 'UnboundRejected', () => `SX ${'0'.repeat(36)}:1795186159:c2ln`],
    ['R36 more than 8,175 bytes', 'TooLarge', () => 'a'.repeat(8176)],
    ['R36 a megabyte', 'TooLarge', (value) => value.repeat(2000)],
    [
      'a changed signature',
      'BadSignature',
      (value) => `${value.slice(0, -3)}${value.at(-3) === 'A' ? 'B' : 'A'}${value.slice(-2)}`,
    ],
  ])('%s is %s', async (_, code, change) => {
    expect(await withHeader(change)).toBe(code)
  })

  it('R21, R23, R24 claims that name another algorithm, key or agent', async () => {
    const mallory = await newAgent('Mallory')
    const [, claims = '', signature = ''] = (await signedBy(mallory)).headers.authorization.split('.')
    const text = Buffer.from(claims, 'base64url').toString()
    const forged = (from: string | undefined, to: string | undefined): string =>
      `SX v2.${Buffer.from(text.replace(from ?? '', to ?? '')).toString('base64url')}.${signature}`
    const [own, victim] = [mallory.getAgentInfo(), shop.getAgentInfo()]
    expect(await withHeader(() => forged('ed25519', 'pq2025'))).toBe('Malformed') // it has another length
    expect(await withHeader(() => forged(own?.agentId, victim?.agentId))).toBe('KeyMismatch')
    expect(await withHeader(() => forged(own?.keyId, victim?.keyId))).toBe('UnknownSigner')
    const both = forged(own?.agentId, victim?.agentId).split('.')[1] ?? ''
    const named = Buffer.from(both, 'base64url')
      .toString()
      .replace(own?.keyId ?? '', victim?.keyId ?? '')
    expect(await withHeader(() => `SX v2.${Buffer.from(named).toString('base64url')}.${signature}`)).toBe(
      'BadSignature',
    )
  })

  it('R25 an agent that is not known or not trusted', async () => {
    const stranger = await newAgent('Stranger')
    expect(await codeOf(await signedBy(stranger))).toBe('UnknownSigner')
    api.trustAgent(stranger.exportAgent())
    expect(await codeOf(await signedBy(stranger))).toBe('ok')
    const request = await signedBy(stranger)
    api.untrustAgent(stranger.getAgentInfo()?.agentId ?? '')
    expect(await codeOf(request)).toBe('UnknownSigner')
  })
})

describe('time', () => {
  it('R30, T37 the edges of the clock', async () => {
    const start = 1_795_186_159_000
    vi.useFakeTimers({ now: start, toFake: ['Date'] })
    const agent = await newAgent('Clock')
    api.trustAgent(agent.exportAgent())
    const request = await signedBy(agent)
    for (const [seconds, code] of [
      [300, 'ok'],
      [301, 'Expired'],
      [-60, 'ok'],
      [-61, 'NotYetValid'],
    ] as const) {
      vi.setSystemTime(start + seconds * 1000)
      expect([seconds, await codeOf(request)]).toEqual([seconds, code])
    }
  })

  it('a key that was revoked as compromised signs nothing that counts, whatever the date', async () => {
    const agent = await newAgent('Robbed')
    api.trustAgent(agent.exportAgent())
    const request = await signedBy(agent)
    expect(await codeOf(request, { consume: false })).toBe('ok')
    await agent.rotateKey({ reason: 'compromised' })
    api.trustAgent(agent.exportAgent())
    expect(await codeOf(request)).toBe('KeyRevoked')
    expect(await codeOf(await signedBy(agent))).toBe('ok')
  })

  it('trust that is removed while the body comes counts', async () => {
    const agent = await newAgent('Slow')
    api.trustAgent(agent.exportAgent())
    const { headers } = await signedBy(agent)
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          api.untrustAgent(agent.getAgentInfo()?.agentId ?? '')
          controller.enqueue(new TextEncoder().encode(BODY))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const request = new Request(URL_, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
    expect(await codeOf(request)).toBe('UnknownSigner')
  })

  it('a signature that expires while the body comes has expired', async () => {
    const start = Date.now()
    vi.useFakeTimers({ now: start, toFake: ['Date'] })
    const { headers } = await signedBy(shop)
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          vi.setSystemTime(start + 302_000)
          controller.enqueue(new TextEncoder().encode(BODY))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const request = new Request(URL_, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
    expect(await codeOf(request)).toBe('Expired')
  })
})

describe('replays', () => {
  it.each([null, 3, 'x', { foo: 1 }, { capacity: 0 }, { capacity: 1.5 }])('a store of %j is refused', (options) => {
    expect(() => memoryReplayStore(options as object)).toThrow(expect.objectContaining({ code: 'InvalidOption' }))
  })

  it('R17, R18 a request is accepted once by all servers of a store', async () => {
    const options = policy()
    const request = await signedBy(shop)
    expect(await verifyRequest(request, options)).toMatchObject({ ok: true })
    expect(await verifyRequest(request, options)).toMatchObject({ ok: false, code: 'Replay', status: 401 })
    expect(await verifyRequest(request, policy())).toMatchObject({ ok: true })
  })

  it('R41 a gate does not use a request up', async () => {
    const options = policy()
    const request = await signedBy(shop)
    const codes: string[] = []
    for (const consume of [false, true, true]) {
      const result = await verifyRequest(request, { ...options, consume })
      codes.push(result.ok ? 'ok' : result.code)
    }
    expect(codes).toEqual(['ok', 'ok', 'Replay'])
  })

  it('R31, R32 a store that fails, answers nothing or is full accepts nothing', async () => {
    const failing = { claim: () => Promise.reject(new Error('down')) }
    const silent = { claim: () => undefined as unknown as boolean }
    const full = memoryReplayStore({ capacity: 1 })
    expect(await codeOf(await signedBy(shop), { replayStore: full })).toBe('ok')
    for (const replayStore of [failing, silent, full]) {
      const result = await verifyRequest(await signedBy(shop), policy({ replayStore }))
      expect(result).toMatchObject({ code: 'ReplayStoreUnavailable', status: 503 })
    }
  })

  it('R33 requests that are refused are not remembered', async () => {
    const claim = vi.fn<() => boolean>(() => true)
    for (const part of [{ body: 'x' }, { method: 'PUT' }, { url: '/x' }, { headers: {} }]) {
      await verifyRequest({ ...(await signedBy(shop)), ...part }, policy({ replayStore: { claim } }))
    }
    expect(claim).not.toHaveBeenCalled()
  })

  it('are forgotten when they have expired', async () => {
    vi.useFakeTimers({ now: 1_795_186_159_000, toFake: ['Date'] })
    const store = memoryReplayStore({ capacity: 1 })
    const now = 1_795_186_159
    expect([store.claim('a', now + 1), store.claim('a', now + 1)]).toEqual([true, false])
    expect(() => store.claim('b', now + 1)).toThrow(SxError)
    vi.setSystemTime(now * 1000 + 1000)
    expect([store.claim('b', now + 9), store.claim('b', now + 9)]).toEqual([true, false])
  })
})

describe('what is found while a request is verified', () => {
  it('a store that answers after the signature has expired accepts nothing', async () => {
    const start = Date.now()
    vi.useFakeTimers({ now: start, toFake: ['Date'] })
    const slow = {
      claim: async () => {
        vi.setSystemTime(start + 302_000)
        return true
      },
    }
    expect(await codeOf(await signedBy(shop), { replayStore: slow })).toBe('Expired')
  })

  it('trust that is removed while the store answers counts', async () => {
    const agent = await newAgent('Removed')
    api.trustAgent(agent.exportAgent())
    const removing = {
      claim: () => {
        api.untrustAgent(agent.getAgentInfo()?.agentId ?? '')
        return true
      },
    }
    expect(await codeOf(await signedBy(agent), { replayStore: removing })).toBe('UnknownSigner')
  })

  it('a store that keeps to its contract knows a request for as long as it is accepted', async () => {
    const start = 1_795_186_159_000
    vi.useFakeTimers({ now: start, toFake: ['Date'] })
    const agent = await newAgent('Last second')
    api.trustAgent(agent.exportAgent())
    const request = await signedBy(agent)
    const known = new Map<string, number>()
    const replayStore = {
      claim: (key: string, expiresAt: number) => {
        const isNew = (known.get(key) ?? 0) <= Math.floor(Date.now() / 1000)
        known.set(key, expiresAt)
        return isNew
      },
    }
    vi.setSystemTime(start + 300_000)
    const options = { replayStore, clockSkew: 0 }
    expect([await codeOf(request, options), await codeOf(request, options)]).toEqual(['ok', 'Replay'])
  })
})

describe('bodies', () => {
  const stream = (...pieces: unknown[]): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece as Uint8Array)
        controller.close()
      },
    })
  const bytes = new TextEncoder().encode(BODY)

  it('may come in any pieces', async () => {
    const pieces = [...bytes].flatMap((byte) => [new Uint8Array(), Uint8Array.of(byte)])
    expect(await other({ body: stream(...pieces) })()).toBe('ok')
    expect(await other({ body: stream() })()).toBe('BodyMismatch')
  })

  it('that cannot be read are the error of their stream, and are not waited for once they are too large', async () => {
    const failing = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new RangeError('gone')) })
    await expect(other({ body: failing })()).rejects.toThrow('gone')
    const never = new Promise<never>(() => {})
    const stubborn = { getReader: () => ({ read: async () => ({ value: new Uint8Array(99) }), cancel: () => never }) }
    const request = { ...(await signedBy(shop)), body: stubborn as unknown as ReadableStream<Uint8Array> }
    expect(await codeOf(request, { maxBody: 98 })).toBe('TooLarge')
  })

  it.each<[string, unknown]>([
    ['texts', stream('x')],
    ['a number', 3],
    ['an object', {}],
    ['an object for a reader', { getReader: () => ({}) }],
    ['a number for an iterator', { [Symbol.asyncIterator]: () => 3 }],
    ['numbers for steps', { [Symbol.asyncIterator]: () => ({ next: () => 5 }) }],
  ])('that consist of %s are InvalidOption', async (_, body) => {
    const wrong = other({ body: body as Uint8Array })()
    await expect(wrong).rejects.toMatchObject({ code: 'InvalidOption' })
  })

  it('R38 reading stops at the limit', async () => {
    const { headers } = await signedBy(shop)
    let read = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += 1000
        controller.enqueue(new Uint8Array(1000))
      },
    })
    const request = new Request(URL_, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
    const result = await verifyRequest(request, policy({ maxBody: 10_000 }))
    expect(result).toMatchObject({ code: 'TooLarge', status: 413 })
    expect(read).toBeLessThan(20_000)
  })

  it('may be bytes, up to the limit', async () => {
    const bytes = new Uint8Array(1 << 20).map((_, at) => at)
    const authorization = await shop.buildRequestAuthHeader('PUT', URL_, bytes, ORIGIN)
    const request = { method: 'PUT', url: URL_, body: bytes, headers: [['Authorization', authorization]] } as const
    expect(await codeOf(request)).toBe('ok')
    expect(await codeOf(request, { maxBody: bytes.length - 1 })).toBe('TooLarge')
  })
})

describe('bad input', () => {
  it.each<[string, object]>([
    ['no replay store', { replayStore: undefined }],
    ['a replay store without claim', { replayStore: {} }],
    ['no audience', { publicOrigin: undefined }],
    ['an audience that is no text', { audience: [7] }],
    ['no audience in a list', { audience: [] }],
    ['an origin with a path', { publicOrigin: `${ORIGIN}/v1` }],
    ['an origin without a scheme', { publicOrigin: 'api.example.com' }],
    ['an origin with a user name', { publicOrigin: 'https://@api.example.com' }],
    ['an origin with white space', { publicOrigin: ` ${ORIGIN}` }],
    ['an origin with a dot at its end', { publicOrigin: `${ORIGIN}.` }],
    ['a maximum age that is no number', { maxAge: '300' }],
    ['a negative limit', { maxBody: -1 }],
    ['a limit that cannot be shown', { maxBody: Object.create(null) as unknown }],
    ['an unknown option', { maxage: 300 }],
    ['no agent', { agent: undefined }],
    ['another object', { agent: {} }],
  ])('%s is InvalidOption', async (_, wrong) => {
    await expect(verifyRequest(await signedBy(shop), { ...policy(), ...wrong })).rejects.toMatchObject({
      code: 'InvalidOption',
    })
  })

  it('R35 a port of an absolute URL is no part of its target', async () => {
    const { headers } = await signedBy(shop, { url: `${ORIGIN}/:80/x` })
    expect(await codeOf({ method: 'POST', url: 'http://host:80/x', headers, body: BODY })).toBe('UrlMismatch')
    expect(await codeOf({ method: 'POST', url: 'http://host/:80/x', headers, body: BODY })).toBe('ok')
  })

  it('an audience with half a character is NotJson', async () => {
    await expect(codeOf(await signedBy(shop), { audience: '\ud800' })).rejects.toMatchObject({ code: 'NotJson' })
  })

  it('a server may have a host that is not ASCII', async () => {
    const origin = 'https://bücher.example'
    const request = await signedBy(shop, { url: `${origin}/é?q=€`, audience: origin })
    const target = '/%C3%A9?q=%E2%82%AC'
    for (const publicOrigin of [origin, 'https://xn--bcher-kva.example']) {
      const options = { publicOrigin, audience: origin }
      expect(await codeOf({ ...request, url: target }, options)).toBe('ok')
      expect(await codeOf({ ...request, url: `https://xn--bcher-kva.example${target}` }, options)).toBe('ok')
    }
  })

  it('the audience is the origin as browsers write it', async () => {
    expect(await codeOf(await signedBy(shop), { publicOrigin: 'HTTPS://API.example.com:443/' })).toBe('ok')
  })

  it('without origin only requests to the own machine are accepted', async () => {
    const audience = 'test'
    for (const [url, code] of [
      ['http://localhost:3000/a', 'ok'],
      ['http://127.0.0.1/a', 'ok'],
      ['http://[::1]:8080/a', 'ok'],
      [`${ORIGIN}/a`, 'PublicOriginMissing'],
      ['http://localhost.example.com/a', 'PublicOriginMissing'],
    ] as const) {
      const request = await signedBy(shop, { url, audience })
      const options = { publicOrigin: undefined as unknown as string, audience }
      expect([url, await codeOf(request, options)]).toEqual([url, code])
    }
  })

  it.each<[string, unknown]>([
    ['a list of names and values in turn', ['authorization', 'x']],
    ['a list of objects', [{ name: 'authorization', value: 'x' }]],
    ['a list of nothing', [null]],
    ['a name that is no text', [[1, 2]]],
    ['a value that is no text', { authorization: Object.create(null) as unknown }],
    ['an object with a number for an iterator', { [Symbol.iterator]: 3 }],
    ['a text', 'authorization: x'],
  ])('headers that are %s are InvalidOption', async (_, headers) => {
    const wrong = codeOf({ method: 'GET', url: '/', headers: headers as Record<string, string> })
    await expect(wrong).rejects.toMatchObject({ code: 'InvalidOption' })
  })

  it.each<[string, object]>([
    ['nothing', null as unknown as object],
    ['no method', { url: '/', headers: {} }],
    ['no URL', { method: 'GET', headers: {} }],
    ['a stream without a body', { method: 'GET', url: '/', headers: {}, [Symbol.asyncIterator]: () => ({}) }],
  ])('a request that is %s is InvalidOption', async (_, request) => {
    await expect(codeOf(request as RequestParts)).rejects.toMatchObject({ code: 'InvalidOption' })
  })

  it('R35 an absolute URL is taken for its target only if every parser takes the same for its origin', async () => {
    const { headers } = await signedBy(shop, { url: `${ORIGIN}/x` })
    const code = (url: string): Promise<string> => codeOf({ method: 'POST', url, headers, body: BODY })
    for (const url of ['http://localhost:3000/x', 'https://other.example/x'])
      expect([url, await code(url)]).toEqual([url, 'ok'])
    for (const url of [
      'http:///x/x',
      'http:/\\host/x',
      'http:\\\\host/x',
      'http://u:p@evil/x',
      'http://a\\@b/x',
      'http://a b/x',
      'http://[/x',
      'HTTPS://evil\n/x',
      'http://x:99999/x',
      `http://${'a'.repeat(16_375)}/x/admin`,
    ]) {
      expect([url, await code(url)]).toEqual([url, 'UrlMismatch'])
    }
  })

  it.each([
    '/rel',
    'ftp://x/',
    'https://u:p@example.com/',
    'https://example.com\\@evil.com/',
    'https://example.com/a b',
    'https://example.com/%zz',
  ])('the URL %s cannot be signed', async (url) => {
    await expect(signedBy(shop, { url })).rejects.toMatchObject({ code: 'InvalidOption' })
  })

  it.each<[string, string]>([
    ['https://EXAMPLE.com', 'https://example.com/'],
    ['http://example.com:80/a', 'http://example.com/a'],
    ['https://example.com/%7euser/%2e%2e/x', 'https://example.com/x'],
    ['https://example.com/a%2fb', 'https://example.com/a%2Fb'],
    ['https://example.com/?', 'https://example.com/?'],
    ['https://bücher.example/é?q=€', 'https://xn--bcher-kva.example/%C3%A9?q=%E2%82%AC'],
    ['https://example.com/p^|?q[]=1', 'https://example.com/p%5E%7C?q%5B%5D=1'],
    ['https://example.com//a//b', 'https://example.com//a//b'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
  ])('%s is signed as %s', async (url, normal) => {
    const { authorization } = (await signedBy(shop, { url })).headers
    const claims = JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()) as { ud: string }
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(normal))
    expect(claims.ud).toBe(Buffer.from(digest).toString('base64url'))
  })
})
