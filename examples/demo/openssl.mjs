/** Checks an agent's Ed25519 key files and signature with the program `openssl` (3.0 or later). */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const openssl = (...args) => spawnSync('openssl', args, { encoding: 'utf8', timeout: 30_000 })

const commands = {
  darwin: 'brew install openssl && export PATH="$(brew --prefix openssl)/bin:$PATH"',
  linux: 'sudo apt-get install -y openssl',
}

/** How to get it, as a sentence. */
export const installation =
  process.platform in commands ? `Install it: ${commands[process.platform]}` : 'Install it from openssl-library.org.'

/** The version of the installed program; `undefined` if there is none that can do this. */
export function opensslVersion() {
  const { stdout, status } = openssl('version')
  const [, version, major] = /^OpenSSL ((\d+)\.\S+)/.exec(stdout ?? '') ?? []
  return status === 0 && Number(major) >= 3 ? version : undefined
}

/**
 * What `openssl` says, as rows of name, answer and expected answer.
 *
 * @param agent private key file, public key (PEM), password, a text and its signature by `signString`
 * @param folder where the files for `openssl` go
 */
export function checkWithOpenssl({ privateKeyPath, publicKey, password, text, signature }, folder) {
  const file = (name, content) => {
    const path = join(folder, name)
    writeFileSync(path, content, { mode: 0o600 })
    return path
  }
  const publicPath = file('openssl.public.pem', publicKey)
  const right = file('openssl.password', `${password}\n`)
  const wrong = file('openssl.wrong-password', `not ${password}\n`)
  const signaturePath = file('openssl.signature', Buffer.from(signature, 'base64'))
  const publicOf = (passwordPath) =>
    openssl('pkey', '-in', privateKeyPath, '-passin', `file:${passwordPath}`, '-pubout').stdout
  const verifies = (name, content) => {
    const args = ['-pubin', '-inkey', publicPath, '-sigfile', signaturePath, '-in', file(name, content)]
    return openssl('pkeyutl', '-verify', '-rawin', ...args).status === 0
  }
  return [
    ['the password opens the private key', publicOf(right).startsWith('-----BEGIN PUBLIC KEY-----'), true],
    ['its public key is the one that the agent shows', publicOf(right).trim() === publicKey.trim(), true],
    ['another password opens it', publicOf(wrong) !== '', false],
    ['the signature of a text verifies', verifies('openssl.text', text), true],
    ['the same signature of another text verifies', verifies('openssl.other-text', `${text}.`), false],
  ]
}
