/**
 * What to do about a failure in an edge runtime, which has nothing but what it is handed.
 *
 * @module
 */
import type { Advice } from '../src/errors.ts'

/** The advice that differs. All other codes have what is said everywhere. */
export const advice: Advice = {
  PasswordRequired: 'Pass `password`, or the bindings with SX_PRIVATE_KEY_PASSWORD as `env`.',
  StorageUnavailable: 'Check the binding or address of the passed storage, and that it can be read and written.',
  WasmUnavailable:
    'Configure the bundler to import the .wasm file of the package as a module, or pass the compiled module to `init({ core })`.',
  WorkerUnavailable: 'This runtime has no workers. Use SxAgent.',
}
