// Runs the program with several command lines, one after the other, and prints what each came to, as JSON:
//
//   node many.mjs <program> '[["--help"], ["verify", "--help"]]'
//
// For what ends while the arguments are parsed: help, and mistakes. A process for each would start for most of the time.
import process, { stderr, stdout } from 'node:process'
import { pathToFileURL } from 'node:url'

const [, , program, list] = process.argv
const write = stdout.write.bind(stdout)
const said = { stdout: '', stderr: '' }
for (const [name, stream] of Object.entries({ stdout, stderr })) {
  stream.setMaxListeners(0) // each run listens for errors
  stream.write = (text) => {
    said[name] += String(text)
    return true
  }
}

const runs = []
for (const [at, args] of JSON.parse(list).entries()) {
  Object.assign(said, { stdout: '', stderr: '' })
  process.exitCode = undefined
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args)
  await import(`${pathToFileURL(program)}?run=${at}`)
  await new Promise((resolve) => setImmediate(resolve))
  runs.push({ exit: process.exitCode ?? 0, ...said })
}
process.exitCode = 0
write(JSON.stringify(runs))
