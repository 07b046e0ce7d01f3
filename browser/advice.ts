/**
 * What to do about a failure in a page and its workers.
 *
 * @module
 */
import type { Advice } from '../src/errors.ts'

/** The advice that differs. All other codes have what is said everywhere. */
export const advice: Advice = {
  PasswordRequired: 'Pass what opens it: `password` or `passkey: true`; neither where the page keeps one itself.',
  StorageFull:
    'Delete what this site does not need, or have the user free space, and try again; nothing was half-written.',
  StorageUnavailable:
    'Load the agent again, or reload the page; or let this site keep data (no private window, no sandboxed frame), or mend the storage that was passed.',
  WasmUnavailable:
    "Send the header Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval', and serve the .wasm file of this version as it is; where a bundler left it behind, pass it to `init({ core })`, or as `media`, `pixels` or `schema` of it.",
  WorkerUnavailable:
    "Make another one with createWorkerAgent; build its file beside the bundle, and send the header Content-Security-Policy: worker-src 'self'; if it requires Trusted Types, pass `trustedTypes`.",
}
