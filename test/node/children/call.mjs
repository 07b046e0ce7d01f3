// Makes calls of the simplified API one after the other and prints a line of JSON with the outcome of each:
//
//   node call.mjs '[["quickstart", {…}], ["signMessage", {"a": 1}]]'
//
// With SX_TEST_KILL_AT=n it dies by SIGKILL instead of asking the file system for the n-th time (from 1) in its last
// call.
import fs, { writeSync } from 'node:fs'

const calls = JSON.parse(process.argv[2])
const killAt = Number(process.env.SX_TEST_KILL_AT ?? Number.POSITIVE_INFINITY)

let steps = 0
let counting = false
let isLast = false
for (const name of ['open', 'write', 'fsync', 'link', 'rename', 'unlink', 'mkdir'].flatMap((one) => [
  one,
  `${one}Sync`,
])) {
  const original = fs[name]
  fs[name] = (...args) => {
    if (counting && ++steps === killAt && isLast) process.kill(process.pid, 'SIGKILL')
    return original(...args)
  }
}

const simple = await import('sx-agent/simple')

const print = (outcome) => writeSync(1, `${JSON.stringify(outcome)}\n`)

for (const [at, [name, ...args]] of calls.entries()) {
  isLast = at === calls.length - 1
  steps = 0
  counting = true
  try {
    const value = await simple[name](...args)
    counting = false
    print({ value, steps })
  } catch (error) {
    counting = false
    if (error instanceof simple.SxError) print({ code: error.code, message: error.message, steps })
    else print({ raw: String(error), steps })
  }
}
