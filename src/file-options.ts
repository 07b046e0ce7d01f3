import { SxError } from './errors.ts'
import type { FileWork } from './file-types.ts'
import { isSignal } from './many-options.ts'
import type { FetchOptions } from './types.ts'

interface Work<Told> {
  signal?: AbortSignal
  onProgress?: Told
}

/**
 * Signal and progress of what reads files, or signs many documents.
 *
 * @throws SxError `InvalidOption`; the reason of a signal that has ended the call already
 */
export function fileWork<Told extends (...given: never[]) => void = NonNullable<FileWork['onProgress']>>({
  signal,
  onProgress,
}: Work<Told>): Work<Told> {
  checkSignal(signal)
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new SxError('InvalidOption', "The option 'onProgress' is not a function.")
  }
  if (signal?.aborted === true) throw signal.reason
  return { ...(signal && { signal }), ...(onProgress && { onProgress }) }
}

/**
 * Signal and deadline of what reads from an address.
 *
 * @throws SxError `InvalidOption`; the reason of a signal that has ended the call already
 */
export function fetchOptions({ signal, timeout }: FetchOptions): FetchOptions {
  checkSignal(signal)
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw new SxError('InvalidOption', "The option 'timeout' is not a number of milliseconds above 0.")
  }
  if (signal?.aborted === true) throw signal.reason
  return { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) }
}

function checkSignal(signal: unknown): void {
  if (signal === undefined || isSignal(signal)) return
  throw new SxError('InvalidOption', "The option 'signal' is not an AbortSignal.")
}
