import { randomSalts } from '../derivations.mjs'

/** Clock, randomness and timers that follow from a seed, in place of the runtime's own while a world runs. */
export interface Source {
  time(): number
  fill(bytes: Uint8Array): void
  /** Calls back when so many milliseconds have passed in the world. */
  wake(milliseconds: number, back: () => void): void
  /** A Promise was rejected and nobody has heard of it, which ends a process in Node. */
  unheard(error: unknown): void
}

/** Replaces them while the work is going on. */
export async function inRuntime<T>(source: Source, work: () => Promise<T>): Promise<T> {
  const { now } = Date
  const { setTimeout } = globalThis
  const { wait } = Atomics
  const { stackTraceLimit } = Error
  const { crypto } = globalThis
  const listeners = process.listeners('unhandledRejection')
  randomSalts() // here they follow from the seed
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (error) => source.unheard(error))
  Error.stackTraceLimit = 0 // thousands of errors that nobody looks at
  Date.now = () => source.time()
  globalThis.setTimeout = ((back: () => void, milliseconds = 0) =>
    source.wake(milliseconds, back)) as unknown as typeof setTimeout
  Atomics.wait = () => 'timed-out'
  Object.defineProperty(crypto, 'getRandomValues', {
    configurable: true,
    value: <A extends Uint8Array>(bytes: A): A => {
      source.fill(bytes)
      return bytes
    },
  })
  try {
    return await work()
  } finally {
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
    Error.stackTraceLimit = stackTraceLimit
    Date.now = now
    globalThis.setTimeout = setTimeout
    Atomics.wait = wait
    Reflect.deleteProperty(crypto, 'getRandomValues')
  }
}
