// Runs the acceptance cases on Deno KV, in Deno, by the packed package and unstorage's own driver.
import { unstorageAdapter } from 'sx-agent/storage'
import { storageAcceptance } from 'sx-agent/storage/testing'
import { createStorage } from 'unstorage'
import denoKvDriver from 'unstorage/drivers/deno-kv'

const kv = await Deno.openKv(':memory:')
const storage = createStorage({ driver: denoKvDriver({ openKv: () => kv }) })
const putIfAbsent = async (name, { bytes }) => {
  const key = name.split(':')
  return (await kv.atomic().check({ key, versionstamp: null }).set(key, bytes).commit()).ok
}
const open = () => unstorageAdapter(storage, { putIfAbsent, durability: 'relaxed' })
const failed = []
const cases = storageAcceptance(open, { largest: 60_000 }) // a value has at most 64 KiB
for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error}`))
console.log(JSON.stringify({ cases: cases.length, failed }))
kv.close()
