// What scrypt has derived once it need not derive again: tests open the same few keys thousands of times. It is the
// runtime's own derivation still, the same for the same password, salt and parameters. Loaded by `setup.ts` before every
// test in Node, and by `remembering` of `programs.ts` into programs that tests start; all of them share a folder. The
// files hold text: Node.js reads and writes that without the calls that some programs count.
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const crypto = process.getBuiltinModule('node:crypto')
const { scrypt, scryptSync } = crypto
/** More than one, so that a key that is opened with the salt of another does not open. */
const SALTS = 4

let folder = new URL(import.meta.url).searchParams.get('folder')
/** @type {Map<string, Buffer>} */
const derived = new Map()

/** @param {string} name */
function stored(name) {
  if (folder === null) return undefined
  try {
    return Buffer.from(readFileSync(join(folder, name), 'utf8'), 'hex')
  } catch {
    return undefined // not derived yet
  }
}

/**
 * @param {string} name
 * @param {Buffer} key
 */
function store(name, key) {
  derived.set(name, key)
  if (folder === null) return
  const path = join(folder, randomUUID())
  writeFileSync(path, key.toString('hex'))
  renameSync(path, join(folder, name))
}

/**
 * From now on what is derived here is in this folder, too.
 *
 * @param {string} path
 */
export function share(path) {
  folder = path
}

/**
 * @typedef {string | NodeJS.ArrayBufferView} Input
 * @typedef {import('node:crypto').ScryptOptions} Options
 */

/** @type {(password: Input, salt: Input, length: number, options: Options) => string} */
function nameOf(password, salt, length, options) {
  const hash = createHash('sha256').update(password).update('\0').update(salt)
  return hash.update(JSON.stringify([length, options])).digest('hex')
}

/** @param {string} name */
function found(name) {
  const key = derived.get(name) ?? stored(name)
  return key && Buffer.from(key)
}

let areFew = true

/**
 * What the salt of a new key is made of in tests: these are few, so most keys need no derivation of their own.
 *
 * @param {Uint8Array | number[]} entropy what it is made of otherwise
 */
export function saltOf(entropy) {
  if (!areFew) return entropy
  // Two calls with the same randomness do the same.
  const [first = 0] = entropy
  const text = `salt ${first % SALTS}`
  return new Uint8Array(createHash('sha256').update(text).digest())
}

/** From now on salts are random, or whatever a test has in place of that. */
export function randomSalts() {
  areFew = false
}

/** For tests of derivation itself: from now on nothing is remembered. */
export function forget() {
  randomSalts()
  Object.assign(crypto, { scrypt, scryptSync })
}

Object.assign(crypto, {
  /** @type {(password: Input, salt: Input, length: number, options: Options) => Buffer} */
  scryptSync(password, salt, length, options) {
    const name = nameOf(password, salt, length, options)
    const known = found(name)
    if (known !== undefined) return known
    const key = scryptSync(password, salt, length, options)
    store(name, Buffer.from(key))
    return key
  },
  /**
   * @param {Input} password
   * @param {Input} salt
   * @param {number} length
   * @param {Options} options
   * @param {(error: Error | null, key: Buffer) => void} done
   */
  scrypt(password, salt, length, options, done) {
    const name = nameOf(password, salt, length, options)
    const known = found(name)
    if (known !== undefined) setImmediate(() => done(null, known))
    else {
      scrypt(password, salt, length, options, (error, key) => {
        if (error === null) store(name, Buffer.from(key))
        done(error, key)
      })
    }
  },
})
