// A bundle for Node that holds no WebAssembly: it names the modules of the package that is installed beside it.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { main, report } from './report.mjs'

const [out, place] = process.argv.slice(2)
const placeOf = (name) => fileURLToPath(import.meta.resolve(`sx-agent/${name}.wasm`))
const [core, media, pixels, schema] = ['core', 'media', 'pixels', 'schema'].map(placeOf)
await main.init({ core, media, pixels, schema })
writeFileSync(out, await report({ place, short: true }))
