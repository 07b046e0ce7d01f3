// What scrypt has derived once it need not derive again: tests open the same few keys thousands of times. It is the
// runtime's own derivation still, the same for the same password, salt and parameters. Loaded before every test in Node,
// and into programs that tests start, which share a folder: `node --import '<this file>?folder=<path>'`.
// `programs.ts` shares it with them. The files hold text: Node.js reads and writes that without the calls that some
// programs count.
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const crypto = process.getBuiltinModule('node:crypto')
const { scryptSync } = crypto
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
 * From now on what was derived here is in this folder, too.
 *
 * @param {string} path
 */
export function share(path) {
  folder = path
  for (const [name, key] of derived) store(name, key)
}

/**
 * @param {string | NodeJS.ArrayBufferView} password
 * @param {string | NodeJS.ArrayBufferView} salt
 * @param {number} length
 * @param {import('node:crypto').ScryptOptions} options
 */
function remembered(password, salt, length, options) {
  const hash = createHash('sha256').update(password).update('\0').update(salt)
  const name = hash.update(JSON.stringify([length, options])).digest('hex')
  let key = derived.get(name) ?? stored(name)
  if (key === undefined) store(name, (key = scryptSync(password, salt, length, options)))
  return Buffer.from(key)
}

Object.assign(crypto, {
  scryptSync: remembered,
  /**
   * @param {string | NodeJS.ArrayBufferView} password
   * @param {string | NodeJS.ArrayBufferView} salt
   * @param {number} length
   * @param {import('node:crypto').ScryptOptions} options
   * @param {(error: Error | null, key: Buffer) => void} done
   */
  scrypt(password, salt, length, options, done) {
    setImmediate(() => {
      let key
      try {
        key = remembered(password, salt, length, options)
      } catch (error) {
        done(/** @type {Error} */ (error), Buffer.alloc(0))
        return
      }
      done(null, key)
    })
  },
})
