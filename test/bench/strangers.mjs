// Documents of signers that are met for the first time. `SxAgent` derives a key from a password for every agent, which
// takes a third of a second; the core alone makes thousands in that time, and keeps nothing of them afterwards.
import { readFileSync } from 'node:fs'
import * as core from '#core'

const wasm = new URL('../../wasm/dist/core/core_bg.wasm', import.meta.url)
const random = () => crypto.getRandomValues(new Uint8Array(32))
/** Now, and 32 random bytes, as one value. */
function moment() {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(Date.now())
  return Buffer.concat([bytes, random()])
}
/** An answer is a line about the document, and the document. */
const documentIn = (answer) => answer.slice(answer.indexOf('\n') + 1)

/** Signs a text as an agent that was never there before; `keys` is what `verifyStandalone` finds it by. */
function stranger(algorithm, text) {
  const secret = core.secretGenerate(algorithm, random())
  const answer = core.agentCreate(secret, JSON.stringify({ name: 'Stranger' }), moment())
  const { pem } = JSON.parse(core.publicOf(secret))
  const signer = core.signerNew(secret, documentIn(answer), pem, '')
  const document = documentIn(core.documentCreate(signer, text, '{}', undefined, moment()))
  core.free(signer)
  core.free(secret)
  return { document, keys: { [JSON.parse(answer.slice(0, answer.indexOf('\n'))).id]: pem } }
}

/** Documents with this text, each of another signer. */
export function strangers(algorithm, count, text) {
  core.initSync({ module: new WebAssembly.Module(readFileSync(wasm)) })
  return Array.from({ length: count }, () => stranger(algorithm, text))
}
