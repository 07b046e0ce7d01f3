import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { makeFolder, makeFolderSync } from '../../node/storage/folders.ts'
import type { FileSystem } from '../../node/storage/seam.ts'
import { compareKeys, type SyncStorage } from '../../src/storage/contract.ts'
import { WAITING } from '../pace.ts'
import { codeOf, fresh, old, scratchOf } from './outcomes.ts'
import { bundleProcess, killed, said, start } from './processes.ts'
import { type CallName, failing, through } from './seams.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-folders-'))
afterAll(() => rmSync(base, { recursive: true }))

let root: string
let count = 0
const nextRoot = (): string => {
  root = join(base, `root${count++}`)
  return root
}
beforeEach(nextRoot)

const here = (...path: string[]): boolean => existsSync(join(root, ...path))
const modeOf = (...path: string[]): string => (statSync(join(root, ...path)).mode & 0o777).toString(8)

/** Both forms of making a folder. */
const forms = [
  ['makeFolder', (path: string, fs?: FileSystem) => makeFolder(path, fs && { fs })],
  ['makeFolderSync', (path: string, fs?: FileSystem) => makeFolderSync(path, fs && { fs })],
] as const

describe.each(forms)('%s', (_, make) => {
  test('makes what is missing, for the owner only, and leaves what is there as it is', async () => {
    mkdirSync(root)
    chmodSync(root, 0o755)
    await make(join(root, 'a', 'b', 'c'))
    await make(join(root, 'a', 'b'))
    expect(['', 'a', 'a/b', 'a/b/c'].map((path) => modeOf(path))).toEqual(['755', '700', '700', '700'])
  })

  test('follows links, and refuses a file, a dangling link and a circle of links in the place of a folder', async () => {
    mkdirSync(join(root, 'real'), { recursive: true })
    symlinkSync('real', join(root, 'link'))
    await make(join(root, 'link', 'inner'))
    await make(join(root, 'link'))
    expect(here('real', 'inner')).toBe(true)
    writeFileSync(join(root, 'file'), old)
    symlinkSync('nothing', join(root, 'dangling'))
    symlinkSync('circle', join(root, 'circle'))
    for (const path of ['file', 'file/inner', 'file/inner/more', 'dangling', 'dangling/inner'])
      expect([path, await codeOf(() => make(join(root, path)))]).toEqual([path, 'StorageUnavailable'])
    expect(await codeOf(() => make(join(root, 'circle', 'inner')))).toBe('LinkRefused')
    expect(readdirSync(root).sort()).toEqual(['circle', 'dangling', 'file', 'link', 'real'])
  })

  test('is content when others make the folders first', async () => {
    const faster = through((name, [path, mode], perform) => {
      if (name === 'mkdir') mkdirSync(String(path), Number(mode))
      return perform()
    })
    await make(join(root, 'a', 'b'), faster)
    expect(here('a', 'b')).toBe(true)
  })

  test('says why when a call fails, whichever it is', async () => {
    let at = 0
    for (let isDone = false; !isDone; at++) {
      const { fs, calls } = failing(at, 'EIO')
      const outcome = await codeOf(() => make(join(nextRoot(), 'a'), fs))
      isDone = calls.length <= at
      expect(outcome, `at ${calls[at]}`).toBe(isDone ? 'no error' : 'StorageUnavailable')
    }
    expect(at).toBeGreaterThan(10)
    expect(here('a')).toBe(true)
  })
})

