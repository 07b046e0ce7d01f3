// The built core, with time and entropy fixed, and what the vectors show beside its answers.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import canonicalize from 'canonicalize'
import * as core from '../../wasm/dist/core/core.js'
import { root } from '../setup/shared.mjs'
import { fileOf } from '../setup/table.mjs'

core.initSync({ module: new WebAssembly.Module(readFileSync(join(root, fileOf('core')))) })

export { canonicalize, core }

/** When everything was signed, in Unix milliseconds: 2026-01-02T03:04:05.678Z. */
export const signedAt = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest()
export const hex = (bytes) => Buffer.from(bytes).toString('hex')

/** 32 fixed bytes of a name: what a call to the core takes as its entropy. */
export const entropy = (name) => new Uint8Array(sha256(`sx-agent vectors: ${name}`))
/** When the core makes something, and 32 fixed bytes of a name for it. */
export function moment(at, name) {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(at)
  return Buffer.concat([bytes, entropy(name)])
}
/** What a document is to be, as the core takes it. */
export const making = (isMessage) => JSON.stringify({ isMessage })
/** What the core draws from that entropy for one purpose. */
export const drawn = (name, purpose) => sha256(Buffer.concat([entropy(name), Buffer.from(purpose)]))

/** `PAE(context, payload)` (protocol, section 2), written a second time. */
export function pae(context, payload) {
  const bytes = Buffer.from(payload)
  return Buffer.concat([Buffer.from(`SXv2 ${Buffer.byteLength(context)} ${context} ${bytes.length} `), bytes])
}

/** What a call gives: its value, or the code it fails with. */
export function outcome(call) {
  try {
    return { value: call() }
  } catch (error) {
    if (!Array.isArray(error)) throw error // a trap or a mistake of the script
    const [code] = error
    return { code }
  }
}

/** Stops the script where the core does not do what the vectors are about to say. */
export function must(holds, what) {
  if (!holds) throw new Error(`The core does not agree: ${what}`)
}

/** Does something with a document to verify and a ring of these keys. */
function withRing(text, keys, limits, work) {
  const ring = core.ringNew(limits)
  try {
    for (const { agentId, source, bytes } of keys) core.ringSet(ring, agentId, source, Buffer.from(bytes))
    return work(core.verifyStart(ring, text), ring)
  } finally {
    core.free(ring)
  }
}

/** Verifies a document with these keys; gives the result as every API shows it. */
export function verify(text, keys = [], limits = '') {
  const [head, result] = withRing(text, keys, limits, core.verifyFinish)
    .split('\n')
    .map((line) => JSON.parse(line))
  const { code, data, ...shown } = result
  if (!result.valid) return { ...shown, code }
  // In a canonical text the core only says where the data stand; of another one it writes them.
  return { ...shown, data: head.within === null ? data : verify(`${text}\n`, keys).data }
}

/** Whether a document's registration verifies with these keys. */
export const isRegistered = (text, keys) =>
  withRing(text, keys, '', (verification, ring) => core.verifyFinishSignature(verification, ring, 'sxRegistration'))

/** Reads what the core answers when it makes a document. */
export function made(answer) {
  const [date, id, previous, version, ...text] = answer.split('\n')
  return { date, id, previous: previous || null, version, raw: text.join('\n') }
}

/** A text with each `[found, put]` replaced once; what is found must stand there exactly once. */
export function edited(text, edits) {
  return edits.reduce((present, [found, put]) => {
    must(present.split(found).length === 2, `"${found}" does not stand exactly once in the document`)
    return present.replace(found, () => put)
  }, text)
}
