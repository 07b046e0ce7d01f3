// requests.json, by code that shares nothing with the library, and by the library.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import { SxAgent } from 'sx-agent'
import { memoryReplayStore, verifyRequest } from 'sx-agent/http'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import agents from './agents.json' with { type: 'json' }
import keys from './keys.json' with { type: 'json' }
import vectors from './requests.json' with { type: 'json' }

type Signed = (typeof vectors.requests)[number]

const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()
const digest = (bytes: Uint8Array | string): string => sha256(bytes).toString('base64url')

/** The normal form of a URL, as the page says it. */
function normal(url: string): string | null {
  if (url.length > 8192 || /[\0-\x20\x7F\\]/.test(url) || /%(?![\dA-F]{2})/i.test(url)) return null
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  if (authority === '' || /[@%]|(?:^|\.)xn--/i.test(authority) || !URL.canParse(url)) return null
  const { origin, hostname, href } = new URL(url)
  if (hostname.endsWith('.')) return null
  const [path = '', query] = href.slice(origin.length).replace(/#.*/, '').split(/(\?.*)/)
  const encoded = (text: string, set: RegExp): string =>
    text
      .replace(set, (character) => `%${character.charCodeAt(0).toString(16)}`)
      .replace(/%../g, (triplet) => triplet.toUpperCase())
  return origin + encoded(path, /["<>^`{|}[\]]/g) + encoded(query ?? '', /["<>^`{|}[\]']/g)
}

function statementOf(claims: string): Buffer {
  return Buffer.from(`SXv2 13 sx-request-v2 ${Buffer.byteLength(claims)} ${claims}`)
}

function verifies({ algorithm, claims }: Signed, signature: Buffer): boolean {
  const key = keys.keys.find((one) => one.algorithm === algorithm)
  if (key === undefined) return false
  if (algorithm === 'ed25519') return verify(null, statementOf(claims), createPublicKey(key.publicKey), signature)
  return ml_dsa87.verify(signature, statementOf(claims), Buffer.from(key.publicKeyRaw, 'base64'))
}

describe('by itself', () => {
  it.each(vectors.urls)('the URL $url', ({ url, urlSha256 }) => {
    const form = normal(url)
    expect(form === null ? null : digest(form)).toBe(urlSha256)
    const isAgain = form !== null && !form.includes('xn--')
    expect(isAgain ? normal(form) : null).toBe(isAgain ? form : null)
  })

  it.each(vectors.requests)('the request: $name', (vector) => {
    const { algorithm, audience, body, claims, method, replayKey, statementSha256, url, urlSha256, value } = vector
    const [prefix, encoded = '', signed = ''] = value.split('.')
    expect(prefix).toBe('SX v2')
    expect(Buffer.from(encoded, 'base64url').toString()).toBe(claims)
    const read = JSON.parse(claims) as Record<string, unknown>
    expect(canonicalize(read)).toBe(claims)
    const form = normal(url) ?? ''
    expect(urlSha256).toBe(digest(form))
    const agent = agents.agents.find((one) => one.algorithm === algorithm)
    expect(read).toEqual({
      alg: algorithm,
      aud: audience,
      bd: digest(body),
      iat: vectors.iat,
      kid: keys.keys.find((one) => one.algorithm === algorithm)?.keyId,
      m: method.toUpperCase(),
      n: expect.stringMatching(/^[\w-]{22}$/) as string,
      sub: `${agent?.agentId}:${(JSON.parse(agent?.raw ?? '{}') as { sxVersion: string }).sxVersion}`,
      ud: digest(form),
      v: 2,
    })
    expect(sha256(statementOf(claims)).toString('hex')).toBe(statementSha256)
    expect(replayKey).toBe(digest(`${String(read['kid'])}\0${String(read['n'])}`))
    expect(verifies(vector, Buffer.from(signed, 'base64url'))).toBe(true)
    expect(value.length).toBeLessThanOrEqual(8175)
  })
})

describe('by the library', () => {
  let agent: SxAgent
  const publicOrigin = 'https://api.example.com'

  beforeAll(async () => {
    const options = { name: 'API', algorithm: 'ed25519', password: 'seventeen brown hedgehogs 9!', env: {} } as const
    agent = (await SxAgent.create({ ...options, storage: memoryStorage() })).agent
    for (const { raw } of agents.agents.slice(0, 2)) agent.trustAgent(raw)
    vi.useFakeTimers({ now: vectors.iat * 1000, toFake: ['Date'] })
  })
  afterAll(() => {
    vi.useRealTimers()
  })

  const codeOf = async (vector: Signed, values: readonly string[]): Promise<string | null> => {
    const { method, body, audience, url } = vector
    const target = url.replace(/^https:\/\/[^/]*/i, '').replace('/v1/../', '/').replace(/#.*/, '')
    const request = { method, url: target, body, headers: { authorization: values } }
    const result = await verifyRequest(request, { agent, publicOrigin, audience, replayStore: memoryReplayStore() })
    return result.ok ? null : result.code
  }
  const [first] = vectors.requests

  it.each(vectors.requests)('the request is accepted: $name', async (vector) => {
    expect(await codeOf(vector, [vector.value])).toBe(null)
  })

  it.each(vectors.refused)('$name: $code', async ({ values, code }) => {
    expect(await codeOf(first as Signed, values)).toBe(code)
  })

  it.each(vectors.times)('at $now: $code', async ({ now, code }) => {
    vi.setSystemTime(now * 1000)
    expect(await codeOf(first as Signed, [first?.value ?? ''])).toBe(code)
    vi.setSystemTime(vectors.iat * 1000)
  })

  it.each(vectors.targets)('the target $target', async ({ origin, target, url }) => {
    expect(url === null ? null : normal(`${origin}${target}`)).toBe(url)
    const request = { method: 'POST', url: target, headers: { authorization: first?.value ?? '' } }
    const result = await verifyRequest(request, { agent, publicOrigin: origin, replayStore: memoryReplayStore() })
    expect(result).toMatchObject({ ok: false, code: 'UrlMismatch' })
  })

  it.each(vectors.targets.filter(({ url }) => url !== null))('$target is the target of its URL', async (vector) => {
    const { origin, target, url } = vector
    const authorization = await agent.buildRequestAuthHeader('GET', url ?? '', '', origin)
    const request = { method: 'GET', url: target, headers: { authorization } }
    const result = await verifyRequest(request, { agent, publicOrigin: origin, replayStore: memoryReplayStore() })
    expect(result).toMatchObject({ ok: true })
  })
})
