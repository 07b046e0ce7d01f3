// A page that does nothing by itself: tests call the library through `window.sx`.
import { init, SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { createWorkerAgent } from 'sx-agent/worker'

/** What a call came to: its value, or the code and message of its `SxError`. */
export type Outcome<T> = { readonly value: T } | { readonly code: string; readonly message: string }

/** Calls the library; what is no `SxError` stays an error of the test. */
async function outcome<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof SxError) return { code: error.code, message: error.message }
    throw error
  }
}

/** Runs the job in worker.ts. */
function inWorker<T>(job: string, ...values: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<{ value: T } | { error: string }>) => {
      worker.terminate()
      if ('value' in data) resolve(data.value)
      else reject(new Error(data.error))
    }
    worker.onerror = (event) => reject(new Error(event.message))
    worker.postMessage({ job, values })
  })
}

let shared: MessagePort | undefined
let calls = 0

/** Runs a job in the worker of shared.ts, which all pages of the site have in common. */
function inShared<T>(job: string, ...given: unknown[]): Promise<Outcome<T>> {
  if (shared === undefined) {
    shared = new SharedWorker(new URL('./shared.ts', import.meta.url), { type: 'module' }).port
    shared.start()
  }
  const port = shared
  calls += 1
  const call = calls
  return new Promise((resolve) => {
    const listen = ({ data }: MessageEvent<Outcome<T> & { call: number }>): void => {
      if (data.call !== call) return
      port.removeEventListener('message', listen)
      const { call: _, ...outcome } = data
      resolve(outcome)
    }
    port.addEventListener('message', listen)
    port.postMessage({ call, job, given })
  })
}

/** The type of `window.sx`. */
export type Probe = typeof simple & {
  init: typeof init
  SxAgent: typeof SxAgent
  memoryStorage: typeof memoryStorage
  createWorkerAgent: typeof createWorkerAgent
  outcome: typeof outcome
  inWorker: typeof inWorker
  inShared: typeof inShared
}

const sx: Probe = { ...simple, init, SxAgent, memoryStorage, createWorkerAgent, outcome, inWorker, inShared }

Object.assign(window, { sx })