describe('deleting an entry', () => {
  const key = ['top', 'folder', 'inner', 'entry']
  const sibling = ['top', 'folder', 'other']

  test.each([true, false])('removes the folders that it leaves empty, but for the topmost (sync: %s)', async (sync) => {
    const storage = filesystemStorage(root)
    const remove = (key: string[]): void | Promise<void> => (sync ? storage.deleteSync(key) : storage.delete(key))
    await storage.put(key, old)
    await storage.put(sibling, old)
    await storage.put(['single'], old)
    await remove(key)
    expect([here('top', 'folder', 'inner'), here('top', 'folder')]).toEqual([false, true])
    await remove(sibling)
    await remove(['single'])
    expect([here('top', 'folder'), readdirSync(root).sort()]).toEqual([false, ['.tmp', 'top']])
    await storage.put(key, fresh)
    expect(await storage.get(key)).toEqual(fresh)
  })

  test('removes empty folders also if the entry was never written, and none that hold anything else', async () => {
    const storage = filesystemStorage(root)
    mkdirSync(join(root, 'top', 'folder', 'inner'), { recursive: true })
    writeFileSync(join(root, 'top', 'folder', '.foreign'), old)
    await storage.delete(key)
    expect([here('top', 'folder', 'inner'), here('top', 'folder', '.foreign')]).toEqual([false, true])
  })

  test('succeeds where only its folder cannot be removed', async () => {
    for (const code of ['EACCES', 'EBUSY', 'EIO', 'ENOTEMPTY']) {
      filesystemStorage(root).putSync(key, old)
      const fs = through((name, _, perform) => {
        if (name === 'rmdir') throw Object.assign(new Error(code), { code, syscall: name })
        return perform()
      })
      filesystemStorage(root, { fs }).deleteSync(key)
      expect([here(...key), here('top', 'folder', 'inner')]).toEqual([false, true])
    }
  })

  /** Does `work` on a storage once for each call that it makes, with `meanwhile` done by somebody else before that call. */
  async function interleaved(
    before: (storage: SyncStorage) => void,
    work: (storage: SyncStorage) => unknown,
    meanwhile: (storage: SyncStorage) => void,
    check: (storage: SyncStorage, earlier: readonly CallName[]) => void,
  ): Promise<number> {
    for (let at = 0; ; at++) {
      const other = filesystemStorage(nextRoot())
      before(other)
      const calls: CallName[] = []
      const fs = through((name, _, perform) => {
        calls.push(name)
        if (calls.length === at + 1) meanwhile(other)
        return perform()
      })
      await work(filesystemStorage(root, { fs }))
      if (calls.length <= at) return at
      check(filesystemStorage(root), calls.slice(0, at))
      expect(scratchOf(root)).toEqual([])
    }
  }

  const writes = [
    { kind: 'put', ifAbsent: false, sync: false },
    { kind: 'putSync', ifAbsent: false, sync: true },
    { kind: 'claim', ifAbsent: true, sync: false },
    { kind: 'claimSync', ifAbsent: true, sync: true },
  ]
  test.each(writes)('by others, at any step of a write, takes no folder from it: $kind', async ({ ifAbsent, sync }) => {
    const write = (storage: SyncStorage) =>
      sync ? storage.putSync(key, fresh, { ifAbsent }) : storage.put(key, fresh, { ifAbsent })
    const steps = await interleaved(
      (storage) => storage.putSync(sibling, old),
      async (storage) => expect(await write(storage)).toBe(true),
      (storage) => {
        storage.deleteSync(sibling)
        storage.deleteSync(key)
      },
      (storage, earlier) => {
        // Deleted after it was there it stays deleted.
        const wasThere = earlier.includes(ifAbsent ? 'link' : 'rename')
        expect(storage.getSync(key), `after ${earlier.at(-1)}`).toEqual(wasThere ? undefined : fresh)
      },
    )
    expect(steps).toBeGreaterThan(15)
  })

  test.each([true, false])('loses nothing that others write at any step of it (sync: %s)', async (sync) => {
    const steps = await interleaved(
      (storage) => storage.putSync(key, old),
      (storage) => (sync ? storage.deleteSync(key) : storage.delete(key)),
      (storage) => storage.putSync([...key.slice(0, -1), 'new'], fresh),
      (storage) => {
        expect([...storage.listSync([])]).toEqual([[...key.slice(0, -1), 'new']])
        expect(storage.getSync([...key.slice(0, -1), 'new'])).toEqual(fresh)
      },
    )
    expect(steps).toBeGreaterThan(7)
  })

  test.each([true, false])('that others delete at any step of it is no error (sync: %s)', async (sync) => {
    const steps = await interleaved(
      (storage) => storage.putSync(key, old),
      (storage) => (sync ? storage.deleteSync(key) : storage.delete(key)),
      (storage) => storage.deleteSync(key),
      () => expect(here('top', 'folder')).toBe(false),
    )
    expect(steps).toBeGreaterThan(7)
  })
})

describe('processes', () => {
  let program: string
  beforeAll(async () => {
    program = await bundleProcess(join(base, 'program'))
  })

  test.skipIf(process.platform !== 'linux')('come to an end below a folder of the system', async () => {
    for (const place of ['/proc/nope', '/proc/self/fd/nope/data', '/dev/fd/nope']) {
      expect([place, await codeOf(() => makeFolderSync(place))]).toEqual([place, 'StorageUnavailable'])
      for (const sync of [true, false]) {
        const child = start(program, { does: 'write', root: place, sync })
        const timer = setTimeout(() => void killed(child), WAITING)
        expect([place, await said(child)]).toEqual([place, 'StorageUnavailable'])
        clearTimeout(timer)
      }
    }
  })

  test('that write and delete in the same folders do not get into each other’s way', async () => {
    const rounds = 120
    const children = [true, false, false].map((sync, me) => start(program, { does: 'churn', root, rounds, sync, me }))
    const outcomes = (await Promise.all(children.map(said))) as { errors: string[]; kept: string[][] }[]
    expect(outcomes.flatMap(({ errors }) => errors)).toEqual([])
    const kept = outcomes.flatMap(({ kept }) => kept)
    expect(kept.length).toBeGreaterThan(2)
    expect([...filesystemStorage(root).listSync([])]).toEqual(kept.sort(compareKeys))
    expect(scratchOf(root)).toEqual([])
  })
})
