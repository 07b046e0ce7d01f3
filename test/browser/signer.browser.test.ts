// A private key of WebCrypto that no script can read out, kept by the browser.

import { type ExternalSigner, SxAgent } from 'sx-agent'
import { expect, it } from 'vitest'
import { indexedDbStorage } from '../../browser/storage/indexeddb.ts'

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('no reason'))
  })
}

async function keyStore(): Promise<IDBDatabase> {
  const opening = indexedDB.open('signer-test', 1)
  opening.onupgradeneeded = () => void opening.result.createObjectStore('keys')
  return done(opening)
}

async function signerOf({ publicKey, privateKey }: CryptoKeyPair): Promise<ExternalSigner> {
  return {
    publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)),
    algorithm: 'ed25519',
    sign: (bytes) => crypto.subtle.sign('Ed25519', privateKey, bytes),
  }
}

it('signs, and is found again by the next start', async () => {
  const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  await expect(crypto.subtle.exportKey('pkcs8', pair.privateKey)).rejects.toThrow(/extractable/i)
  const database = await keyStore()
  await done(database.transaction('keys', 'readwrite').objectStore('keys').put(pair, 'pair'))
  const storage = await indexedDbStorage(`signer-${crypto.randomUUID()}`)
  const { agent } = await SxAgent.create({ name: 'Page', storage, signer: await signerOf(pair) })
  const { raw } = await agent.signMessage({ n: 1 })
  await agent.flush()

  const kept = (await done(database.transaction('keys').objectStore('keys').get('pair'))) as CryptoKeyPair
  const again = new SxAgent({ storage, signer: await signerOf(kept) })
  await again.load()
  expect(again.getAgentInfo()?.agentId).toBe(agent.getAgentInfo()?.agentId)
  const both = [raw, (await again.signMessage({ n: 2 })).raw]
  for (const document of both) expect(await again.verify(document)).toMatchObject({ valid: true, trusted: true })
  await again.close()
  database.close()
})
