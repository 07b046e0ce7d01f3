// For tests that open the same key very often: what scrypt has derived once it need not derive again. It is the runtime's
// own derivation still, the same for the same password, salt and parameters.
import { createHash } from 'node:crypto'

type Input = string | NodeJS.ArrayBufferView
type Options = { N?: number; r?: number; p?: number; maxmem?: number }

const crypto = process.getBuiltinModule('node:crypto')
const { scryptSync } = crypto
const derived = new Map<string, Buffer>()

function remembered(password: Input, salt: Input, length: number, options: Options): Buffer {
  const hash = createHash('sha256').update(password).update('\0').update(salt)
  const name = hash.update(JSON.stringify([length, options])).digest('hex')
  let key = derived.get(name)
  if (key === undefined) derived.set(name, (key = scryptSync(password, salt, length, options)))
  return Buffer.from(key)
}

Object.assign(crypto, {
  scryptSync: remembered,
  scrypt: (
    password: Input,
    salt: Input,
    length: number,
    options: Options,
    done: (error: Error | null, key: Buffer) => void,
  ) => {
    setImmediate(() => done(null, remembered(password, salt, length, options)))
  },
})
