// The tests of the core, then those of the package in Node and in Chromium; ends with one line of counts.
//
//   node scripts/test.mjs [--all] [--slow] [--long] [words…]
//
//   --all   also what takes long: every runtime, kills, long simulation, pictures and the programs of others
//   --slow  that alone
//   --long  with the full counts of what kills, loads and simulates
//   words   what has one of them in its name: files of tests, and tests of the core
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { findBrowser } from './browsers.mjs'
import { cache, env, root, succeeds, wasm } from './setup/shared.mjs'

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, slow: { type: 'boolean' }, long: { type: 'boolean' } },
})
const testEnv = values.long ? { ...env, SX_TEST_LONG: '1' } : env
/** Who names something wants it, however long it takes. */
const isAll = values.all || words.length > 0

/**
 * Runs a program, shows what it prints and returns that, with its exit status.
 *
 * @param isLater shows it when the program has ended, because another one shows what it prints at the same time
 */
function show(command, args, cwd, isLater = false) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: testEnv, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let shown = ''
    const print = (text) => {
      if (isLater) shown += text
      else process.stdout.write(text)
    }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      print(text)
    })
    child.stderr.setEncoding('utf8').on('data', print)
    child.on('error', reject)
    child.on('close', (code) => {
      process.stdout.write(shown)
      resolve({ ok: code === 0, output })
    })
  })
}

/** A run that did not succeed counts as a failure even if it got to no test. */
function counted(ok, passed, failed, names) {
  if (ok || failed > 0) return { passed, failed, names }
  return { passed, failed: 1, names: ['an error outside of every test: it is printed above'] }
}

/** @param slow only what takes long */
async function rust(isLater, slow = false) {
  if (process.env.CI !== 'true' && !succeeds('cargo', ['--version'])) {
    console.warn('Rust is not installed: the tests of the core do NOT run. `npm run setup` says how to install it.')
    return counted(true, 0, 0, [])
  }
  const tests = ['test', '--locked', '--workspace', '--no-fail-fast', '--', ...words]
  const chosen = slow ? ['--ignored'] : isAll ? ['--include-ignored'] : []
  const runs = [await show('cargo', [...tests, ...chosen], wasm, isLater)]
  if (words.length === 0 && !slow) {
    runs.push(await show(process.execPath, [join(root, 'scripts', 'lanes.mjs')], root, isLater))
  }
  const output = runs.map((run) => run.output).join('')
  const lines = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)]
  const sum = (column) => lines.reduce((total, line) => total + Number(line[column]), 0)
  const isDone = runs.every(({ ok }) => ok)
  const names = [...output.matchAll(/^test (.+) \.\.\. FAILED$/gm)].map(([, name]) => name)
  return counted(isDone, sum(1), sum(2), names)
}

/**
 * @param projects of vite.config.ts; all if there are none
 * @param excluded files that do not run
 */
async function typescript(projects, isLater = false, excluded = []) {
  const report = join(cache, `vitest-${projects.join('-') || 'all'}.json`)
  rmSync(report, { force: true })
  mkdirSync(cache, { recursive: true })
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const named = words.length > 0 ? ['--passWithNoTests', ...words] : []
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const chosen = projects.map((name) => `--project=${name}`)
  chosen.push(...excluded.map((file) => `--exclude=${file}`))
  const { ok } = await show(process.execPath, [vitest, 'run', ...chosen, ...reporters, ...named], root, isLater)
  if (!existsSync(report)) return counted(false, 0, 0, [])
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const names = testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [file] // a file that does not load has no tests
    return failed.map(({ fullName }) => `${file}: ${fullName}`)
  })
  return counted(ok, numPassedTests, names.length, names)
}

/** What reads foreign images and texts, on random ones; nothing where there is no nightly toolchain. */
async function fuzz() {
  const { ok } = await show(process.execPath, [join(root, 'scripts', 'fuzz.mjs'), '20'], root)
  return counted(ok, ok ? 1 : 0, ok ? 0 : 1, ok ? [] : ['fuzz'])
}

/** The results of all groups of tests, by {@link counted}. */
async function run() {
  if (values.slow) {
    return [await rust(false, true), await typescript(['slow']), ...(words.length === 0 ? [await fuzz()] : [])]
  }
  if (isAll) return [await rust(), await typescript([]), ...(words.length === 0 ? [await fuzz()] : [])]
  // The cases of every runtime run in a page in the table of runtimes, which `npm run test:all` makes.
  // At the same time: each of them leaves processors idle. Vitest itself runs projects one after the other.
  const inPages =
    findBrowser('chromium') === undefined
      ? []
      : [typescript(['browser'], true, ['test/conformance/conformance.test.ts'])]
  return await Promise.all([typescript(['node']), rust(true), ...inPages])
}

const results = await run()
const sum = (of) => results.reduce((total, result) => total + result[of], 0)
const [passed, failed] = [sum('passed'), sum('failed')]
if (passed + failed === 0) console.error(`No test has ${words.map((word) => `'${word}'`).join(' or ')} in its name.`)
for (const name of results.flatMap(({ names }) => names)) console.log(`failed: ${name}`)
console.log(`${passed} passed, ${failed} failed`)
const isComplete =
  words.length > 0 || process.env.CI !== 'true' ? passed > 0 : results.every((result) => result.passed > 0)
process.exitCode = failed === 0 && isComplete ? 0 : 1
