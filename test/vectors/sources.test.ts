// The sources of verdicts.json where an agent, or `verifyStandalone` on folders, really finds them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SxAgent, type SxError, type VerificationResult } from 'sx-agent'
import { verifyStandalone } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { expect, test } from 'vitest'
import { newFolder } from '../node/fixtures.ts'
import agents from './agents.json' with { type: 'json' }
import keys from './keys.json' with { type: 'json' }
import verdicts from './verdicts.json' with { type: 'json' }

type Vector = (typeof verdicts.sources)[number]

/** What is held, by the path of the file where the library looks for it; entries before it as they were. */
function filesOf({ sources }: Vector): Map<string, string> {
  const files = new Map<string, string>()
  for (const { source, agentId, text } of sources) {
    if (source === 'directory') files.set(`sx_keys/${agentId}.public.pem`, text)
    else if (source === 'trust') files.set(`sx_data/trust/${agentId}.1.json`, text)
    else files.set(`sx_data/documents/${agentId.slice(0, 2)}/${agentId}.1.json`, text)
  }
  return files
}

const isOwn = ({ source }: Vector['sources'][number]): boolean => source === 'own'
const outcomeOf = ({ valid, code, trusted }: VerificationResult): object => ({ valid, code: code ?? null, trusted })
const expected = ({ code, trusted }: Vector): object => ({ valid: code === null, code, trusted })

test.each(verdicts.sources.filter(({ sources }) => !sources.some(isOwn)))('verifyStandalone: $name', (vector) => {
  const folder = newFolder()
  for (const name of ['sx_keys', 'sx_data']) mkdirSync(join(folder, name))
  for (const [path, text] of filesOf(vector)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { limits } = vector
  const keyDirectory = join(folder, 'sx_keys')
  const dataDirectory = join(folder, 'sx_data')
  const result = verifyStandalone(vector.text, { keyDirectory, dataDirectory, ...(limits && { limits }) })
  expect(outcomeOf(result)).toEqual(expected(vector))
})

const [key] = keys.keys
const PREPARED = {
  'sx_keys/sx.private.pem': key?.encrypted.privateKey ?? '',
  'sx_keys/sx.public.pem': key?.publicKey ?? '',
}

// A stored document of the agent itself is its own one, so that source is left out.
test.each(verdicts.sources.filter(({ sources }) => sources.some(isOwn)))('a loaded agent: $name', async (vector) => {
  const { agentId, raw } = agents.agents[0] as (typeof agents.agents)[number]
  const storage = memoryStorage()
  const files = filesOf({ ...vector, sources: vector.sources.filter(({ source }) => source !== 'document') })
  const config = JSON.stringify({ sxAgentIdAndVersion: `${agentId}:${JSON.parse(raw).sxVersion}` })
  for (const [path, text] of [...Object.entries(PREPARED), ...files, ['sx.config.json', config] as const])
    storage.putSync(path.split('/'), new TextEncoder().encode(text))
  const agent = new SxAgent({ storage, password: key?.encrypted.password ?? '' })
  await agent.load()
  const found = await agent.verifyOrThrow(vector.text).then(outcomeOf, ({ code }: SxError) => expected({ ...vector, code }))
  expect(found).toEqual(expected(vector))
  await agent.close()
})
