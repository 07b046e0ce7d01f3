import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as module from '../../wasm/dist/exchange/exchange.js'
import { root } from '../setup/shared.mjs'
import { fileOf } from '../setup/table.mjs'
import { agent } from './agents.mjs'
import { core, drawn, entropy, hex, moment, must, pae, sha256, signedAt } from './core.mjs'
import { key, signerOf } from './keys.mjs'

module.initSync({ module: new WebAssembly.Module(readFileSync(join(root, fileOf('exchange')))) })

const CONTEXT = 'sx-request-v2'
const iat = Math.floor(signedAt / 1000)
const base64url = (bytes) => Buffer.from(bytes).toString('base64url')

function parsed(url) {
  try {
    return new URL(url).href
  } catch {
    return ''
  }
}

/** What a server makes of a target, `null` for one that it refuses. */
const receivedAt = (origin, target) => {
  const url = `${origin}${target}`
  return JSON.parse(module.received(target, url, parsed(url))).url ?? null
}

/** The claims of a request, or `undefined` if they are refused. */
function claimsOf({ algorithm, method, url, body, audience }, name) {
  const { id, version } = agent[algorithm].first
  const { keyId } = key[algorithm]
  const sum = hex(sha256(body))
  const from = [algorithm, id, version, keyId, audience, `${iat}`, method, url, parsed(url), sum]
  return JSON.parse(module.request(from, entropy(name))).claims
}

function request(name, given) {
  const { algorithm, body, method } = given
  const claims = claimsOf(given, name)
  must(claims !== undefined, `the request ${name} can be signed`)
  const signature = core.messageSign(
    signerOf(key[algorithm], agent[algorithm].first.raw),
    CONTEXT,
    claims,
    moment(signedAt, name),
  )
  const { bd, m, n, ud } = JSON.parse(claims)
  must(bd === base64url(sha256(body)), `the body of ${name}`)
  must(m === method.toUpperCase(), `the method of ${name}`)
  must(n === base64url(drawn(name, 'nonce').subarray(0, 16)), `the nonce of ${name}`)
  const statement = pae(CONTEXT, claims)
  const value = module.value(claims, signature)
  must(value === `SX v2.${base64url(claims)}.${base64url(Buffer.from(signature, 'base64'))}`, `the value of ${name}`)
  const opened = open([value], [given.audience])
  must(opened.error === undefined, `the value of ${name} is read`)
  return {
    name,
    ...given,
    urlSha256: ud,
    claims,
    statementSha256: hex(sha256(statement)),
    replayKey: opened.replayKey,
    ...(algorithm === 'pq2025' && { rnd: hex(drawn(name, 'hedge')) }),
    value,
  }
}

const open = (values, audiences, now = iat) =>
  JSON.parse(module.openRequest([`${now}`, '300', '60'], audiences, values))

const URLS = [
  'https://EXAMPLE.com',
  'http://example.com:80/a',
  'https://example.com:8443/a',
  'https://example.com/%7euser/%2e%2e/x',
  'https://example.com/a%2fb',
  'https://example.com/?',
  'https://example.com/a?x=a+b',
  'https://example.com/a?x=a%20b',
  'https://bücher.example/é?q=€',
  'https://example.com/p^|?q[]=1',
  "https://example.com/it's?it's",
  'https://example.com//a//b',
  'https://example.com/a#b',
  'https://0x7f.1/',
  'https://[2001:DB8::0:1]/',
  'https://u:p@example.com/',
  'https://@example.com/',
  '/rel',
  'ftp://x/',
  'https:/example.com/',
  'https:///example.com/',
  'https://example.com\\@evil.com/',
  'https://example.com/a b',
  'https://example.com/\u007f',
  'https://example.com/%zz',
  'https://example.com/%',
  'https://ex%61mple.com/',
  'https://xn--bcher-kva.example/',
  'https://example.com./',
  'https://1.2.3.256/',
  'https://',
]

/** A URL with the SHA-256 of its normal form, `null` where it is refused. */
function urlOf(url) {
  const audience = 'https://example.com'
  const claims = claimsOf({ algorithm: 'ed25519', method: 'GET', url, body: '', audience }, 'url')
  return { url, urlSha256: claims === undefined ? null : JSON.parse(claims).ud }
}

