/**
 * What to do about a failure in an edge runtime, which has nothing but what it is handed.
 *
 * @module
 */
import type { Advice } from '../src/errors.ts'

/** The advice that differs. All other codes have what is said everywhere. */
export const advice: Advice = {
  PasswordRequired: 'Pass `password`, or the bindings with SX_PRIVATE_KEY_PASSWORD as `env`.',
  StorageUnavailable:
    'Check the binding or the address of the storage that was passed, and that it may be read and written.',
  WasmUnavailable:
    'Let the bundler take the .wasm file of the package as a module, or pass the compiled module to `init({ core })`.',
  WorkerUnavailable: 'There are no workers here: use SxAgent.',
}
