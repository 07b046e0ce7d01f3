// Runs a bundle in Vercel's edge runtime, in a process of its own because it does not let go of the thread.
//
//   node edge-vm.mjs <bundle> <core.wasm> <where the report goes>
import { readFileSync, writeFileSync } from 'node:fs'
import { EdgeVM } from '@edge-runtime/vm'

const [bundle, core, out] = process.argv.slice(2)
const vm = new EdgeVM()
vm.evaluate(readFileSync(bundle, 'utf8'))
writeFileSync(out, await vm.context.conformance(readFileSync(core)))
