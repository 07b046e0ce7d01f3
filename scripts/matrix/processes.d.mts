import type { SpawnOptions } from 'node:child_process'

/** Runs a program to its end; gives what it prints. */
export function finish(command: string, args: readonly string[], options?: SpawnOptions): Promise<string>

/** Starts a program; `ended` resolves when it has, and rejects unless it ends well. */
export function begin(
  command: string,
  args: readonly string[],
  options?: SpawnOptions,
): { readonly ended: Promise<void>; readonly output: () => string; readonly stop: (why?: string) => void }

/** How long a program may take; see processes.mjs. */
export declare const SECONDS: number
