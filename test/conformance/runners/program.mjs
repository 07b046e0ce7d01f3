// Node, Deno and Bun: writes the report, `short` without the long cases. There is nothing to call before.
import { writeFileSync } from 'node:fs'
import { report } from './report.mjs'

const [out, short] = process.argv.slice(2)
writeFileSync(out, await report({ place: `kept-${process.pid}`, short: short === 'short' }))
