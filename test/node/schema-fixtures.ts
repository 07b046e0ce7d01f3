/** What the tests of custom schemas share. */
import { type Storage, SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { PASSWORD } from './fixtures.ts'

/** `$id` of the header schema. */
export const HEADER = 'urn:sx-agent:schemas/header/v1/header.schema.json'

/** `$id` of a custom schema of this name. */
export const idOf = (name: string): string => `https://example.com/schemas/${name}.schema.json`

/** A custom schema; `own` is the second member of its `allOf`. */
export function custom(own: unknown, name = 'v1/order', base = HEADER): Record<string, unknown> {
  return { $schema: 'http://json-schema.org/draft-07/schema#', $id: idOf(name), allOf: [{ $ref: base }, own] }
}

/** A cheap agent that keeps everything in memory. */
export async function newAgent(storage: Storage = memoryStorage()): Promise<SxAgent> {
  const { agent } = await SxAgent.create({
    name: 'Schemas',
    algorithm: 'ed25519',
    password: PASSWORD,
    storage,
  })
  return agent
}
