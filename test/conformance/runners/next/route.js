// A route handler of Next.js: the server's report.
import { equal, ok } from '../../assert.mjs'
import { report, simple, storage } from '../report.mjs'

/** Enough documents for threads to verify them. */
async function many() {
  const threads = process.getBuiltinModule('node:worker_threads')
  const { Worker } = threads
  let answers = 0
  threads.Worker = class extends Worker {
    constructor(...given) {
      super(...given)
      this.on('message', () => {
        answers += 1
      })
    }
  }
  const options = { name: 'Many', algorithm: 'ed25519', password: 'a password for tests' }
  await simple.create({ ...options, storage: storage.memoryStorage() })
  const { raw } = await simple.signMessage({ amount: 1 })
  const verdicts = await simple.verifyMany(Array.from({ length: 200 }, () => raw))
  await simple.close()
  threads.Worker = Worker
  ok(answers > 1, 'threads verify')
  equal(verdicts.filter(({ valid, trusted }) => valid && trusted).length, 200)
}

export async function GET() {
  try {
    const text = await report({ place: 'kept-next', short: true })
    await many()
    return new Response(text)
  } catch (error) {
    return new Response(`FAILED: ${error?.stack ?? error}`)
  }
}
