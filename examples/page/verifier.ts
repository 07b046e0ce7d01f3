// Whoever verifies: the agent of this page or, until there is one, one in memory, which has no trust list.
import { SxAgent } from 'sx-agent'
import { isLoaded, verifyImage, verifyText } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

/** What verifies pictures and texts. */
type Verifier = Pick<SxAgent, 'verifyImage' | 'verifyText'>

let guest: Promise<Verifier> | undefined

/** The agent to verify with. */
export async function verifier(): Promise<Verifier> {
  if (isLoaded()) return { verifyImage, verifyText }
  guest ??= makeGuest().catch((error: unknown) => {
    guest = undefined // the next call tries again
    throw error
  })
  return guest
}

/** Nothing of it is kept: it signs nothing, and is gone with the page. */
async function makeGuest(): Promise<Verifier> {
  const password = Array.from(crypto.getRandomValues(new Uint8Array(16)), String).join(' ')
  const { agent } = await SxAgent.create({ name: 'Guest', algorithm: 'ed25519', storage: memoryStorage(), password })
  return agent
}
