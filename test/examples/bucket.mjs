// Runs the acceptance cases on the bucket of the example, as a Worker in a copy of it.
import { storageAcceptance } from 'sx-agent/storage/testing'
import { bucketStorage } from '../../examples/worker/bucket.js'

export default {
  async fetch(_, env) {
    const failed = []
    // workerd itself reads the options of its buckets through their prototype.
    const isOfPlatform = ({ name }) => name.includes('Object.prototype')
    const cases = storageAcceptance(() => bucketStorage(env.STORE)).filter((one) => !isOfPlatform(one))
    for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error}`))
    // More than the driver lists at a time, in one bucket.
    const storage = bucketStorage(env.STORE)
    const names = Array.from({ length: 1_100 }, (_, at) => String(10_000 + at))
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => storage.put(['many', name], new Uint8Array(1))))
    let listed = 0
    for await (const [, name] of storage.list(['many'])) if (name === names[listed]) listed += 1
    return Response.json({ cases: cases.length, failed, listed })
  },
}
