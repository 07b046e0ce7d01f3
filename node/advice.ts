/**
 * What to do about a failure on a server: Node, Deno, Bun.
 *
 * @module
 */
import type { Advice } from '../src/errors.ts'

/** The advice that differs. All other codes have what is said everywhere. */
export const advice: Advice = {
  PasswordRequired: 'Pass `password`, or set SX_PRIVATE_KEY_PASSWORD.',
  StorageFull: 'Free space on the disk or raise its quota, then try again. No partial data was written.',
  WasmUnavailable:
    'Reinstall the package, and run without flags that disable WebAssembly. If a bundler omitted the .wasm file, pass it by its name: `init({ core })`.',
  WorkerUnavailable:
    'Create another worker with createWorkerAgent. If a bundler omitted the worker file, exclude the package from the bundle.',
}
