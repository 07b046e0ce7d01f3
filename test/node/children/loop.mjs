// Does the same thing again and again, until it is killed or has done it so often; prints a line of JSON after each
// time, and one when it begins.
//
//   node loop.mjs sign <config> [count]            {"id"}
//   node loop.mjs signSync <config> [count]        {"id"}
//   node loop.mjs update <config> <id> [count]     {"n"} or {"code"}; `n` is one more than the latest version's
//   node loop.mjs updateExact <config> <id> [count]  the same by exact key, on the class
//   node loop.mjs signText <config> <path> [count]  {} or {"code"}
//   node loop.mjs quickstart <folder> [count]      {"folder", "agentId"}; a new folder below this one each time
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'

const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`)

/** The outcome of a call that may lose against another process. */
async function contest(work) {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SxError) return { code: error.code }
    throw error
  }
}

const begin = {
  async sign(config) {
    await simple.load(config)
    return async (n) => ({ id: (await simple.signMessage({ n })).documentId })
  },
  async signSync(config) {
    await simple.load(config)
    return (n) => ({ id: simple.signMessageSync({ n }).documentId })
  },
  async update(config, id) {
    await simple.load(config)
    return () =>
      contest(async () => {
        const { data } = await simple.verifyById(id)
        const n = data.n + 1
        await simple.updateDocument(id, { n })
        return { n }
      })
  },
  async updateExact(config, id) {
    const agent = new SxAgent()
    await agent.load(config)
    return () =>
      contest(async () => {
        const current = JSON.parse(await agent.getDocument(id))
        const n = current.content.n + 1
        await agent.updateDocument(`${id}:${current.sxVersion}`, JSON.stringify({ ...current, content: { n } }))
        return { n }
      })
  },
  async signText(config, path) {
    await simple.load(config)
    return () => contest(async () => ({ done: await simple.signText(path) }))
  },
  async quickstart(base) {
    return async (n) => {
      const folder = join(base, String(n))
      const options = { name: 'Loop', domain: 'example.com', algorithm: 'ed25519' }
      const { agentId } = await simple.quickstart({ ...options, configPath: join(folder, 'sx.config.json') })
      return { folder, agentId }
    }
  },
}

const [kind, place, ...rest] = process.argv.slice(2)
const document = kind.startsWith('update') || kind === 'signText' ? rest.shift() : undefined
const count = Number(rest[0] ?? Number.POSITIVE_INFINITY)
const step = await begin[kind](place, document)
print('ready')
for (let n = 0; n < count; n++) print(await step(n))
