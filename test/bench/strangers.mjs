// Agents that are met for the first time. `SxAgent` derives a key from a password for every agent, which
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
/** A document comes after a line for its date, its id, its previous version and its version. */
function readDocument(answer) {
  const [, id, , , ...text] = answer.split('\n')
  return { id, made: text.join('\n') }
}

/** An event comes after a line for its date, and one for its id. */
function readEvent(answer) {
  const [, id, ...text] = answer.split('\n')
  return { id, made: text.join('\n') }
}

/** An agent that was never there before. It stays in the core until `leave` is called. */
function stranger(algorithm) {
  const secret = core.secretGenerate(algorithm, random())
  const { id, made: self } = readDocument(core.agentCreate(secret, JSON.stringify({ name: 'Stranger' }), moment()))
  const { pem } = JSON.parse(core.publicOf(secret))
  const signer = core.signerNew(secret, self, pem, '')
  return {
    id,
    pem,
    self,
    signDocument: (text) => readDocument(core.documentCreate(signer, text, undefined, undefined, moment())).made,
    signEvent: (draft) => readEvent(core.agreementEvent(signer, JSON.stringify(draft), false, moment())),
    leave: () => {
      core.free(signer)
      core.free(secret)
    },
  }
}

const load = () => core.initSync({ module: new WebAssembly.Module(readFileSync(wasm)) })

/** Agents that were never there before. */
export function strangers(algorithm, count) {
  load()
  return Array.from({ length: count }, () => stranger(algorithm))
}

/** Documents with this text, each of another signer; `keys` is what `verifyStandalone` finds it by. */
export function documentsOfStrangers(algorithm, count, text) {
  load()
  return Array.from({ length: count }, () => {
    const { id, pem, signDocument, leave } = stranger(algorithm)
    const document = signDocument(text)
    leave()
    return { document, keys: { [id]: pem } }
  })
}
