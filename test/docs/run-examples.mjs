// Runs the examples of one entry of the package, each in a folder of its own, and prints a line of JSON about each.
// It is copied into a project, where `agent` holds an agent and `examples.json` says what to run.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chdir, cwd, stdout } from 'node:process'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'

const home = cwd()
const { entry, examples } = JSON.parse(readFileSync('examples.json', 'utf8'))
const exported = await import(entry)
// An example uses what its entry exports; what else it needs it imports.
Object.assign(globalThis, exported)

for (const [at, { name, code }] of examples.entries()) {
  const folder = join(home, `example-${at + 1}`)
  cpSync(join(home, 'agent'), folder, { recursive: true })
  writeFileSync(join(folder, 'example.mjs'), code)
  chdir(folder)
  const output = []
  console.log = (...values) => output.push(format(...values))
  console.error = console.log
  let error
  try {
    if ('load' in exported) await exported.load()
    if ('SxAgent' in exported) {
      globalThis.agent = new exported.SxAgent()
      await globalThis.agent.load()
    }
    await import(pathToFileURL(join(folder, 'example.mjs')).href)
  } catch (cause) {
    error = format(cause)
  }
  stdout.write(`${JSON.stringify({ name, output, error })}\n`)
}
