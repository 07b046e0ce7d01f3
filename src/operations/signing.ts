import * as core from '#core'
import { isBytes } from '../bytes.ts'
import { CoreObject, call } from '../core.ts'
import { type Effect, type EffectOf, kind, type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import { ownSigner } from '../options.ts'
import { publicOf } from '../state/private-key.ts'
import type { AgentOptions, Bytes, ExternalSigner } from '../types.ts'

/** A private key in the core, or the public key of one that is somewhere else. */
export interface SigningKey {
  readonly secret: CoreObject
  readonly external: ExternalSigner | undefined
}

/** The key of an external signer. */
export function externalKey(external: ExternalSigner): SigningKey {
  const { algorithm, publicKey } = external
  const bytes = typeof publicKey === 'string' ? new TextEncoder().encode(publicKey) : publicKey
  return { secret: new CoreObject(() => call(() => core.secretExternal(algorithm, bytes))), external }
}

/** A rotation, which needs most, has four signatures by external signers. */
const MOST_SIGNATURES = 8

/**
 * The key that is to follow, with an external signer.
 *
 * @param others options that say of a new key what this one says itself
 * @throws SxError `InvalidOption`, `InvalidKey`, `WeakPublicKey`
 */
export function successorOf(
  signer: ExternalSigner,
  others: object,
): SigningKey & { readonly external: ExternalSigner } {
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined) continue
    throw new SxError('InvalidOption', `The options 'signer' and '${name}' cannot be used together.`)
  }
  const external = ownSigner(signer)
  const key = { ...externalKey(external), external }
  publicOf(key.secret) // reads it
  return key
}

/** Options that load an agent, whose key is with another signer by now. */
export function optionsWith(options: AgentOptions, { external }: SigningKey): AgentOptions {
  const { password: _, passkey: __, ...rest } = options
  return external === undefined ? options : { ...rest, signer: external }
}

function notNow(): never {
  throw new SxError('SyncSignerUnavailable')
}

const REQUIRE_ASYNC = /* @__PURE__ */ kind('requireAsync', { async: async () => {}, sync: notNow })

/** Refuses to be synchronous, before anything is done. */
export const ASYNCHRONOUS: EffectOf<'requireAsync'> = { kind: REQUIRE_ASYNC }

/** What is done again and again while an external signer takes its time. */
export interface Meanwhile {
  /** Milliseconds. */
  readonly every: number
  readonly work: () => Operation<void>
}

/**
 * Has the core make something that it signs. Where a private key is somewhere else, the core says what is to be signed,
 * and makes the same thing again with all the signatures that it has by then.
 *
 * @param make calls the core once, and has no other effects; it makes the same thing each time
 * @param successor the key that signs as well, where the agent's key is rotated
 * @throws SxError `SignerFailed`, `SyncSignerUnavailable`; `KeyMismatch` for a signature that does not verify
 */
export function sign<T>(
  signing: SigningKey,
  make: () => T,
  successor?: SigningKey,
  meanwhile?: Meanwhile,
): Operation<T> {
  const isHere = signing.external === undefined && successor?.external === undefined
  return isHere ? signHere(make) : signElsewhere(signing, make, successor, meanwhile)
}

// oxlint-disable-next-line require-yield -- an operation without effects
function* signHere<T>(make: () => T): Operation<T> {
  return call(make)
}

function* signElsewhere<T>(
  signing: SigningKey,
  make: () => T,
  successor: SigningKey | undefined,
  meanwhile: Meanwhile | undefined,
): Operation<T> {
  const answers: Answer[] = []
  for (;;) {
    // Others may sign between two runs, and rotate the key. So a run begins with all answers of the keys of now.
    const keys = externalOf(signing, successor)
    for (const one of answers) if (keys.some(({ secret }) => secret === one.secret)) answer(one)
    try {
      return call(make)
    } catch (error) {
      const asked = answers.length < MOST_SIGNATURES ? askedBy(keys) : undefined
      if (asked === undefined) throw error
      const { secret, external, message } = asked
      const request: EffectOf<'sign'> = { kind: SIGN, signer: external, message }
      const signature = meanwhile === undefined ? yield* perform(request) : yield* awaited(request, meanwhile)
      answers.push({ secret, message, signature })
    }
  }
}

interface ExternalKey {
  readonly secret: CoreObject
  readonly external: ExternalSigner
}

interface Answer {
  readonly secret: CoreObject
  readonly message: Bytes
  readonly signature: Uint8Array
}

/** Has the core take a signature, if it verifies. */
function answer({ secret, message, signature }: Answer): void {
  try {
    call(() => core.secretAnswer(secret.handle, message, signature))
  } catch (error) {
    if (!(error instanceof SxError) || error.code !== 'KeyMismatch') throw error
    const advice =
      "Check that its 'sign' uses the private key of its 'publicKey', and returns only the signature. Nothing was stored."
    throw new SxError(error.code, error.found, { cause: error, advice })
  }
}

function externalOf(...keys: readonly (SigningKey | undefined)[]): ExternalKey[] {
  return keys.flatMap((key) => (key?.external === undefined ? [] : [{ secret: key.secret, external: key.external }]))
}

/** What one of the keys is to sign, if that is why the core has failed. */
function askedBy(keys: readonly ExternalKey[]): (ExternalKey & { readonly message: Bytes }) | undefined {
  for (const key of keys) {
    const message = call(() => core.secretAsked(key.secret.handle)) as Bytes | undefined
    if (message !== undefined) return { ...key, message }
  }
  return undefined
}

/** What `crypto.subtle.sign` gives. */
function isBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]'
}

/** More than any signature. */
const LONGEST = 16 * 1024

const SIGN = /* @__PURE__ */ kind('sign', {
  async: async ({ signer, message }) => {
    let signature: unknown
    try {
      signature = await signer.sign(message)
    } catch (cause) {
      const advice = 'Check that the signer can be reached. Nothing was stored.'
      throw new SxError('SignerFailed', undefined, { cause, ...(!cause && { advice }) })
    }
    const bytes = isBuffer(signature) ? new Uint8Array(signature) : signature
    if (isBytes(bytes) && bytes.length <= LONGEST) return bytes
    const advice = "Have its 'sign' return the bytes of the signature. Nothing was stored."
    throw new SxError('SignerFailed', 'The external signer returned no signature.', { advice })
  },
  sync: notNow,
})

const WITHIN = /* @__PURE__ */ kind('within', {
  async: ({ waiting, milliseconds }, start) => {
    if (waiting.running === undefined) {
      waiting.running = Promise.resolve(start(waiting.effect))
      waiting.running.catch(() => {}) // it may fail during the work, and is asked afterwards
    }
    return within(waiting.running, milliseconds)
  },
  sync: ({ waiting }, start) => ({ value: start(waiting.effect) }),
})

/** Waits for something, and works meanwhile. */
function* awaited<T>(effect: Effect<T>, { every, work }: Meanwhile): Operation<T> {
  const next: EffectOf<'within'> = { kind: WITHIN, waiting: { effect, running: undefined }, milliseconds: every }
  for (;;) {
    const settled = yield* perform(next)
    if (settled !== undefined) return settled.value as T
    yield* work()
  }
}

/** What comes of something if it comes in time. */
async function within(
  running: Promise<unknown>,
  milliseconds: number,
): Promise<{ readonly value: unknown } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([running.then((value) => ({ value })), late])
  } finally {
    clearTimeout(timer)
  }
}
