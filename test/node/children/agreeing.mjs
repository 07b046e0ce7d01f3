// Signs agreements, each at the same moment as another process: both meet at files before each signature. Prints a line
// of JSON for each, after it was reported as stored.
//
//   node agreeing.mjs <configuration> <folder to meet in> <own name> <other name> <ids of the agreements>
import { existsSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { SxAgent } from 'sx-agent'

const [configPath, folder, own, other, ids] = process.argv.slice(2)

const agent = new SxAgent({ password: 'a password for tests', env: {} })
await agent.load(configPath)

async function meet(at) {
  writeFileSync(join(folder, `${own}-${at}`), '')
  while (!existsSync(join(folder, `${other}-${at}`))) await pause()
}

for (const [at, id] of JSON.parse(ids).entries()) {
  await meet(at)
  const { eventId, status } = at % 2 === 0 ? await agent.signAgreementDoc(id) : agent.signAgreementDocSync(id)
  writeSync(1, `${JSON.stringify({ id, eventId, status })}\n`)
}
