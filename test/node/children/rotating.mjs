// Works on a store that other processes rotate the key of, until it is killed; prints a line of JSON for each result
// after its promise has resolved.
//
//   node rotating.mjs files|redis <place> rotate              {"keyId"}
//   node rotating.mjs files|redis <place> work                {"id", "version"} of what was stored
//   node rotating.mjs files|redis <place> check <file>        {"lost": [...]}: of `id:version` lines what fails
import { readFileSync, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { SxAgent, SxError } from 'sx-agent'

const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`)
const [kind, place, role, file] = process.argv.slice(2)

async function redis(path) {
  const [{ default: Redis }, { unstorageAdapter }, { createStorage }, { default: redisDriver }] = await Promise.all([
    import('ioredis'),
    import('sx-agent/storage'),
    import('unstorage'),
    import('unstorage/drivers/redis'),
  ])
  const base = 'agents'
  const client = new Redis({ path })
  const putIfAbsent = async (key, { text }) => (await client.set(`${base}:${key}`, text, 'NX')) === 'OK'
  const driver = redisDriver({ path, base })
  return unstorageAdapter(createStorage({ driver }), { putIfAbsent, durability: 'relaxed' })
}

const options = { password: 'a password for tests', env: {} }
if (kind === 'redis') options.storage = await redis(place)
const configPath = kind === 'redis' ? './sx.config.json' : place

async function opened() {
  const agent = new SxAgent(options)
  await agent.load(configPath)
  return agent
}

/** Codes that say that another process was faster: load the agent again, or try again. */
const OVERTAKEN = ['KeyRevoked', 'VersionConflict', 'Busy']

let agent
if (role === 'create') {
  const made = await SxAgent.create({ ...options, name: 'Shared', algorithm: 'ed25519', configPath })
  print({ agentId: made.agentId })
  process.exit()
}
agent = await opened()
print('ready')

async function attempt(work) {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SxError && OVERTAKEN.includes(error.code))) throw error
    if (error.code === 'KeyRevoked' || role === 'rotate') {
      await agent.close()
      agent = await opened()
    }
    return undefined
  }
}

const stored = (document) => {
  const { sxId: id, sxVersion: version } = JSON.parse(document)
  print({ id, version })
  return id
}

if (role === 'rotate') {
  for (;;) {
    const rotated = await attempt(() => agent.rotateKey())
    if (rotated !== undefined) print({ keyId: rotated.keyId })
    await wait(1000)
  }
} else if (role === 'work') {
  for (let n = 0; ; n++) {
    const id = await attempt(async () => stored(await agent.createDocument(JSON.stringify({ n }))))
    for (let update = 0; id !== undefined && update < 3; update++) {
      await attempt(async () => {
        stored(await agent.updateDocument(id, JSON.stringify({ n, update })))
        const { valid, code } = await agent.verifyById(id)
        if (!valid) print({ invalid: id, code })
      })
    }
  }
} else {
  const lost = []
  const keys = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  for (const key of keys) {
    const { valid, code } = await agent.verifyById(key)
    if (!valid) lost.push({ key, code })
  }
  for (const id of new Set(keys.map((key) => key.split(':')[0]))) {
    await agent.updateDocument(id, '{"end":true}').catch(({ code }) => lost.push({ update: id, code }))
  }
  print({ lost })
  process.exit()
}
