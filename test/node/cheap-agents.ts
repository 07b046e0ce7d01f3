import { generateKeyPairSync, sign } from 'node:crypto'
import { type ExternalSigner, SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'

/** A cheap agent: no key of it is encrypted. */
export async function cheapAgent(n: number): Promise<SxAgent> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signer: ExternalSigner = {
    algorithm: 'ed25519',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    sign: async (bytes) => sign(null, bytes, privateKey),
  }
  const { agent } = await SxAgent.create({ name: `Party ${n}`, storage: memoryStorage(), signer })
  return agent
}
