/** What `audit` does not notice of bytes that were flipped in the files of an agent. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { expect } from 'vitest'
import agents from '../vectors/agents.json' with { type: 'json' }
import { configIn, filesOf, newFolder } from './fixtures.ts'

const [foreign] = agents.agents as [(typeof agents.agents)[0]]

/**
 * Where the byte before a flip was not compared with anything that is stored, and another one is as good: part of a
 * file's name, and what may stand before and after the flipped byte.
 */
const UNDETECTABLE: readonly [name: RegExp, before: RegExp, why: string][] = [
  [/trust.*\.2\.json$/, /"sxTrustRemoved":"[\w-]*$/, 'random bytes of a tombstone'],
  [/pem\.\d+$/, /"previous":"[0-9a-f]*$/, 'the hash of a key that was taken out when another one replaced it'],
  [/trust.*\.2\.witness$/, /"number":$/, 'the number of a decision that was lost may be that of a later one'],
  [/\.rotation$/, /^/, 'an intent, which nobody reads once its version is there'],
  [/public\.pem$/, /-----END PUBLIC KEY-----$/, 'the line end after a key, where other white space is as good'],
  [/trust.*\.3\.json$/, /"sxRegistration":\{"agentID":"[0-9a-f-]*$/, 'registered by an agent that nobody knows'],
]
const NEW = 'another good pass phrase 42'

/** Flips so many bits of each file, alone, of files with keys and of others; gives those that nobody noticed. */
export async function missedFlips({ ofKeys, ofOthers }: { ofKeys: number; ofOthers: number }): Promise<string[]> {
  const place = newFolder()
  const configPath = configIn(place)
  await sx.create({ name: 'A', algorithm: 'ed25519', configPath, env: { SX_SAVE_PASSWORD_FILE: 'true' } })
  const { documentId } = await sx.signMessage({ n: 1 })
  await sx.updateDocument(documentId, { n: 2 })
  await sx.updateDocument(documentId, { n: 3 })
  await sx.createDocument({ amount: 1 }, { outputFilename: 'copy.json' })
  await sx.reencryptKey(readFileSync(join(place, 'sx_keys', '.sx_password'), 'utf8'), 'a pass phrase between')
  await sx.reencryptKey('a pass phrase between', NEW)
  await sx.rotateKey()
  sx.trustAgent(foreign.raw)
  sx.untrustAgent(foreign.agentId)
  sx.trustAgent(await sx.signAgent(foreign.raw, foreign.publicKey, foreign.algorithm))
  writeFileSync(join(place, 'sx_keys', `${foreign.agentId}.public.pem`), foreign.publicKey, { mode: 0o600 })
  const whole = { configPath, env: {} }
  // To open the private key takes long, and matters where keys are.
  const signer = { algorithm: 'ed25519', publicKey: sx.getPublicKey(), sign: () => expect.fail('not asked') } as const
  for (const more of [{}, { signer }]) expect((await sx.audit({ ...whole, ...more })).overall_status).toBe('healthy')
  let seed = 1
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const missed: string[] = []
  for (const name of filesOf(place)) {
    const path = join(place, name)
    const isKey = /private|password|config/.test(name)
    const bytes = readFileSync(path)
    const step = Math.max(1, bytes.length / (isKey ? ofKeys : ofOthers))
    for (let from = 0; from < bytes.length; from += step) {
      const at = Math.min(bytes.length - 1, Math.floor(from) + random(Math.ceil(step)))
      const changed = Buffer.from(bytes)
      changed[at] = (bytes[at] ?? 0) ^ (1 << random(8))
      writeFileSync(path, changed)
      const { risks } = sx.auditSync(isKey ? whole : { ...whole, signer })
      const before = bytes.toString('latin1', 0, at)
      if (risks.length > 0 || UNDETECTABLE.some(([file, part]) => file.test(name) && part.test(before))) continue
      missed.push(`${name} at ${at}: ${before.slice(-30)}|${changed.toString('latin1', at, at + 9)}`)
    }
    writeFileSync(path, bytes)
  }
  return missed
}
