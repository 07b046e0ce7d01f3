/**
 * What to do about a failure on a server: Node, Deno, Bun.
 *
 * @module
 */
import type { Advice } from '../src/errors.ts'

/** The advice that differs. All other codes have what is said everywhere. */
export const advice: Advice = {
  PasswordRequired: 'Pass `password`, or set SX_PRIVATE_KEY_PASSWORD.',
  StorageFull: 'Free space on the disk, or have its quota raised, and try again; nothing was half-written.',
  WasmUnavailable:
    'Install the package again, and run without flags that switch WebAssembly off; where a bundler left the .wasm file behind, pass it to `init({ core })`, or as `media`, `pixels` or `schema` of it.',
  WorkerUnavailable:
    'Make another one with createWorkerAgent; where a bundler left the file of the worker behind, keep the package out of the bundle.',
}
