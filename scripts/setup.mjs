// Makes a fresh checkout ready to build, test and run; quick when nothing is left to do.
//
//   node scripts/setup.mjs [--browsers] [--all-browsers] [--dist] [--quick]
//
//   --browsers      also Chromium, for what runs in a page; where CI=true the others too
//   --all-browsers  Firefox and WebKitGTK too, for the table of runtimes
//   --dist          also the package as it is published
//   --quick         an unoptimised core, for daily work
import { buildDist } from './setup/dist.mjs'
import { exclusively } from './setup/lock.mjs'
import { buildCore, buildMedia, buildSchema } from './setup/outputs.mjs'
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
const unknown = [...flags].filter((flag) => !['--browsers', '--all-browsers', '--dist', '--quick'].includes(flag))

/** The browsers that are wanted; nothing of CI may be left out for want of one. */
function browsers() {
  if (flags.has('--all-browsers') || (flags.has('--browsers') && process.env.CI === 'true')) return allBrowsers
  return flags.has('--browsers') ? ['chromium'] : []
}

/** Awaits all, then fails with every reason at once: one run names everything that is missing. */
async function all(promises) {
  const failures = (await Promise.allSettled(promises)).filter((result) => result.status === 'rejected')
  if (failures.length > 0) throw new AggregateError(failures.map((failure) => failure.reason))
}

async function setup() {
  requireNode()
  await all([installNpmPackages(), installRust().then(installWasmTools), installBrowsers(browsers())])
  // Cargo runs one at a time; what comes after it need not wait.
  const quick = flags.has('--quick')
  await all([buildCore({ quick }), buildMedia({ quick }), buildSchema({ quick })])
  if (flags.has('--dist')) await buildDist()
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
