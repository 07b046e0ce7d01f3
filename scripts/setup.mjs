// Makes a fresh checkout ready to build, test and run; quick when nothing is left to do.
//
//   node scripts/setup.mjs [--browsers] [--all-browsers] [--dist] [--core] [--quick]
//
//   --browsers      also Chromium, for what runs in a page; where CI=true the others too
//   --all-browsers  Firefox and WebKitGTK too, for the table of runtimes
//   --dist          also the package as it is published
//   --core          of the modules only the core, and of the package only what runs in Node
//   --quick         an unoptimised core, for daily work
import { buildDist } from './setup/dist.mjs'
import { exclusively } from './setup/lock.mjs'
import { buildModule, moduleNames } from './setup/outputs.mjs'
import { Stop, times } from './setup/shared.mjs'
import {
  allBrowsers,
  installBrowsers,
  installNpmPackages,
  installRust,
  installWasmTools,
  requireNode,
} from './setup/tools.mjs'

const flags = new Set(process.argv.slice(2))
const known = ['--browsers', '--all-browsers', '--dist', '--core', '--quick']
const unknown = [...flags].filter((flag) => !known.includes(flag))

/** The browsers that are wanted; nothing of CI may be left out for want of one. */
function browsers() {
  if (flags.has('--all-browsers') || (flags.has('--browsers') && process.env.CI === 'true')) return allBrowsers
  return flags.has('--browsers') ? ['chromium'] : []
}

/** Awaits all, then fails with every reason at once: one run names everything that is missing. */
async function all(promises) {
  const failures = (await Promise.allSettled(promises)).filter((result) => result.status === 'rejected')
  const reasons = new Set(failures.flatMap(({ reason }) => (reason instanceof AggregateError ? reason.errors : reason)))
  if (reasons.size > 0) throw new AggregateError(reasons)
}

async function setup() {
  requireNode()
  const coreOnly = flags.has('--core')
  const [npm, rust] = [installNpmPackages(), installRust()]
  const tools = all([npm, rust.then(installWasmTools)])
  const quick = flags.has('--quick')
  const modules = (coreOnly ? ['core'] : moduleNames).map(async (name) => {
    await rust
    await buildModule(name, { quick, tools })
  })
  await all([tools, installBrowsers(browsers()), ...modules])
  if (flags.has('--dist')) await buildDist({ coreOnly })
}

try {
  if (unknown.length > 0) throw new Stop(`There is no option ${unknown.join(', ')}.`)
  await exclusively(setup)
  if (times.length > 0) console.error(`setup: ready (${times.join(', ')})`)
} catch (error) {
  for (const reason of error instanceof AggregateError ? error.errors : [error])
    console.error(`setup: ${reason instanceof Stop ? reason.message : reason.stack}`)
  process.exitCode = 1
}
