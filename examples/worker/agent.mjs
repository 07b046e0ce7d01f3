// Makes an agent for the Worker and writes .dev.vars, the secrets that `wrangler dev` reads and `wrangler secret bulk`
// uploads. An Ed25519 agent is short enough for a binding of 5 KB.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { create, exportStore } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

const password = randomBytes(24).toString('base64url')
const { name, keyId } = await create({
  name: 'Worker',
  domain: 'example.com',
  algorithm: 'ed25519',
  password,
  storage: memoryStorage(),
})
const secrets = {
  SX_AGENT: Buffer.from(await exportStore()).toString('base64'),
  SX_PRIVATE_KEY_PASSWORD: password,
  SIGN_TOKEN: randomBytes(24).toString('base64url'),
}
const lines = Object.entries(secrets).map(([key, value]) => `${key}=${value}`)
writeFileSync('.dev.vars', `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' })
console.log(`${name} ${keyId}`)
