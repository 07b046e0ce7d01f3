// Makes a fresh checkout ready to build, test and run; quick when nothing is left to do.
//
//   node scripts/setup.mjs [--browsers] [--all-browsers] [--dist] [--core] [--quick] [--modules <folder or .tgz>]
//
//   --browsers      also Chromium, for what runs in a page; where CI=true the others too
//   --all-browsers  Firefox and WebKitGTK too, for the table of runtimes
//   --dist          also the package as it is published
//   --core          of the modules only the core, and of the package only what runs in Node
//   --quick         an unoptimised core, for daily work
//   --modules       takes modules that were built elsewhere from the same sources, without Rust: `wasm/dist` of another
//                   checkout, or an archive of it
import { parseArgs } from 'node:util'
import { buildDist } from './setup/dist.mjs'
import { writeLoaders } from './setup/loaders.mjs'
import { exclusively } from './setup/lock.mjs'
import { areBuilt, buildModule } from './setup/outputs.mjs'
import { Stop, times } from './setup/shared.mjs'
import { checkTable, moduleNames } from './setup/table.mjs'
import { takeModules } from './setup/taken.mjs'
import {
  allBrowsers,
  installBrowsers,
  installNpmPackages,
  installRust,
  installWasmTools,
  requireNode,
} from './setup/tools.mjs'

const flag = { type: 'boolean', default: false }
const options = {
  browsers: flag,
  'all-browsers': flag,
  dist: flag,
  core: flag,
  quick: flag,
  modules: { type: 'string' },
}

/** What was asked for. */
function asked() {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new Stop(error.message)
  }
}

/** The browsers that are wanted; nothing of CI may be left out for want of one. */
function browsersOf({ browsers, 'all-browsers': all }) {
  if (all || (browsers && process.env.CI === 'true')) return allBrowsers
  return browsers ? ['chromium'] : []
}

/** Awaits all, then fails with every reason at once: one run names everything that is missing. */
async function all(promises) {
  const failures = (await Promise.allSettled(promises)).filter((result) => result.status === 'rejected')
  const reasons = new Set(failures.flatMap(({ reason }) => (reason instanceof AggregateError ? reason.errors : reason)))
  if (reasons.size > 0) throw new AggregateError(reasons)
}

async function setup() {
  const { quick, dist, core: coreOnly, modules: from, ...browsers } = asked()
  requireNode()
  checkTable()
  if (from !== undefined) await takeModules(from)
  const names = coreOnly ? ['core'] : moduleNames
  const npm = installNpmPackages()
  // Nobody needs Rust for modules that are there.
  const building = areBuilt(names, { quick }) ? [] : build(names, { quick, npm })
  await all([npm, installBrowsers(browsersOf(browsers)), ...building])
  writeLoaders()
  if (dist) await buildDist({ coreOnly })
}

/** Builds modules; each is compiled while the tools that go on with it are built. */
function build(names, { quick, npm }) {
  const rust = installRust()
  const tools = all([npm, rust.then(installWasmTools)])
  const modules = names.map(async (name) => {
    await rust
    await buildModule(name, { quick, tools })
  })
  return [tools, ...modules]
}

try {
  await exclusively(setup)
  if (times.length > 0) console.error(`setup: ready (${times.join(', ')})`)
} catch (error) {
  for (const reason of error instanceof AggregateError ? error.errors : [error])
    console.error(`setup: ${reason instanceof Stop ? reason.message : reason.stack}`)
  process.exitCode = 1
}
