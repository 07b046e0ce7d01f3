// The images of the vectors, judged by a verifier that was written from the pages and shares nothing with the library.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { ml_dsa87 } from '@noble/post-quantum/ml-dsa.js'
import canonicalize from 'canonicalize'
import { expect, test } from 'vitest'
import images from '../vectors/images.json' with { type: 'json' }
import keys from '../vectors/keys.json' with { type: 'json' }
import { pack, unpack } from './pixels.ts'
import { verifyImage } from './verify.ts'

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
const canonical = (value: unknown): string => canonicalize(value) ?? ''

interface Signed {
  readonly [member: string]: unknown
  readonly sxSha256: string
  readonly sxSignature: { readonly [member: string]: string }
}

/** Section 9, as far as the vectors of images have need of it. */
function documents(text: string): { code: string | null; signerId: string } {
  let document: Signed
  try {
    document = JSON.parse(text) as Signed
  } catch {
    return { code: 'NotJson', signerId: '' }
  }
  const { sxSignature, sxSha256, sxRegistration: _registration, ...rest } = document
  const { signature = '', ...head } = sxSignature
  const { agentID: signerId = '', keyId, signingAlgorithm } = head
  const key = keys.keys.find((known) => known.keyId === keyId)
  if (key === undefined || key.algorithm !== signingAlgorithm) return { code: 'KeyMismatch', signerId }
  const payload = canonical({ ...rest, sxSha256, sxSignature: head })
  const statement = Buffer.from(`SXv2 14 sx-document-v1 ${Buffer.byteLength(payload)} ${payload}`)
  const bytes = Buffer.from(signature, 'base64')
  const isGood =
    key.algorithm === 'ed25519'
      ? verify(null, statement, createPublicKey(key.publicKey), bytes)
      : ml_dsa87.verify(bytes, statement, Buffer.from(key.publicKeyRaw, 'base64'))
  if (!isGood) return { code: 'BadSignature', signerId }
  return { code: sha256(canonical(rest)) === sxSha256 ? null : 'HashMismatch', signerId }
}

interface Case {
  readonly name: string
  readonly status: string
  readonly coverage: string | null
  readonly signerId: string
  readonly code: string | null
  readonly unsignedRegions: readonly string[]
  readonly lost?: readonly string[]
  readonly image: string
}

test.each<Case>(images.cases)('P24 a stranger says of $name what the library says', (vector) => {
  const { status, coverage, signerId, code, unsignedRegions, lost = [] } = vector
  const found = verifyImage(Buffer.from(vector.image, 'base64'), { documents, canonical, sha256 })
  expect(found).toEqual({ status, coverage, signerId, code, unsignedRegions, lost })
})

test('a stranger packs as the page says', () => {
  for (const { document } of images.pictures) expect(unpack(pack(document))).toBe(document)
  for (const { pixels } of images.pictures) {
    const answer = verifyImage(Buffer.from(pixels, 'base64'), { documents, canonical, sha256 })
    expect(answer).toMatchObject({ status: 'valid', coverage: 'pixels' })
  }
})
