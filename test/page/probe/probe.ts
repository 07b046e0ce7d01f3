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

/** The type of `window.sx`. */
export type Probe = typeof simple & {
  init: typeof init
  SxAgent: typeof SxAgent
  memoryStorage: typeof memoryStorage
  createWorkerAgent: typeof createWorkerAgent
  outcome: typeof outcome
  inWorker: typeof inWorker
}

const sx: Probe = { ...simple, init, SxAgent, memoryStorage, createWorkerAgent, outcome, inWorker }

Object.assign(window, { sx })
