// Fuzzes what reads foreign images and texts; where a nightly toolchain is missing it says so and does nothing.
//
//   node scripts/fuzz.mjs [seconds for each target, 20] [targets…]
//
// Two targets at a time. What is found stays in .cache/fuzz; a crash prints the file that shows it, which belongs into the tests.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, capture, env, exe, root, run, succeeds, wasm } from './setup/shared.mjs'

const [seconds = '20', ...wanted] = process.argv.slice(2)
const fuzz = join(wasm, 'fuzz')
const seeds = join(wasm, 'media', 'tests', 'data')
/** Targets, by the ending of the files they begin with. */
const endings = { png: '.png', jpeg: '.jpg', webp: '.webp', coefficients: '.jpg', samples: '.png' }
const vectors = JSON.parse(readFileSync(join(root, 'test', 'vectors', 'texts.json'), 'utf8'))
const host = /^host: (.+)$/m
const coverage = [
  'passes=sancov-module',
  ...['level=4', 'inline-8bit-counters', 'pc-table', 'trace-compares'].map(
    (name) => `llvm-args=-sanitizer-coverage-${name}`,
  ),
  'debug-assertions=yes',
  'codegen-units=1',
].map((flag) => `-C${flag}`)

/** The triple of this machine if it can fuzz. */
async function nightly() {
  if (!succeeds('rustup', ['run', 'nightly', 'cargo', '--version']) || !succeeds('c++', ['--version'])) return undefined
  const { stdout } = await capture('rustup', ['run', 'nightly', 'rustc', '-vV'])
  return host.exec(stdout)[1]
}

/** Puts what a target begins with into its corpus. */
function plant(name, corpus) {
  mkdirSync(corpus, { recursive: true })
  if (name === 'text') {
    for (const { text } of [...vectors.cases, ...vectors.refusals])
      writeFileSync(join(corpus, createHash('sha1').update(text).digest('hex')), text)
    return
  }
  for (const file of readdirSync(seeds).filter((file) => file.endsWith(endings[name])))
    copyFileSync(join(seeds, file), join(corpus, file))
}

/** Runs a target; resolves to whether it found nothing. */
function attack(binary, name) {
  const corpus = join(cache, 'fuzz', name)
  plant(name, corpus)
  const limits = [`-max_total_time=${seconds}`, '-max_len=32768', '-timeout=10', '-rss_limit_mb=1024']
  const args = [corpus, ...limits, `-artifact_prefix=${join(cache, 'fuzz', `${name}-`)}`, '-print_final_stats=1']
  return new Promise((resolve) => {
    const child = spawn(binary, args, { env, stdio: ['ignore', 'inherit', 'pipe'] })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-20_000)))
    child.on('close', (code) => {
      const runs = /number_of_executed_units: (\d+)/.exec(output)?.[1] ?? '?'
      console.log(`fuzz: ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${runs} runs)`)
      if (code !== 0) console.log(output)
      resolve(code === 0)
    })
  })
}

const triple = await nightly()
if (triple === undefined) {
  console.log('fuzz: left out, there is no nightly toolchain of Rust here, or no C++ compiler.')
} else {
  const manifest = readFileSync(join(fuzz, 'Cargo.toml'), 'utf8')
  const names = Array.from(manifest.matchAll(/^path = "targets\/(.+)\.rs"$/gm), ([, name]) => name)
  const build = ['run', 'nightly', 'cargo', 'build', '--locked', '--release', '--target', triple]
  await run('fuzz targets', 'with the coverage that steers them', 'rustup', build, {
    cwd: fuzz,
    env: { ...env, CARGO_ENCODED_RUSTFLAGS: [...coverage, '--cfg', 'fuzzing', '-Zsanitizer=address'].join('\x1f') },
  })
  const queue = names.filter((name) => wanted.length === 0 || wanted.includes(name))
  const worker = async () => {
    for (let name = queue.shift(); name; name = queue.shift())
      if (!(await attack(join(fuzz, 'target', triple, 'release', name + exe), name))) process.exitCode = 1
  }
  await Promise.all([worker(), worker()])
}
