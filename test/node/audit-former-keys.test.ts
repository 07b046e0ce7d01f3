// What `audit` says of an agent that has had more keys than its document names.
import { generateKeyPairSync, sign } from 'node:crypto'
import { type ExternalSigner, SxAgent } from 'sx-agent'
import { type AuditResult, audit } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, expect, it } from 'vitest'

/** The number of keys that an agent document names at most. */
const MOST = 64

function newSigner(): ExternalSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    algorithm: 'ed25519',
    sign: (bytes: Uint8Array) => Promise.resolve(new Uint8Array(sign(null, bytes, privateKey))),
  }
}

const storage = memoryStorage()
let signer = newSigner()
let agentId: string
let updated: string
let left: string
beforeAll(async () => {
  const { agent } = await SxAgent.create({ name: 'Long-lived', storage, signer })
  agentId = agent.getAgentInfo()?.agentId ?? ''
  updated = (await agent.signMessage({ n: 1 })).documentId
  left = (await agent.signMessage({ n: 2 })).documentId
  for (let keys = 1; keys < MOST + 3; keys++) {
    signer = newSigner()
    await agent.rotateKey({ signer })
    if (keys === MOST - 1) {
      const key = (await agent.listDocuments()).find((one) => one.startsWith(updated)) ?? ''
      await agent.updateDocument(
        key,
        JSON.stringify({ ...(JSON.parse(await agent.getDocument(key)) as object), content: 3 }),
      )
    }
  }
  await agent.close()
})

const risksOf = ({ risks }: AuditResult): string[] =>
  risks.map(({ code, severity, subject }) => `${code} ${severity} ${subject}`)

it('its own document is no risk, and of others the latest versions alone are to be signed again', async () => {
  const found = risksOf(await audit({ storage, signer }))
  expect(found.toSorted()).toEqual(
    [`KeyMismatch low ${updated} (version 1)`, `KeyMismatch high ${left} (version 1)`].toSorted(),
  )
})

it('a version of its own document that the next one does not follow is found', async () => {
  const key = ['sx_data', 'documents', agentId.slice(0, 2), `${agentId}.2.json`]
  const bytes = storage.getSync(key)
  if (bytes === undefined) throw new Error('there is no second version')
  storage.putSync(key, new TextEncoder().encode(new TextDecoder().decode(bytes).replace('Long-lived', 'Long-lifed')))
  const found = risksOf(await audit({ storage, signer }))
  storage.putSync(key, bytes)
  expect(found.filter((risk) => risk.includes(agentId))).toEqual([
    `KeyMismatch high ${agentId} (version 1)`,
    `KeyMismatch high ${agentId} (version 2)`,
  ])
})
