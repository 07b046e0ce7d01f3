// The reference implementation of C2PA, in a process of its own, with certificates for it.
import { execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { python } from '../corpus/python.mjs'

const exec = promisify(execFile)
const config = `
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[signer]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, emailProtection
authorityKeyIdentifier = keyid
`

/** A key and its certificates, as C2PA asks for them: the signer's own and that of an authority. */
async function certificates(folder) {
  const openssl = (...args) => exec('openssl', args, { cwd: folder })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-config', 'openssl.cnf']
  writeFileSync(join(folder, 'openssl.cnf'), config)
  const authority = ['-subj', '/O=Test/CN=Authority', '-days', '90', '-extensions', 'authority']
  await openssl('req', '-x509', ...key, '-keyout', 'authority.key', '-out', 'authority.pem', ...authority)
  await openssl('req', '-new', ...key, '-keyout', 'signer.key', '-out', 'signer.csr', '-subj', '/O=Test/CN=Signer')
  const issued = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-days', '60']
  const extensions = ['-extfile', 'openssl.cnf', '-extensions', 'signer']
  await openssl('x509', '-req', '-in', 'signer.csr', ...issued, ...extensions, '-out', 'signer.pem')
  const pem = (name) => readFileSync(join(folder, name))
  writeFileSync(join(folder, 'chain.pem'), Buffer.concat([pem('signer.pem'), pem('authority.pem')]))
  return [join(folder, 'chain.pem'), join(folder, 'signer.key')]
}

/**
 * Starts it.
 *
 * @param folder for its certificates
 * @returns `ask`, which sends a request (`manifests.py` says which there are) and gives the answer, and `stop`; or
 *   undefined where it cannot be had
 */
export async function manifests(folder) {
  const found = await python()
  if (found === undefined) return undefined
  const script = fileURLToPath(new URL('manifests.py', import.meta.url))
  const stdio = ['pipe', 'pipe', 'inherit']
  const child = spawn(found.program, [script, ...(await certificates(folder))], { env: found.env, stdio })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      const { done, value } = await answers.next()
      if (done) throw new Error(`It has ended at ${JSON.stringify(request)}`)
      return JSON.parse(value)
    },
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}
