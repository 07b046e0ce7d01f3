// Runs a bundle in Vercel's edge runtime, in a process of its own because it does not let go of the thread.
//
//   node edge-vm.mjs <bundle> <core.wasm> <media.wasm> <pixels.wasm> <schema.wasm> <where the report goes>
import { readFileSync, writeFileSync } from 'node:fs'
import { EdgeVM } from '@edge-runtime/vm'

const [bundle, core, media, pixels, schema, out] = process.argv.slice(2)
const vm = new EdgeVM()
vm.evaluate(readFileSync(bundle, 'utf8'))
writeFileSync(out, await vm.context.conformance(...[core, media, pixels, schema].map((path) => readFileSync(path))))
