// As texts.test.ts, with more changes.
import { create, trustAgent } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, test } from 'vitest'
import { signers } from './forge.ts'
import { answersOnChanged } from './text-mutations.ts'

beforeAll(async () => {
  const password = 'correct horse battery staple'
  await create({ name: 'Reader', algorithm: 'ed25519', storage: memoryStorage(), password })
  for (const { document } of signers) if (document !== undefined) trustAgent(document)
})

test('P24 a stranger says of 20,000 changed texts what the library says', async () => {
  const codes = new Set<string | null>()
  for await (const {
    how,
    found,
    answers: [stranger, library],
  } of answersOnChanged(1001, 21_000)) {
    expect({ how, says: stranger }).toEqual({ how, says: library })
    if (typeof found !== 'string') for (const { code } of found.signers) codes.add(code)
  }
  expect(codes.size).toBeGreaterThan(10)
})
