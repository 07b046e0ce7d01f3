/**
 * What to do about a failure in a page and its workers.
 *
 * @module
 */
import type { Advice } from '../src/errors.ts'

/** The advice that differs. All other codes have what is said everywhere. */
export const advice: Advice = {
  PasswordRequired: 'Pass `password` or `passkey: true`. Neither is needed if the page stores a password.',
  StorageFull: 'Delete data of this site, or ask the user to free space, then try again. No partial data was written.',
  StorageUnavailable:
    'Load the agent again, or reload the page. Check that this site may store data (no private window or sandboxed frame), and that a passed storage works.',
  WasmUnavailable:
    "Send the header Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval', and serve the .wasm file of this version unchanged. If a bundler omitted it, pass it by its name: `init({ core })`.",
  WorkerUnavailable:
    "Create another worker with createWorkerAgent. Build its file next to the bundle, and send the header Content-Security-Policy: worker-src 'self'. If the page requires Trusted Types, pass `trustedTypes`.",
}
