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
    await redis.incr('here')
    while (Number(await redis.get('here')) < 4); // until all four are
    for (let at = 0; at < 200; at++) {
      const key = ['claims', String(at)]
      if (await storage.put(key, new TextEncoder().encode(name), { ifAbsent: true })) won.push(at)
    }
    return won
  },
}
console.log(JSON.stringify(await tasks[task]()))
redis.disconnect()
await driver.dispose()
