// Surfaces with each fault that scripts/surfaces.mjs looks for.
import { direct, loadedAgent } from '../../src/api/form.ts'
import type { Session } from '../../src/session.ts'
import type { FetchOptions, ListDocumentsOptions } from '../../src/types.ts'

/** Says how, and has an example. */
export class SxAgent {
  /**
   * Stands here once more.
   *
   * @example
   * twice()
   */
  twice(): void {}
}

/**
 * Stands in the class too.
 *
 * @example
 * twice()
 */
export function twice(): void {}

/**
 * Has a twin that takes something else, which is documented as another's.
 *
 * @example
 * await unlike('')
 */
export async function unlike(_text: string): Promise<void> {}
/** The synchronous twin of {@link twice}. */
export function unlikeSync(_bytes: Uint8Array): void {}

/**
 * Has a twin that returns something else.
 *
 * @example
 * await other('')
 */
export async function other(_text: string): Promise<string> {
  return ''
}
/** The synchronous twin of {@link other}. */
export function otherSync(_text: string): number {
  return 0
}

export function undocumented(): void {}

/** Without an example. */
export function unshown(): void {}

/**
 * Refers to {@link nothing}.
 *
 * @example
 * lost()
 */
export function lost(): void {}

/**
 * Has a type for compilers.
 *
 * @example
 * unreadable('')
 */
export function unreadable<T>(_given: T extends string ? 1 : 2): void {}

/**
 * Makes nobody wait.
 *
 * @example
 * atOnce()
 */
export function atOnce(): void {}

/**
 * Makes people wait.
 *
 * @example
 * await late()
 */
export async function late(): Promise<void> {}

/**
 * Does not declare its options.
 *
 * @example
 * undeclared('x', { limit: 1 })
 */
export const undeclared = direct(
  { needs: loadedAgent },
  function undeclared(_: Session, id: string, options?: ListDocumentsOptions): number {
    return [id, options].length
  },
)

/**
 * Declares one of its options, and not the other.
 *
 * @example
 * halfDeclared({ timeout: 1 }, {})
 */
export const halfDeclared = direct(
  { needs: loadedAgent, options: { at: 1, names: { noSave: true } } },
  function halfDeclared(_: Session, file?: string | FetchOptions | null, options?: { noSave?: boolean }): number {
    return [file, options].length
  },
)
