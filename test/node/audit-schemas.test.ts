// What `audit` finds of the custom schemas that are kept with documents.
import { SxAgent } from 'sx-agent'
import { audit } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { beforeEach, expect, it } from 'vitest'
import { PASSWORD } from './fixtures.ts'
import { custom, idOf, newAgent } from './schema-fixtures.ts'

const schema = custom({ required: ['amount'] })
let storage: ReturnType<typeof memoryStorage>
let agent: SxAgent
let subject: string
beforeEach(async () => {
  storage = memoryStorage()
  agent = await newAgent(storage)
  const { sxId } = JSON.parse(await agent.createDocument({ amount: 1 }, { schema }))
  await agent.updateDocument(sxId, '{"amount":2}')
  await agent.createDocument({ amount: 1 })
  subject = `${sxId} (version 2)`
})

const kept = () => Array.from(storage.listSync(['sx_data', 'schemas']))
const risks = async (recentN?: number) => {
  const found = await audit({ storage, password: PASSWORD, ...(recentN === undefined ? {} : { recentN }) })
  return found.risks.filter(({ check }) => check === 'documents')
}

it('is content with one that is whole', async () => {
  expect(kept()).toHaveLength(1)
  expect(await risks()).toEqual([])
})

it.each(['{}', JSON.stringify(schema), '\xff'])('names one whose text is another: %s', async (text) => {
  const [key] = kept()
  await storage.put(
    key ?? [],
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
  )
  expect(await risks()).toEqual([
    {
      check: 'documents',
      code: 'CorruptStore',
      severity: 'high',
      subject: key?.slice(1).join('/'),
      message: expect.stringMatching(
        /is not the schema that was stored there\. Restore it from a backup, or remove it/,
      ),
    },
  ])
})

it('names the document whose schema is gone, until it is passed again', async () => {
  await storage.delete(kept()[0] ?? [])
  for (const recentN of [undefined, 2]) {
    expect(await risks(recentN)).toEqual([
      {
        check: 'documents',
        code: 'SchemaRequired',
        severity: 'medium',
        subject,
        message: `The document ${subject} has the schema '${idOf('v1/order')}', which is not stored. Pass the right one as the option \`schema\` of the next update.`,
      },
    ])
  }
  const later = new SxAgent({ storage, password: PASSWORD })
  await later.load()
  await later.updateDocument(subject.slice(0, 36), '{"amount":3}', { schema })
  expect(await risks()).toEqual([])
})

it('says where several have the $id of one that a document needs', async () => {
  await agent.createDocument({ other: 1 }, { schema: custom({ required: ['other'] }) })
  expect(await risks()).toMatchObject([{ code: 'SchemaRequired', severity: 'low' }])
})
