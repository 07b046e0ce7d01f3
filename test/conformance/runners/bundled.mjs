// A bundle for Node that holds no WebAssembly: it names the modules of the package that is installed beside it.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { modulesAt } from './modules.mjs'
import { main, report } from './report.mjs'

const [out, place] = process.argv.slice(2)
await main.init(modulesAt((name) => fileURLToPath(import.meta.resolve(`sx-agent/${name}.wasm`))))
writeFileSync(out, await report({ place, short: true }))
