// Signed texts, judged by a verifier that was written from the pages and shares nothing with the library.
import { SxAgent } from 'sx-agent'
import { create, trustAgent, verifyText } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, test } from 'vitest'
import agents from '../vectors/agents.json' with { type: 'json' }
import keys from '../vectors/keys.json' with { type: 'json' }
import vectors from '../vectors/texts.json' with { type: 'json' }
import { agentSource, keySource, type Source } from './documents.ts'
import { signers } from './forge.ts'
import { keyOf } from './keys.ts'
import { answers, named, sourcesWith } from './text-answers.ts'
import { cases, tooMany } from './text-cases.ts'
import { answersOnChanged, bases } from './text-mutations.ts'
import { verifySignedText } from './texts.ts'

const password = 'correct horse battery staple'

beforeAll(async () => {
  await create({ name: 'Reader', algorithm: 'ed25519', storage: memoryStorage(), password })
  for (const { document } of signers) if (document !== undefined) trustAgent(document)
})

test.each(vectors.cases)('P24 a stranger says of the text "$name" what the vectors say', (vector) => {
  const { text, status, valid, length, code, signers: expected, warnings } = vector
  const found = verifySignedText(Buffer.from(text), (agentId) =>
    agents.agents.filter((agent) => agent.agentId === agentId).map(({ raw }) => agentSource('trust', raw)),
  )
  if (typeof found === 'string') throw new TypeError(found)
  const said = found.signers.map((signer) => ({ signerId: signer.signerId, status: signer.status, code: signer.code }))
  expect({ ...found, signers: said }).toMatchObject({ status, valid, length, code, signers: expected })
  expect(found.warnings).toEqual(warnings.filter((warning) => warning.code !== 'ConfusableMarker'))
})

test.each(vectors.sources)(
  'a stranger says with $name what the vectors say',
  ({ text, sources, signers: expected, trusted }) => {
    const known = sources.map(({ agentId, source, bytes }) => {
      const isDocument = source === 'trust' || source === 'own'
      return {
        agentId,
        source: isDocument ? agentSource(source, bytes) : keySource(source as 'named' | 'directory', bytes),
      }
    })
    const sourcesFor = (id: string): Source[] =>
      known.flatMap(({ agentId, source }) => (agentId === id ? [source] : []))
    const signed = vectors.texts.find(({ name }) => name === text)!
    const found = verifySignedText(Buffer.from(signed.text), sourcesFor)
    expect(found).toMatchObject({ signers: expected.map((signer) => ({ ...signer, trusted })) })
  },
)

test('a stranger reads keys as the vectors have them', () => {
  for (const { publicKey, keyId } of [...keys.keys, ...keys.strangers])
    expect(keyOf(publicKey)).toMatchObject({ keyId })
  for (const { publicKey, code } of keys.refusedPublicKeys) expect(keyOf(publicKey)).toBe(code)
})

test.each(bases())('texts of a stranger are valid, $#', async ({ file, text }) => {
  const found = verifySignedText(file, sourcesWith(named))
  expect(found).toMatchObject({ status: 'signed', valid: true, length: text.length })
  const [stranger, library] = answers(found, await verifyText(file, { keys: named }))
  expect(stranger).toEqual(library)
})

test('a stranger says of fresh texts by one, two and three agents what the library says', async () => {
  const algorithms = ['ed25519', 'pq2025', 'ed25519'] as const
  const own = await Promise.all(
    algorithms.map(async (algorithm, n) => {
      const { agent } = await SxAgent.create({ name: `Agent ${n}`, algorithm, storage: memoryStorage(), password })
      return agent
    }),
  )
  let text: Uint8Array = Buffer.from('# Contract\r\n\nAlice pays 100.')
  for (const [n, agent] of own.entries()) {
    text = await agent.signText(text)
    for (const [m, reader] of own.entries()) {
      if (m > 0) reader.trustAgent(own[0]!.exportAgent())
      const bytes = Buffer.from(text)
      const sources = new Map<string, Source[]>()
      const add = (index: number, kind: 'own' | 'trust'): void => {
        const document = own[index]!.exportAgent()
        sources.set((JSON.parse(document) as { sxId: string }).sxId, [agentSource(kind, document)])
      }
      add(0, 'trust')
      add(m, 'own')
      const found = verifySignedText(bytes, (agentId) => sources.get(agentId) ?? [])
      expect(found).toMatchObject({ status: 'signed', signers: Array.from({ length: n + 1 }, () => ({})) })
      const [stranger, library] = answers(found, await reader.verifyText(bytes))
      expect(stranger).toEqual(library)
    }
  }
  await Promise.all(own.map((agent) => agent.close()))
})

test.each(cases())('P24 a stranger says of "$name" what the library says', async ({ file, keys: known }) => {
  const found = verifySignedText(file, sourcesWith(known))
  const [stranger, library] = answers(found, await verifyText(file, { keys: known }))
  expect(stranger).toEqual(library)
})

test.each(tooMany())('a stranger refuses what the library refuses: $name', async ({ file, keys: known }) => {
  expect(verifySignedText(file, sourcesWith(known))).toBe('LimitExceeded')
  await expect(verifyText(file, { keys: known })).rejects.toMatchObject({ code: 'LimitExceeded' })
})

test('P24 a stranger says of 1,000 changed texts what the library says', async () => {
  const codes = new Set<string | null>()
  for await (const {
    how,
    found,
    answers: [stranger, library],
  } of answersOnChanged(1, 1000)) {
    expect({ how, says: stranger }).toEqual({ how, says: library })
    if (typeof found !== 'string') for (const { code } of found.signers) codes.add(code)
  }
  expect(codes.size).toBeGreaterThan(10)
})
