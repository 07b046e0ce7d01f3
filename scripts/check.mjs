// Everything about the sources that is not a test. Runs all steps, two at a time; needs dist.
//
//   node scripts/check.mjs
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture, root, Stop, wasm } from './setup/shared.mjs'
import { listedNames } from './setup/table.mjs'

const node = (script, ...args) => capture(process.execPath, [script, ...args])
/** The program of an installed package, without the shell script around it. */
const tool = (name, ...args) => {
  const folder = join(root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return node(join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0]), ...args)
}
const cargo = (...args) => capture('cargo', args, { cwd: wasm })

const packed = mkdtempSync(join(tmpdir(), 'sx-check-'))
let packing
/** The tarball that would be published, made once. */
async function tarball() {
  packing ??= capture('npm', ['pack', '--json', '--pack-destination', packed], { shell: process.platform === 'win32' })
  return join(packed, JSON.parse((await packing).stdout)[0].filename)
}

/** Longest first. */
const steps = {
  clippy: () => cargo('clippy', '--locked', '--workspace', '--all-targets', '--', '-D', 'warnings'),
  rustfmt: () => cargo('fmt', '--all', '--check', '--', '--color', 'never'),
  types: () => tool('typescript', '--noEmit'),
  format: () => tool('@biomejs/biome', 'ci', '--colors=off', '--error-on-warnings', '.'),
  lint: () => tool('oxlint', '--type-aware', '--deny-warnings'),
  unused: () => tool('knip', '--no-progress'),
  surfaces: () => node(join(root, 'scripts', 'surfaces.mjs')),
  modules: () => node(join(root, 'scripts', 'modules.mjs')),
  'lock file of the fuzz targets': fuzzLock,
  licences: () => node(join(root, 'scripts', 'notices.mjs'), '--check'),
  publint: async () => tool('publint', 'run', await tarball(), '--strict'),
  'types of the package': async () =>
    tool(
      '@arethetypeswrong/cli',
      await tarball(),
      '--profile',
      'esm-only',
      '--exclude-entrypoints',
      ...listedNames.map((name) => `${name}.wasm`),
      'schemas/agreement/v2/agreement.schema.json',
      'schemas/header/v1/header.schema.json',
    ),
}

/** Fails if the lock file of the fuzz targets, which stand outside of the workspace, lacks what a crate of it depends on. */
async function fuzzLock() {
  const args = ['metadata', '--locked', '--format-version', '1', '--manifest-path', join('fuzz', 'Cargo.toml')]
  try {
    await cargo(...args)
  } catch (error) {
    const advice = 'If wasm/fuzz/Cargo.lock is out of date, run: cargo metadata --manifest-path wasm/fuzz/Cargo.toml'
    throw new Stop(`${error.message}\n${advice} > ${devNull}`)
  }
}

let failed = 0
async function check([name, step]) {
  const start = performance.now()
  let output
  try {
    await step()
  } catch (error) {
    failed += 1
    output = error.message
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`check: ${name}: ${output === undefined ? 'ok' : 'FAILED'} (${seconds} s)`)
  if (output !== undefined) console.log(output)
}

try {
  const queue = Object.entries(steps)
  const total = queue.length
  const worker = async () => {
    for (let step = queue.shift(); step; step = queue.shift()) await check(step)
  }
  await Promise.all([worker(), worker()])
  console.log(`check: ${total - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  rmSync(packed, { recursive: true, force: true })
}
