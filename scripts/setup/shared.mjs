// What the steps of the set-up share: where things are, how programs run, what need not run again.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const cache = join(root, '.cache')
export const wasm = join(root, 'wasm')
export const cargoHome = process.env.CARGO_HOME ?? join(homedir(), '.cargo')
export const exe = process.platform === 'win32' ? '.exe' : ''

/** The environment of every program; a rustup installed a minute ago is not yet on the PATH of this shell. */
export const env = {
  ...process.env,
  PATH: [process.env.PATH, join(cargoHome, 'bin')].join(delimiter),
  RUST_BACKTRACE: '0', // of wasm-pack, when it is the core that does not compile
}

/** A reason to stop that a reader understands without a stack trace. */
export class Stop extends Error {}

/** What ran, with seconds, in order of completion. */
export const times = []

/** Whether a program is there and content with its arguments. */
export const succeeds = (command, args) => spawnSync(command, args, { cwd: root, env, stdio: 'ignore' }).status === 0

/** Runs a program in silence; fails with its output. */
export function capture(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let stdout = ''
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => reject(new Stop(`${command} does not start: ${error.message}`)))
    child.on('close', (code, signal) => {
      if (code === 0) resolve({ stdout })
      else reject(new Stop(`${signal ?? `exit status ${code}`}\n${output.slice(-30_000)}`))
    })
  })
}

/** Says what is done and why, and does it. */
export async function run(label, why, command, args, options = {}) {
  console.error(`setup: ${label}: ${why}`)
  const start = performance.now()
  try {
    await capture(command, args, options)
  } catch (error) {
    throw error instanceof Stop ? new Stop(`${label} FAILED: ${error.message}`) : error
  }
  times.push(`${label} ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

/** SHA-256 over a salt and the names and contents of files and folders, without build folders. */
export function hash(salt, ...paths) {
  const digest = createHash('sha256').update(salt)
  const walk = (path) => {
    const full = join(root, path)
    if (!statSync(full).isDirectory()) return digest.update(`\0${path}\0`).update(readFileSync(full))
    for (const name of readdirSync(full).sort()) if (name !== 'target') walk(`${path}/${name}`)
  }
  paths.forEach(walk)
  return digest.digest('hex')
}

const stampOf = (name) => join(cache, `${name}.stamp`)

/** Whether the stamp of some work holds one of the keys and its outputs are there. */
export function isDone(name, keys, outputs) {
  const stamp = stampOf(name)
  const isCurrent = existsSync(stamp) && keys.includes(readFileSync(stamp, 'utf8'))
  return isCurrent && outputs.every((path) => existsSync(path))
}

/** Skips work that {@link isDone}; the first key is written, after success. */
export async function once(name, keys, outputs, work) {
  if (isDone(name, keys, outputs)) return
  const stamp = stampOf(name)
  rmSync(stamp, { force: true })
  await work()
  mkdirSync(cache, { recursive: true })
  writeFileSync(stamp, keys[0])
}

/** Puts a finished folder in the place of the old one, so that nobody sees half of it. */
export function replace(fresh, folder) {
  const old = `${fresh}.old`
  mkdirSync(dirname(folder), { recursive: true })
  rmSync(old, { recursive: true, force: true })
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(fresh, folder)
  rmSync(old, { recursive: true, force: true })
}