const TARGETS = [
  '/',
  '/a?b=1',
  '/a%2fb?q[]=1',
  '/a/../b',
  '/./',
  '/%2e/',
  '/a#b',
  '',
  '*',
  'https://example.com/a',
  '//a',
]

/** What a header can be instead of the one that was signed. */
function refusedOf({ value, audience }) {
  const [, claims, signature] = value.split('.')
  const withClaims = (text) => `SX v2.${base64url(text)}.${signature}`
  const text = Buffer.from(claims, 'base64url').toString()
  const cases = {
    'no header': [],
    'two headers': [value, value],
    'two values in one header': [`${value}, ${value}`],
    'another case': [value.replace('SX v2', 'sx V2')],
    padding: [`${value}=`],
    'stray bits': [`${value.slice(0, -1)}${value.endsWith('B') ? 'C' : 'B'}`],
    'white space': [`${value} `],
    'more than 8,175 bytes': ['a'.repeat(8176)],
    'the old format': ['SX 6fa459ea-ee8a-4ca4-894e-db77e160355e:1767323045:c2ln'],
    'white space in the claims': [withClaims(text.replace('{', '{ '))],
    'a claim more': [withClaims(text.replace(',"v":2', ',"v":2,"w":1'))],
    'a claim less': [withClaims(text.replace(',"v":2', ''))],
    'a claim twice': [withClaims(text.replace(',"v":2', ',"v":2,"v":2'))],
    'another version': [withClaims(text.replace('"v":2', '"v":3'))],
    'a number with a fraction': [withClaims(text.replace(`${iat}`, `${iat}.0`))],
    'a date as a string': [withClaims(text.replace(`${iat}`, `"${iat}"`))],
    'a method in lower case': [withClaims(text.replace('"POST"', '"post"'))],
    'an escape that is not canonical': [withClaims(text.replace('"https:', '"\\u0068ttps:'))],
    'another algorithm': [withClaims(text.replace('ed25519', 'pq2025'))],
    'another audience': [withClaims(text.replace('api.example.com', 'api.example.co'))],
  }
  return Object.entries(cases).map(([name, values]) => ({ name, values, code: open(values, [audience]).error ?? null }))
}

/** Signed requests: URLs, what is signed of requests, and headers that are refused. */
export function requests() {
  const audience = 'https://api.example.com'
  const order = {
    method: 'post',
    url: 'HTTPS://API.Example.com:443/v1/../v1/orders?b=2&a=1#frag',
    body: '{"qty":1,"note":"€"}',
    audience,
  }
  const signed = [
    request('an order', { algorithm: 'ed25519', ...order }),
    request('an order, with ML-DSA-87', { algorithm: 'pq2025', ...order }),
    request('no body', {
      algorithm: 'ed25519',
      method: 'GET',
      url: `${audience}/?`,
      body: '',
      audience: 'a "b"\n\u007f é',
    }),
  ]
  const [first] = signed
  return {
    description: 'Signed requests: URLs, what is signed of requests, and headers that are refused.',
    about: [
      'The signers are those of agents.json, under the keys of keys.json.',
      'Each of `urls` is a `url`, with the SHA-256 of its normal form in base64url, null if it is refused.',
      'Each of `targets` is the `target` of a request line at an `origin`, with the `url` of the request, null if it is refused.',
      'Each of `requests` was signed at `iat`, Unix seconds: of a request its `claims`, the SHA-256 of the statement of the claims, the `replayKey`, and the `value` of the header. `rnd` is what ML-DSA-87 draws.',
      'Each of `refused` has the `values` of all headers `Authorization` of a request, read at `iat` for the audience of the first request, with the `code`.',
      'Each of `times` is the time `now`, at which the first request is read with the default bounds, with the `code`, null if it is in time.',
    ],
    urls: URLS.map(urlOf),
    targets: TARGETS.map((target) => ({ origin: audience, target, url: receivedAt(audience, target) })),
    iat,
    requests: signed,
    refused: refusedOf(first),
    times: [-61, -60, 0, 300, 301].map((later) => {
      const now = iat + later
      return { now, code: open([first.value], [audience], now).error ?? null }
    }),
  }
}
