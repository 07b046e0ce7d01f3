// Loads an agent by a password, closes it, and writes what is on the heap before and after. The password comes as
// hexadecimal digits, so that nothing but the library's use of it brings it there as a text.
import { writeHeapSnapshot } from 'node:v8'
import { close, create, load } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'

const [hex, before, after] = process.argv.slice(2)
const password = () => Buffer.from(hex, 'hex').toString()
const storage = memoryStorage()
await create({ name: 'A', algorithm: 'ed25519', password: password(), storage })
await close()
await load({ password: password(), storage })
writeHeapSnapshot(before)
await close()
await new Promise((resolve) => setTimeout(resolve)) // what has just ended is let go of
writeHeapSnapshot(after)
