// The tests of the core, then those of the package in Node and in Chromium; ends with one line of counts.
//
//   node scripts/test.mjs [--long]
//
//   --long  the full counts of kill and load tests, which otherwise run a tenth of them
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cache, env, root, wasm } from './setup/shared.mjs'

const testEnv = process.argv.includes('--long') ? { ...env, SX_TEST_LONG: '1' } : env

/** Runs a program, shows what it prints and returns that, with its exit status. */
function show(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: testEnv, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      process.stdout.write(text)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}

/** A run that did not succeed counts as a failure even if it got to no test. */
const counted = (ok, passed, failed) => ({ passed, failed: ok ? failed : Math.max(failed, 1) })

async function rust() {
  const native = await show('cargo', ['test', '--locked', '--workspace', '--no-fail-fast'], wasm)
  const lanes = await show(process.execPath, [join(root, 'scripts', 'lanes.mjs')], root)
  const lines = [...(native.output + lanes.output).matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm)]
  const sum = (column) => lines.reduce((total, line) => total + Number(line[column]), 0)
  return counted(native.ok && lanes.ok, sum(1), sum(2))
}

async function typescript() {
  const report = join(cache, 'vitest.json')
  rmSync(report, { force: true })
  mkdirSync(cache, { recursive: true })
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const args = [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { ok } = await show(process.execPath, args, root)
  if (!existsSync(report)) return counted(false, 0, 0)
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const failures = ({ status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').length
    return status === 'failed' ? Math.max(failed, 1) : failed // a file that does not load has no tests
  }
  return counted(
    ok,
    numPassedTests,
    testResults.reduce((total, file) => total + failures(file), 0),
  )
}

const results = [await rust(), await typescript()]
const passed = results.reduce((total, result) => total + result.passed, 0)
const failed = results.reduce((total, result) => total + result.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && results.every((result) => result.passed > 0) ? 0 : 1
