// Progressive JPEG, and several scans, judged by a verifier that was written from the pages and shares nothing with the
// library.
import { create, exportAgent, signImage } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, test } from 'vitest'
import { agentSource } from './documents.ts'
import {
  changedAnswers,
  drawnAnswers,
  FIXTURES,
  fixture,
  librarySays,
  signedPicture,
  strangerSays,
} from './jpeg-answers.ts'
import { jpegCases } from './jpeg-cases.ts'
import { scanners } from './metadata.ts'

const SIGNED = [1, 9, 11, 17]

beforeAll(async () => {
  const password = 'correct horse battery staple'
  await create({ name: 'Reader', algorithm: 'ed25519', storage: memoryStorage(), password })
})

test.each(FIXTURES)('a stranger finds as much room in %s.jpg as the library', async (name) => {
  const file = fixture(name)
  const found = strangerSays(file)
  expect(found.bits).toBeGreaterThan(0)
  expect(found).toEqual(await librarySays(file))
})

test('P24 a stranger verifies a progressive picture that the library has signed', async () => {
  const signed = Buffer.from(await signImage(fixture('texture-progressive'), null, { robust: true }))
  const stripped = scanners.jpeg(signed).content
  const own = agentSource('own', exportAgent())
  const found = strangerSays(stripped, () => [own])
  expect(found).toMatchObject({ status: 'valid', coverage: 'pixels', code: null })
  expect(found).toEqual(await librarySays(stripped))
})

test.each(SIGNED)(
  'P24 the library verifies a progressive picture that a stranger has signed, seed %i',
  async (seed) => {
    const file = signedPicture(seed)
    const found = strangerSays(file)
    expect(found).toMatchObject({ status: 'valid', coverage: 'pixels', code: null })
    expect(found).toEqual(await librarySays(file))
  },
)

test.each(jpegCases())('P24 "$name" is read by a stranger and the library, or by neither', async ({ file, isRead }) => {
  const found = strangerSays(file)
  expect(found.bits > 0).toBe(isRead)
  expect(found).toEqual(await librarySays(file))
})

test('P24 a stranger reads 200 pictures in any scans, and refuses others, as the library does', async () => {
  const all = await drawnAnswers(1, 200)
  for (const { how, stranger, library } of all) expect({ how, ...stranger }).toEqual({ how, ...library })
  const read = all.filter(({ stranger }) => stranger.bits > 0).length
  expect(read).toBeGreaterThan(60)
  expect(read).toBeLessThan(160)
})

test('P24 a stranger says of 300 changed pictures what the library says', async () => {
  const all = await changedAnswers(1, 300, SIGNED)
  for (const { how, stranger, library } of all) expect({ how, ...stranger }).toEqual({ how, ...library })
  expect(new Set(all.map(({ stranger }) => stranger.code)).size).toBeGreaterThan(2)
})
