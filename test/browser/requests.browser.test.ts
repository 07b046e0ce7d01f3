// Requests in a page, whose parser of URLs is another one.
import { expect, it } from 'vitest'
import { memoryReplayStore, verifyRequest } from '../../src/http.ts'
import { init, SxAgent } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/index.ts'
import vectors from '../vectors/requests.json' with { type: 'json' }

const password = 'seventeen brown hedgehogs 9!'
const publicOrigin = 'https://api.example.com'

async function newAgent(): Promise<SxAgent> {
  return (await SxAgent.create({ name: 'Page', algorithm: 'ed25519', password, storage: memoryStorage() })).agent
}

it('can be signed without waiting once the module is fetched', async () => {
  const agent = await newAgent()
  const sign = (): string => agent.buildRequestAuthHeaderSync('GET', `${publicOrigin}/a`, null, publicOrigin)
  expect(sign).toThrow(expect.objectContaining({ code: 'NotInitialized' }))
  await init({ exchange: true })
  const request = new Request(`${publicOrigin}/a`)
  const options = { agent, publicOrigin, replayStore: memoryReplayStore() }
  expect(await verifyRequest(request, options)).toMatchObject({ ok: false, code: 'Missing' })
  const parts = { method: 'get', url: '/a', headers: new Headers({ authorization: sign() }) }
  expect(await verifyRequest(parts, options)).toMatchObject({ ok: true })
  expect(await verifyRequest(parts, options)).toMatchObject({ ok: false, code: 'Replay' })
})

it.each(vectors.urls)('has the same normal form of $url', async ({ url, urlSha256 }) => {
  const header = (await newAgent()).buildRequestAuthHeader('GET', url, '', publicOrigin)
  const digest = header.then(
    (value) =>
      (JSON.parse(atob(value.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '')) as { ud: string }).ud,
    () => null,
  )
  expect(await digest).toBe(urlSha256)
})
