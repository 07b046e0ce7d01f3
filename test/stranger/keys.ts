// Public keys and signatures as docs/protocol.md, section 4, has them. Written from that page.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'

export type Algorithm = 'ed25519' | 'pq2025'

export interface Key {
  readonly keyId: string
  readonly algorithm: Algorithm
  readonly raw: Buffer
  readonly der: Buffer
}

const PREFIXES = { ed25519: '302a300506032b6570032100', pq2025: '30820a32300b060960864801650304031303820a2100' }
const SIZES = { ed25519: 32, pq2025: 2592 }

const ORDER = 2n ** 255n - 19n
const mod = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % ORDER
    square = (square * square) % ORDER
  }
  return result
}

const inverse = (value: bigint): bigint => power(value, ORDER - 2n)
const D = mod(-121_665n * inverse(121_666n))

/** The second coordinates of the points of small order. */
const SMALL = new Set([
  0n,
  1n,
  ORDER - 1n,
  ...[
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ].map((hex) => little(Buffer.from(hex, 'hex'))),
])

function little(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

/** Whether 32 bytes are a point of small order, another point in its canonical encoding, or neither. */
function pointOf(bytes: Uint8Array): 'weak' | 'good' | undefined {
  const number = little(bytes)
  const isOdd = number >> 255n === 1n
  const y = number & (2n ** 255n - 1n)
  if (SMALL.has(mod(y))) return 'weak'
  if (y >= ORDER) return undefined
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n))
  if (power(square, (ORDER - 1n) / 2n) !== 1n) return undefined
  return square === 0n && isOdd ? undefined : 'good'
}

/** The content of a PEM block with this label. */
function pem(text: string, label: string): Buffer | undefined {
  if (Buffer.byteLength(text) > 65_536) return undefined
  const lines = text
    .replace(/^\p{White_Space}+/u, '')
    .replace(/\p{White_Space}+$/u, '')
    .split(/\r\n|\n|\r/)
  const [first, last, body] = [lines[0], lines.at(-1), lines.slice(1, -1)]
  const width = body[0]?.length ?? 0
  const isEven = body.every((line, n) => (n < body.length - 1 ? line.length === width : line.length <= width))
  if (first !== `-----BEGIN ${label}-----` || last !== `-----END ${label}-----` || width < 4 || !isEven)
    return undefined
  return body.includes('') ? undefined : base64(body.join(''))
}

/** The bytes of base64 in its canonical form. */
export function base64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** A public key, or the code of the refusal. */
export function keyOf(text: string): Key | 'InvalidKey' | 'WeakPublicKey' {
  const der = pem(text, 'PUBLIC KEY')
  for (const algorithm of ['ed25519', 'pq2025'] as const) {
    const prefix = Buffer.from(PREFIXES[algorithm], 'hex')
    if (der?.length !== prefix.length + SIZES[algorithm] || !der.subarray(0, prefix.length).equals(prefix)) continue
    const raw = der.subarray(prefix.length)
    const kind = algorithm === 'ed25519' ? pointOf(raw) : raw.subarray(32).some((byte) => byte !== 0) ? 'good' : 'weak'
    if (kind !== 'good') return kind === 'weak' ? 'WeakPublicKey' : 'InvalidKey'
    const value = raw.toString('base64url')
    const jwk =
      algorithm === 'ed25519'
        ? `{"crv":"Ed25519","kty":"OKP","x":"${value}"}`
        : `{"alg":"ML-DSA-87","kty":"AKP","pub":"${value}"}`
    return { algorithm, raw, der, keyId: createHash('sha256').update(jwk).digest('base64url') }
  }
  return 'InvalidKey'
}

const known = new Map<string, boolean>()

/** Whether a signature verifies under a key. What was found is remembered, since ML-DSA takes long here. */
export function isSigned(key: Key, statement: Buffer, signature: Buffer): boolean {
  const name = createHash('sha256').update(key.keyId).update(signature).update(statement).digest('base64')
  const found = known.get(name) ?? isGood(key, statement, signature)
  known.set(name, found)
  return found
}

function isGood({ algorithm, raw, der }: Key, statement: Buffer, signature: Buffer): boolean {
  if (algorithm === 'pq2025') return signature.length === 4627 && ml_dsa87.verify(signature, statement, raw)
  if (signature.length !== 64 || pointOf(signature.subarray(0, 32)) !== 'good') return false
  return verify(null, statement, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}

/** What is signed (section 3). */
export function statementOf(context: string, payload: string): Buffer {
  return Buffer.from(`SXv2 ${context.length} ${context} ${Buffer.byteLength(payload)} ${payload}`)
}
