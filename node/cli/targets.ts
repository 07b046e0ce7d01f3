/** Where texts and images go that a command makes: into the file they come from, into another one, to standard output. */
import { usage } from './exit.ts'
import { hasFile, isInput, isOutput, kindOf, type Target } from './files.ts'
import type { OutputOptions } from './output.ts'
import { absolute } from './places.ts'

/** Whether a command was told to write into the file that it reads. */
export function isSameFile<T extends Target>(
  file: string | undefined,
  options: T,
): options is T & { readonly output: string } {
  return !isInput(file) && hasFile(options) && absolute(file) === absolute(options.output)
}

/** Whether a name leads to a file, and not to a pipe or standard input, into which nothing can be written. */
export function isNamedFile(file: string | undefined): file is string {
  return !isInput(file) && kindOf(file) !== 'pipe'
}

/** Refuses, before any work is done, an image that would go nowhere, or where it cannot be told from other output. */
export function checkImageTarget(file: string | undefined, options: Target & OutputOptions): void {
  if (hasFile(options)) return
  if (options.json) throw usage('With --json, standard output is one JSON value. Pass a file with --output.')
  if (isNamedFile(file) && !isOutput(options)) {
    throw usage('Pass the file to write with --output. To overwrite the input file, pass --force too.')
  }
  if (process.stdout.isTTY) throw usage('An image is not written to a terminal. Pass a file with --output.')
}
