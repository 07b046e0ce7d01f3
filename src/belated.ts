import { SxError } from './errors.ts'

const belated = new WeakSet<SxError>()

/** Marks the failure of an earlier write, which is told by whatever call comes next. */
export function asBelated(error: SxError): SxError {
  belated.add(error)
  return error
}

/** Whether an error tells of an earlier write, and nothing of the step that has thrown it. */
export function isBelated(error: unknown): boolean {
  return error instanceof SxError && belated.has(error)
}

/**
 * Lets the failure of a step pass that the next start does again. Every other error is thrown, above all that of an
 * earlier write: it would never be told again.
 */
export function letPass(error: unknown): void {
  if (!(error instanceof SxError) || error.code === 'Internal' || isBelated(error)) throw error
}
