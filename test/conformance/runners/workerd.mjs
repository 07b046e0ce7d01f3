// Cloudflare Workers: nothing to call before, also for what returns directly.
import { equal } from '../assert.mjs'
import { reportOfEdge } from './edge.mjs'
import { main } from './report.mjs'

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4: SHA-256 of "abc"

export default {
  async fetch({ url }) {
    try {
      equal(main.hashString('abc'), abc)
      return new Response(await reportOfEdge({ short: new URL(url).pathname === '/short' }))
    } catch (error) {
      return new Response(`FAILED: ${error?.stack ?? error}`)
    }
  },
}
