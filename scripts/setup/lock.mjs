// One set-up at a time: a second process waits, and takes over what a dead one left.
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cache } from './shared.mjs'

const beatMs = 2_000
const staleMs = 60_000 // no beat for so long: the number belongs to another process by now
const lock = join(cache, 'setup.lock')

/** Creates a file holding our process number, whole or not at all; false if it is there already. */
function claim(path) {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft)
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** The process that holds a lock file, or undefined if nobody does any more. */
function holder(path) {
  try {
    const pid = Number(readFileSync(path, 'utf8'))
    return isAlive(pid) && Date.now() - statSync(path).mtimeMs < staleMs ? pid : undefined
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Removes a dead lock. The guard keeps two waiters from removing each other's fresh one. */
function removeStale() {
  const guard = `${lock}.guard`
  if (!claim(guard)) {
    if (holder(guard) === undefined) rmSync(guard, { force: true })
    return
  }
  try {
    if (holder(lock) === undefined) rmSync(lock, { force: true })
  } finally {
    rmSync(guard, { force: true })
  }
}

/** Runs work while no other process of this checkout does. */
export async function exclusively(work) {
  mkdirSync(cache, { recursive: true })
  let told = false
  while (!claim(lock)) {
    const pid = holder(lock)
    if (pid === undefined) removeStale()
    else {
      if (!told) console.error(`setup: process ${pid} is setting up this checkout, waiting for it`)
      told = true
      await sleep(100)
    }
  }
  const release = () => rmSync(lock, { force: true })
  const beat = setInterval(() => utimesSync(lock, new Date(), new Date()), beatMs)
  process.once('exit', release)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  try {
    return await work()
  } finally {
    clearInterval(beat)
    process.removeListener('exit', release)
    release()
  }
}
