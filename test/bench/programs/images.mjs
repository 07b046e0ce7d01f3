// What a page does that verifies images, with an agent that lives as long as the page and trusts whom it is told.
import { create, trustAgent, verifyImage } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

export async function verify({ image, agents }) {
  await create({ name: 'Visitor', algorithm: 'ed25519', storage: memoryStorage(), password: crypto.randomUUID() })
  for (const agent of agents) trustAgent(agent)
  return verifyImage(image)
}
