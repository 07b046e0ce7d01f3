import { SxError } from './errors.ts'
import type { FileWork } from './file-types.ts'
import { isSignal } from './many-options.ts'

/**
 * Signal and progress of what reads files.
 *
 * @throws SxError `InvalidOption`; the reason of a signal that has ended the call already
 */
export function fileWork({ signal, onProgress }: FileWork): FileWork {
  if (signal !== undefined && !isSignal(signal)) {
    throw new SxError('InvalidOption', "The option 'signal' is not an AbortSignal.")
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new SxError('InvalidOption', "The option 'onProgress' is not a function.")
  }
  if (signal?.aborted === true) throw signal.reason
  return { ...(signal && { signal }), ...(onProgress && { onProgress }) }
}
