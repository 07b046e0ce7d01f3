// The benchmark: measures, and writes what it finds into docs/performance.md.
//
//   node test/bench/run.mjs [--only <groups>] [--runs <number>] [--out <file> [--quick]]
//   node test/bench/run.mjs --against <folder> [--only signatures] [--runs <number>] [--quick]
//
//   --only   some of the groups, with commas between them; what the page says of the others stays. They are
//            signatures, signers, canonical, size, start, page, growth, images, images-page, texts, files,
//            schemas, many, batches, agreements
//   --runs   how often signatures, start, page and images-page are measured, each time in processes of its own
//            (5), and signers (1)
//   --out    writes a copy of the page there, and plots beside it, instead of the page itself
//   --quick  few and short rounds, for trying the benchmark out; two runs
//   --against  compares signatures with another built checkout, in turns in one process, and prints the result; the
//              page stays as it is. A run is a process for each order of loading them (2)
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { against, builtCheckout } from './groups/against.mjs'
import { agreements } from './groups/agreements.mjs'
import { batches } from './groups/batches.mjs'
import { canonical } from './groups/canonical.mjs'
import { files } from './groups/files.mjs'
import { growth } from './groups/growth.mjs'
import { images } from './groups/images.mjs'
import { imagesPage } from './groups/images-page.mjs'
import { many } from './groups/many.mjs'
import { page } from './groups/page.mjs'
import { schemas } from './groups/schemas.mjs'
import { signatures } from './groups/signatures.mjs'
import { signers } from './groups/signers.mjs'
import { size } from './groups/size.mjs'
import { start } from './groups/start.mjs'
import { texts } from './groups/texts.mjs'
import { circumstances } from './report.mjs'
import { updateTargets } from './targets.mjs'

const groups = {
  signatures,
  signers,
  canonical,
  size,
  start,
  page,
  growth,
  images,
  'images-page': imagesPage,
  texts,
  files,
  schemas,
  many,
  batches,
  agreements,
}
const document = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))

/** What stands between the markers of a block is replaced. */
function replaceBlock(text, name, change) {
  const [begin, end] = [`<!-- bench:begin ${name} -->\n`, `<!-- bench:end ${name} -->`]
  const from = text.indexOf(begin) + begin.length
  const to = text.indexOf(end, from)
  if (from < begin.length || to < 0) throw new Error(`The page has no block '${name}'.`)
  return `${text.slice(0, from)}${change(text.slice(from, to))}${text.slice(to)}`
}

function options() {
  const text = { type: 'string' }
  const known = { only: text, runs: text, out: text, against: text, quick: { type: 'boolean', default: false } }
  const { only, out, quick, runs, against: folder } = parseArgs({ options: known }).values
  const chosen = only?.split(',') ?? Object.keys(groups)
  for (const name of chosen) {
    if (!Object.hasOwn(groups, name)) {
      throw new Error(`There is no group '${name}', but ${Object.keys(groups).join(', ')}.`)
    }
  }
  if (runs !== undefined && !/^[1-9][0-9]?$/.test(runs)) throw new Error('--runs takes a number from 1 to 99.')
  const pace = { quick, runs: runs === undefined ? undefined : Number(runs) }
  if (folder !== undefined) {
    if (only !== undefined && only !== 'signatures')
      throw new Error('--against compares only signatures: leave out --only, or pass --only signatures.')
    if (out !== undefined) throw new Error('--against prints its result and writes no page: leave out --out.')
    return { folder: builtCheckout(folder), pace }
  }
  if (quick && out === undefined)
    throw new Error('What is measured with --quick is not for the page: add --out <file>.')
  return { chosen, out: out ?? document, pace }
}

const { chosen = [], out, folder, pace } = options()
if (folder !== undefined) console.log(await against(folder, pace))
let text = readFileSync(document, 'utf8')
for (const name of chosen) {
  const began = performance.now()
  const under = circumstances()
  const { tables, targets, plots = {} } = await groups[name](pace)
  text = replaceBlock(text, name, () => `\n${tables}\n\n${under}\n\n`)
  text = replaceBlock(text, 'targets', (before) => updateTargets(before, targets))
  // Written after every group, so that a failure of a later one loses nothing.
  writeFileSync(out, text)
  for (const [file, svg] of Object.entries(plots)) writeFileSync(join(dirname(out), file), svg)
  console.log(`bench: ${name} (${((performance.now() - began) / 1000).toFixed(0)} s)\n\n${tables}\n`)
}
