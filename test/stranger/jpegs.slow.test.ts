// As jpegs.test.ts, with more scans and more changes.
import { create } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, test } from 'vitest'
import { changedAnswers, drawnAnswers } from './jpeg-answers.ts'

const SIGNED = [1, 2, 4, 9, 11, 13, 17, 18]

beforeAll(async () => {
  const password = 'correct horse battery staple'
  await create({ name: 'Reader', algorithm: 'ed25519', storage: memoryStorage(), password })
})

test('P24 a stranger reads 5,000 pictures in any scans, and refuses others, as the library does', async () => {
  const all = await drawnAnswers(201, 5200)
  for (const { how, stranger, library } of all) expect({ how, ...stranger }).toEqual({ how, ...library })
})

test('P24 a stranger says of 5,000 changed pictures what the library says', async () => {
  const all = await changedAnswers(301, 5300, SIGNED)
  for (const { how, stranger, library } of all) expect({ how, ...stranger }).toEqual({ how, ...library })
  expect(new Set(all.map(({ stranger }) => stranger.code)).size).toBeGreaterThan(2)
})
