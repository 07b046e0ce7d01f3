// What every runtime says of the package: the same text, byte for byte.

// biome-ignore assist/source/organizeImports: the watch stands before what it watches
import * as main from 'sx-agent'
import * as simple from 'sx-agent/simple'
import * as storage from 'sx-agent/storage'
import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import vectors from '../../vectors/verdicts.json' with { type: 'json' }
import { textOf } from '../cases/verdicts.mjs'
import { cases } from '../suite.mjs'
import { password } from '../world.mjs'
import { isLong } from './long.mjs'
import { watched } from './watch.mjs'

const atImport = watched()
const keyDirectory = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))

/** Makes an agent, signs, and finds all of it again in another session. */
async function kept({ place, ...options }) {
  const configPath = `./${place}/sx.config.json`
  const made = await simple.quickstart({ name: 'Kept', domain: 'example.com', password, configPath, ...options })
  const { raw } = await simple.signMessage({ amount: 1 })
  await simple.close()
  await simple.load(configPath, { password, ...options })
  const { valid, trusted, signerId } = await simple.verify(raw)
  await simple.close()
  return valid && trusted && signerId === made.agentId
}

/**
 * The report, a line for each finding.
 *
 * @param options.place a name for what is kept, one for each place that shares a storage
 * @param options.short without the cases that take long
 * @param options.storage where it is kept, if the runtime keeps nothing
 * @param options.begin is told the name of each case before it runs
 */
export async function report({ short = false, begin, ...options }) {
  const lines = [`at import: ${JSON.stringify(atImport)}`]
  for (const [name, run] of cases({ main, simple, storage })) {
    if (short && isLong(name)) continue
    begin?.(name)
    try {
      await run()
      lines.push(`passed: ${name}`)
    } catch (error) {
      lines.push(`FAILED: ${name}: ${error} ${error?.stack}`)
    }
  }
  begin?.('the verdicts of vectors')
  const texts = [
    ...documents.documents.map(({ name, raw }) => [name, raw]),
    ...vectors.cases.map((vector) => [vector.name, textOf(vector)]),
  ]
  for (const [name, text] of texts)
    lines.push(`verdict: ${name}: ${JSON.stringify(simple.verifyStandalone(text, { keyDirectory }))}`)
  begin?.('an agent that is kept')
  lines.push(`kept: ${await kept(options)}`)
  return `${lines.join('\n')}\n`
}

export { main, simple, storage }
