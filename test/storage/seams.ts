/** File systems to test with: the real one, with something in between. */
import { type FileSystem, nodeFileSystem } from '../../node/storage/seam.ts'

export type CallName = keyof FileSystem['sync']
/** Sees each call, performs it or not, gives its result or another one; a promise in the asynchronous form. */
export type Around = (name: CallName, args: readonly unknown[], perform: () => unknown) => unknown

type AnyCall = (...args: readonly unknown[]) => unknown

/** The real file system, each call passing through `around`. */
export function through(around: Around): FileSystem {
  const wrap = (calls: object): object =>
    Object.fromEntries(
      Object.entries(calls as Record<CallName, AnyCall>).map(([name, call]) => [
        name,
        (...args: unknown[]) => around(name as CallName, args, () => call(...args)),
      ]),
    )
  return { ...nodeFileSystem, sync: wrap(nodeFileSystem.sync), async: wrap(nodeFileSystem.async) } as FileSystem
}

/** An error as the system raises it. */
export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: words of the system, ${syscall}`), { code, syscall, errno: -1 })
}

/** Fails the call number `at` (from 0) with `code`; `calls` names those made so far. */
export function failing(at: number, code: string): { fs: FileSystem; calls: CallName[] } {
  const calls: CallName[] = []
  const fs = through((name, _, perform) => {
    calls.push(name)
    if (calls.length === at + 1) throw systemError(code, name)
    return perform()
  })
  return { fs, calls }
}
