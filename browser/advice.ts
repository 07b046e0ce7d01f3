/**
 * What to do about a failure in a page and its workers.
 *
 * @module
 */
import type { Advice } from '../src/errors.ts'

/** The advice that differs. All other codes have what is said everywhere. */
export const advice: Advice = {
  StorageFull:
    'Delete what this site does not need any more, or have the user free space, and try again; nothing was half-written.',
  StorageUnavailable:
    'Have the browser let this site keep data, outside of private windows and sandboxed frames, then reload the page; a storage of your own has to answer.',
  WasmUnavailable:
    "Send the header Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval', and serve the .wasm file; where a bundler left it behind, pass it to `init({ core })`.",
  WorkerUnavailable:
    "Make another one with createWorkerAgent; serve the file of the worker, and send the header Content-Security-Policy: worker-src 'self'.",
}
