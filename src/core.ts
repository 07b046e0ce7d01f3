import * as core from '#core'
import * as loader from '#wasm'
import { isErrorCode, type SchemaViolation, SxError } from './errors.ts'
import type { CoreSource } from './types/modules.ts'

// Numbers of objects in the core are never used twice, also not by the instance after a trap.
let lastHandle = 0
let epoch = 0

/** Whether the instance may have trapped and is still there. */
let isSuspect = false

/** How much the core keeps of keys, its default at first; a new instance after a trap gets it again. */
let keptBounds = ','

/**
 * Calls the core: one call in, one call out. Callers name its functions as `core.name` of `#core`, so that
 * bundlers see which are used.
 *
 * @throws SxError with the core's code; `Internal` after a trap, with the instance rebuilt;
 *   `NotInitialized` in a page before `init()`
 */
export function call<T>(work: () => T): T {
  loader.requireCore()
  try {
    if (isSuspect) renew()
    return work()
  } catch (error) {
    // What has overflowed the stack may leave too little of it for `failure`: then the next call makes a new instance.
    isSuspect = true
    throw failure(error)
  }
}

/** What a module of the library throws that has not trapped: a code, and what was found. */
function codedError(error: unknown): SxError | undefined {
  if (!Array.isArray(error)) return undefined
  const [code, found, details] = error as [string, string, string?]
  if (!isErrorCode(code)) return undefined
  const violations = details === undefined ? [] : (JSON.parse(details) as SchemaViolation[])
  return new SxError(code, found, violations.length === 0 ? {} : { details: violations })
}

/**
 * Calls a module beside the core.
 *
 * @param rebuild drops the instance; what is called next makes another one
 * @throws SxError with the code that the module throws; `Internal` after a trap, with the instance dropped
 */
export function moduleCall<T>(work: () => T, rebuild: () => void): T {
  try {
    return work()
  } catch (error) {
    const coded = codedError(error)
    if (coded !== undefined) throw coded
    rebuild()
    throw new SxError('Internal', undefined, { cause: error })
  }
}

function failure(error: unknown): SxError {
  const known = error instanceof SxError ? error : codedError(error)
  if (known === undefined) renew()
  isSuspect = false
  return known ?? new SxError('Internal', undefined, { cause: error })
}

/** Puts a new instance into the place of one that may have trapped. */
function renew(): void {
  epoch++
  loader.rebuild()
  loader.requireCore()
  core.startHandlesAt(lastHandle + 1)
  core.boundKept(keptBounds)
  isSuspect = false
}

/**
 * Sets how much the core keeps of public keys that it has met.
 *
 * @param bounds most keys and most bytes, with a comma; what is left out gets its default
 * @throws SxError `InvalidOption`
 */
export function boundKept(bounds: string): void {
  call(() => core.boundKept(bounds))
  keptBounds = bounds
}

/** Loads the core if the runtime has to; see the loader of each runtime. */
export function ensureReady(source?: CoreSource): Promise<void> {
  return loader.init(source)
}

/** Whether the core can be called right now. */
export function isReady(): boolean {
  return loader.isReady()
}

/** The compiled module of the core, for workers; `undefined` before it is loaded. */
export function coreModule(): WebAssembly.Module | undefined {
  return loader.module()
}

const released = new FinalizationRegistry<() => void>((release) => release())

/**
 * An object that lives in the core. After a trap it is created again in the new instance; when it is
 * no longer reachable it is freed there.
 */
export class CoreObject {
  readonly #make: () => number
  readonly #slot: { handle: number; epoch: number; isGone: boolean }
  readonly #release: () => void

  /**
   * @param make makes the object in the present instance
   * @param wipe is called when the object is gone
   */
  constructor(make: () => number, wipe: () => void = () => {}) {
    this.#make = make
    const slot = { handle: noteHandle(make()), epoch, isGone: false }
    this.#slot = slot
    this.#release = () => {
      if (slot.isGone) return
      slot.isGone = true
      if (slot.epoch === epoch) core.free(slot.handle)
      wipe()
    }
    released.register(this, this.#release, this)
  }

  /** Frees it now. It must not be used again. */
  dispose(): void {
    released.unregister(this)
    this.#release()
  }

  /**
   * Its number in the present instance.
   *
   * @throws SxError `NoAgentLoaded` once it was freed
   */
  get handle(): number {
    if (this.#slot.isGone) throw new SxError('NoAgentLoaded', 'The agent was closed.')
    if (this.#slot.epoch !== epoch) {
      this.#slot.handle = noteHandle(this.#make())
      this.#slot.epoch = epoch
    }
    return this.#slot.handle
  }
}

/** Remembers the number of a new object in the core. */
export function noteHandle(handle: number): number {
  lastHandle = Math.max(lastHandle, handle)
  return handle
}

/** Which instance of the core is in use; grows by one with every trap. */
export function instanceEpoch(): number {
  return epoch
}

/** No text is handed to the core that is longer: its memory never shrinks again. In characters. */
export const LONGEST_TEXT: number = 256 << 20

/**
 * A text that the core can take.
 *
 * @throws SxError what {@link boundedText} throws; `NotJson` for half a surrogate pair, which has no UTF-8 and would
 *   silently become another character
 */
export function text(value: unknown, name: string, longest: number = LONGEST_TEXT): string {
  const bounded = boundedText(value, name, longest)
  if (!isWellFormed(bounded)) throw new SxError('NotJson', `The argument '${name}' contains a lone surrogate.`)
  return bounded
}

/**
 * A text that is not too long, whatever its characters are: to see that takes no time.
 *
 * @throws SxError `InvalidOption` for what is not a string; `LimitExceeded` for one that is too long for the core
 */
export function boundedText(value: unknown, name: string, longest: number = LONGEST_TEXT): string {
  if (typeof value !== 'string') throw new SxError('InvalidOption', `The argument '${name}' is not a string.`)
  if (value.length <= longest) return value
  throw new SxError('LimitExceeded', `The argument '${name}' has more than ${longest} characters.`)
}

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Whether a text has no half surrogate pairs, and so has a UTF-8 form. */
export function isWellFormed(value: string & { isWellFormed?(): boolean }): boolean {
  if (core.isCopied(value)) return call(() => core.isWellFormed(value))
  return value.isWellFormed?.() ?? !loneSurrogate.test(value)
}
