// Cloudflare R2 as a storage: it puts if absent, so any number of isolates may write to one bucket.
import { unstorageAdapter } from 'sx-agent/storage'
import { createStorage } from 'unstorage'
import r2Driver from 'unstorage/drivers/cloudflare-r2-binding'

export function bucketStorage(bucket) {
  /** The driver lists the first thousand objects and no more. */
  async function getKeys(base = '') {
    const keys = []
    let cursor
    do {
      const page = await bucket.list({ prefix: base && `${base}:`, cursor })
      keys.push(...page.objects.map(({ key }) => key))
      cursor = page.truncated ? page.cursor : undefined
    } while (cursor)
    return keys
  }
  const putIfAbsent = async (name, { bytes }) =>
    (await bucket.put(name, bytes, { onlyIf: { etagDoesNotMatch: '*' } })) !== null
  const storage = createStorage({ driver: r2Driver({ binding: bucket }) })
  return unstorageAdapter({ ...storage, getKeys }, { putIfAbsent, durability: 'strict' })
}
