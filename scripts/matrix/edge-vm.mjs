// Runs a bundle in Vercel's edge runtime, in a process of its own because it does not let go of the thread.
//
//   node edge-vm.mjs <bundle> <where the report goes> <name of a module>=<its file>…
import { readFileSync, writeFileSync } from 'node:fs'
import { EdgeVM } from '@edge-runtime/vm'

const [bundle, out, ...given] = process.argv.slice(2)
const modules = given.map((one) => /^(\w+)=(.+)$/.exec(one).slice(1))
const vm = new EdgeVM()
vm.evaluate(readFileSync(bundle, 'utf8'))
const sources = Object.fromEntries(modules.map(([name, path]) => [name, readFileSync(path)]))
writeFileSync(out, await vm.context.conformance(sources))
