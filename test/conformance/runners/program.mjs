// Node, Deno and Bun: prints the report. There is nothing to call before.
import { writeFileSync } from 'node:fs'
import { report } from './report.mjs'

const [out] = process.argv.slice(2)
writeFileSync(out, await report({ place: `kept-${process.pid}` }))
