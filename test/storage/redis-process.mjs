// Works on a Redis as a user's program does: `accept` runs the acceptance cases, `claim <name>` puts 200 entries.
import Redis from 'ioredis'
import { unstorageAdapter } from 'sx-agent/storage'
import { storageAcceptance } from 'sx-agent/storage/testing'
import { createStorage } from 'unstorage'
import redisDriver from 'unstorage/drivers/redis'

const [path, task, name] = process.argv.slice(2)
const base = 'agents'
const driver = redisDriver({ path, base })
const redis = new Redis({ path })
const putIfAbsent = async (key, { text }) => (await redis.set(`${base}:${key}`, text, 'NX')) === 'OK'
const open = () => unstorageAdapter(createStorage({ driver }), { putIfAbsent, durability: 'relaxed' })

/** Waits until all four have come so far, so that none is done before another one begins. */
async function allHere(at) {
  await redis.incr(`here:${at}`)
  while (Number(await redis.get(`here:${at}`)) < 4);
}

const tasks = {
  async accept() {
    let passed = 0
    for (const { name, run } of storageAcceptance(open)) {
      await run().catch((cause) => {
        throw new Error(name, { cause })
      })
      passed += 1
    }
    return passed
  },
  async claim() {
    const storage = open()
    const won = []
    const first = 'abcd'.indexOf(name) * 25
    for (let at = 0; at < 200; at++) {
      if (at % 10 === 0) await allHere(at)
      // All want the first hundred at once, where the one that comes last may win all; of the rest each begins elsewhere.
      const number = at < 100 ? at : 100 + ((at + first) % 100)
      const key = ['claims', String(number)]
      if (await storage.put(key, new TextEncoder().encode(name), { ifAbsent: true })) won.push(number)
    }
    return won
  },
}
console.log(JSON.stringify(await tasks[task]()))
redis.disconnect()
await driver.dispose()
