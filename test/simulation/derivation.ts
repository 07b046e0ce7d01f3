/**
 * The core with a key derivation that costs nothing: everything else in it is real. A core that takes derived keys
 * (`deriveKey`) gets only that replaced; one that derives inside `secretOpen` and `secretEncrypt` gets both replaced,
 * with an encryption of our own that keeps the same promises: the right password opens, any other is `WrongPassword`.
 */
import { createHash } from 'node:crypto'

type Functions = Readonly<Record<string, unknown>>

const LABEL = 'ENCRYPTED PRIVATE KEY'
const PEM = new RegExp(`^-----BEGIN ${LABEL}-----\n(.*)\n-----END ${LABEL}-----\n$`)

const digest = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest()
}

/** What {@link cheapCore} replaces, of the functions that a core has. */
export function cheapDerivation(core: Functions): Functions {
  if ('deriveKey' in core) {
    return { deriveKey: (parameters: string, password: Uint8Array) => new Uint8Array(digest(parameters, password)) }
  }
  const bytesOf = core['secretBytes'] as (handle: number) => Uint8Array
  const restore = core['secretRestore'] as (der: Uint8Array) => number
  return {
    secretEncrypt: (handle: number, password: Uint8Array, salt: Uint8Array): string => {
      const sealed = { tag: digest(salt, password).toString('hex'), salt: hex(salt), der: hex(bytesOf(handle)) }
      return `-----BEGIN ${LABEL}-----\n${Buffer.from(JSON.stringify(sealed)).toString('base64')}\n-----END ${LABEL}-----\n`
    },
    secretOpen: (pem: string, password: Uint8Array): number => {
      const [, body = ''] = PEM.exec(pem) ?? []
      if (body === '') refuse('InvalidKey', 'The private key file is damaged.')
      const { tag, salt, der } = JSON.parse(Buffer.from(body, 'base64').toString()) as Record<string, string>
      if (digest(Buffer.from(salt ?? '', 'hex'), password).toString('hex') !== tag) {
        refuse('WrongPassword', 'The password does not open the key.')
      }
      return restore(Buffer.from(der ?? '', 'hex'))
    },
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function refuse(code: string, found: string): never {
  // oxlint-disable-next-line typescript/only-throw-error, no-throw-literal -- as the core throws
  throw `${code}\n${found}`
}
