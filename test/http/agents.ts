import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'

/** A new agent in memory. */
export async function newAgent(name: string, algorithm: 'ed25519' | 'pq2025' = 'ed25519'): Promise<SxAgent> {
  const options = { name, algorithm, password: 'seventeen brown hedgehogs 9!', env: {} }
  return (await SxAgent.create({ ...options, storage: memoryStorage() })).agent
}
