// Something to verify for who has no agent: a document, and the key directory that holds its signer.
import { randomUUID } from 'node:crypto'
import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

/** Signs texts. */
export async function sample(algorithm, texts) {
  const options = { storage: memoryStorage(), password: randomUUID() }
  const { agentId } = await simple.quickstart({ name: 'Sample', domain: 'example.com', algorithm, ...options })
  const agent = new SxAgent(options)
  await agent.load()
  const documents = texts.map((text) => agent.createDocumentSync(text, null, null, true))
  return { documents, keyDirectory: { [agentId]: agent.getPublicKey() } }
}
