import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { SxError } from '../../src/errors.ts'
import { all, codeOf, fresh, old, outcomes, scratchOf } from './outcomes.ts'
import { failing, systemError, through } from './seams.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-files-'))
afterAll(() => rmSync(base, { recursive: true }))

let root: string
let count = 0
beforeEach(() => {
  root = join(base, `root${count++}`)
})
const scratch = (): string[] => scratchOf(root)

describe('a write that fails at any call leaves the old bytes or the new ones, whole', () => {
  const errors = {
    ENOSPC: 'StorageFull',
    EDQUOT: 'StorageFull',
    EROFS: 'StorageUnavailable',
    EACCES: 'StorageUnavailable',
  }
  const more = { EIO: 'StorageUnavailable', EMFILE: 'StorageUnavailable', ELOOP: 'LinkRefused', EBUSY: 'Busy' }
  const kinds = [
    { kind: 'new', known: false, ifAbsent: false },
    { kind: 'replacing', known: true, ifAbsent: false },
    { kind: 'claiming', known: false, ifAbsent: true },
  ]
  const cases = Object.entries({ ...errors, ...more }).flatMap(([errno, code]) =>
    kinds.flatMap((kind) =>
      [true, false].map((sync) => ({ ...kind, errno, code, form: sync ? 'putSync' : 'put', sync })),
    ),
  )

  test.each(cases)('$errno, $kind, $form', async ({ known, ifAbsent, errno, code, sync }) => {
    const key = ['folder', 'entry']
    let finished = 'not yet'
    let at = 0
    for (; finished === 'not yet'; at++) {
      root = join(base, `root${count++}`)
      if (known) filesystemStorage(root).putSync(key, old)
      const { fs, calls } = failing(at, errno)
      const storage = filesystemStorage(root, { fs })
      const outcome = await codeOf(() =>
        sync ? storage.putSync(key, fresh, { ifAbsent }) : storage.put(key, fresh, { ifAbsent }),
      )
      if (calls.length <= at) {
        finished = outcome
        break
      }
      // Removing the second name after a claim, and looking for what others left, may fail without harm; and without
      // its real path a folder is looked at step by step.
      const mayNotLook = calls[at] === 'readdir' && ['EACCES', 'EROFS'].includes(errno)
      const harmless = calls[at] === 'unlink' || calls[at] === 'realpath' || mayNotLook
      expect(outcome, `at ${calls[at]}`).toBe(harmless ? 'no error' : code)
      const took = calls.slice(0, at).includes(ifAbsent ? 'link' : 'rename')
      const found = filesystemStorage(root).getSync(key)
      expect(found, `at ${calls[at]}`).toEqual(harmless || took ? fresh : known ? old : undefined)
      expect(scratch()).toHaveLength(calls[at] === 'unlink' ? 1 : 0)
    }
    expect(finished).toBe('no error')
    expect(at).toBeGreaterThan(known ? 8 : 12)
  })

  test('the error names the path, the reason of the system, and its cause', async () => {
    const { fs } = failing(0, 'ENOSPC')
    const error = await filesystemStorage(root, { fs })
      .put(['a'], old)
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(SxError)
    expect((error as SxError).message).toContain(`Writing ${join(root, 'a')} failed: words of the system (ENOSPC).`)
    expect((error as SxError).cause).toMatchObject({ code: 'ENOSPC' })
  })

  test.each([true, false])(
    'a permission that Deno was not given is named, and no fault of the library (sync: %s)',
    async (sync) => {
      const words = 'Requires write access to "sx_keys", run again with the --allow-write flag'
      const refusing = through(() => {
        throw Object.assign(new Error(words), { name: 'NotCapable' })
      })
      const storage = filesystemStorage(root, { fs: refusing })
      const put = async (): Promise<unknown> => (sync ? storage.putSync(['a'], old) : await storage.put(['a'], old))
      await expect(put()).rejects.toMatchObject({
        code: 'StorageUnavailable',
        found: `Writing ${join(root, 'a')} failed: ${words}.`,
      })
    },
  )

  test.each([true, false])('a disk that takes a few bytes at a time and then is full (sync: %s)', async (sync) => {
    filesystemStorage(root).putSync(['a'], old)
    let room = 3000
    const slow = through((name, args, perform) => {
      if (name !== 'write') return perform()
      if (room === 0) throw systemError('ENOSPC', 'write')
      room -= Math.min(room, 7)
      return sync ? 7 : Promise.resolve(7)
    })
    const storage = filesystemStorage(root, { fs: slow })
    const outcome = await codeOf(() => (sync ? storage.putSync(['a'], fresh) : storage.put(['a'], fresh)))
    expect([outcome, room]).toEqual(['StorageFull', 0])
    expect(filesystemStorage(root).getSync(['a'])).toEqual(old)
    expect(scratch()).toEqual([])
  })

  test('writes and reads in pieces give the whole', async () => {
    const pieces = through((name, args, perform) => {
      if (name === 'write' || name === 'read') (args as unknown[])[3] = Math.min(Number(args[3]), 999)
      return perform()
    })
    const storage = filesystemStorage(root, { fs: pieces })
    const bytes = Uint8Array.from({ length: 10_000 }, (_, at) => at % 251)
    storage.putSync(['a'], bytes)
    expect(storage.getSync(['a'])).toEqual(bytes)
    await storage.put(['a'], bytes.subarray(1))
    expect(await storage.get(['a'])).toEqual(bytes.subarray(1))
  })

  test('without hard links a claim is refused, and an ordinary write works', async () => {
    const fs = through((name, _, perform) => {
      if (name === 'link') throw systemError('EPERM', 'link')
      return perform()
    })
    const storage = filesystemStorage(root, { fs })
    expect(await codeOf(() => storage.put(['a'], old, { ifAbsent: true }))).toBe('StorageUnavailable')
    expect(storage.getSync(['a'])).toBeUndefined()
    expect(scratch()).toEqual([])
    expect(await storage.put(['a'], old)).toBe(true)
  })
})

describe('T27 links are refused and what they lead to is left alone', () => {
  test.each([
    { kind: 'symbolic', fine: [] },
    { kind: 'dangling', fine: [] },
    { kind: 'hard', fine: ['list', 'delete'] }, // a deletion removes no more than our name
  ])('a $kind link as the entry', async ({ kind, fine }) => {
    const outside = join(base, `outside${count++}`)
    const left = kind === 'dangling' ? undefined : Buffer.from(old)
    if (left) writeFileSync(outside, left)
    mkdirSync(join(root, 'folder'), { recursive: true })
    const make = kind === 'hard' ? linkSync : symlinkSync
    make(outside, join(root, 'folder', 'entry'))
    expect(await outcomes(filesystemStorage(root), ['folder', 'entry'])).toEqual(all('LinkRefused', ...fine))
    expect(existsSync(outside) ? readFileSync(outside) : undefined).toEqual(left)
    expect(scratch()).toEqual([])
  })

  test.each([
    { place: 'folder', key: ['folder', 'entry'], fine: [] },
    { place: 'folder/inner', key: ['folder', 'inner', 'entry'], fine: [] },
    { place: '.tmp', key: ['folder', 'entry'], fine: ['get', 'list', 'delete'] },
  ])('a link in the place of $place', async ({ place, key, fine }) => {
    const outside = join(base, `outside${count++}`)
    mkdirSync(outside)
    writeFileSync(join(outside, 'entry'), old)
    mkdirSync(dirname(join(root, place)), { recursive: true })
    symlinkSync(outside, join(root, place))
    const storage = filesystemStorage(root)
    expect(await outcomes(storage, key)).toEqual(all('LinkRefused', ...fine))
    const below = await codeOf(() => [...storage.listSync(key.slice(0, -1))])
    expect(below).toBe(fine.length > 0 ? 'no error' : 'LinkRefused')
    expect(readdirSync(outside)).toEqual(['entry'])
    expect(readFileSync(join(outside, 'entry'))).toEqual(Buffer.from(old))
  })

  test('the root itself may be a link', () => {
    const real = join(base, `real${count++}`)
    mkdirSync(real)
    symlinkSync(real, root)
    const storage = filesystemStorage(root)
    storage.putSync(['a', 'b'], old)
    expect(storage.getSync(['a', 'b'])).toEqual(old)
    expect([...storage.listSync([])]).toEqual([['a', 'b']])
    expect(new Uint8Array(readFileSync(join(real, 'a', 'b')))).toEqual(old)
  })

  test.each([
    { kind: 'fifo', key: ['a'], get: 'StorageUnavailable' },
    { kind: 'folder', key: ['a'], get: 'no error' },
    { kind: 'file above', key: ['a', 'b'], get: 'no error' },
  ])('a $kind in the way is no entry, and nothing waits for it', async ({ kind, key, get }) => {
    mkdirSync(root)
    if (kind === 'fifo') execFileSync('mkfifo', [join(root, 'a')])
    if (kind === 'folder') mkdirSync(join(root, 'a'))
    if (kind === 'file above') writeFileSync(join(root, 'a'), old)
    const storage = filesystemStorage(root)
    expect(await codeOf(() => storage.put(key, fresh))).toBe('StorageUnavailable')
    expect(await codeOf(() => storage.putSync(key, fresh, { ifAbsent: true }))).toBe('StorageUnavailable')
    let found: unknown
    expect(
      await codeOf(async () => {
        found = await storage.get(key)
      }),
    ).toBe(get)
    expect(found).toBeUndefined()
    expect(scratch()).toEqual([])
  })
})

describe('T28 no path outside the root is touched', () => {
  test('by unsafe names there is no call at all, by safe ones only below the root', async () => {
    const paths: string[] = []
    const fs = through((_, args, perform) => {
      paths.push(...args.filter((arg): arg is string => typeof arg === 'string'))
      return perform()
    })
    const storage = filesystemStorage(root, { fs })
    for (const name of ['../x', '..', '..%2f', 'a/b', 'C:\\x', 'con', '\0', 'x'.repeat(300), '.tmp'])
      expect(await outcomes(storage, ['a', name])).toEqual(all('InvalidId', 'list'))
    expect(new Set(paths)).toEqual(new Set([root])) // by the lists of everything
    expect(await outcomes(storage, ['a', 'b'])).toEqual(all('no error'))
    expect(paths).toContain(join(root, 'a', 'b'))
    // The folder that holds the root is synced when the root is made in it.
    expect(paths.filter((path) => path !== base && path !== root && !path.startsWith(`${root}/`))).toEqual([])
  })
})

describe('permissions', () => {
  test('files are 0600 and folders 0700, whatever the umask; folders that were there stay as they are', async () => {
    const before = process.umask(0)
    try {
      mkdirSync(join(root, 'shared'), { recursive: true })
      chmodSync(join(root, 'shared'), 0o755)
      const storage = filesystemStorage(join(root, 'made', 'store'))
      await storage.put(['a', 'b'], old)
      storage.putSync(['a', 'c'], old, { ifAbsent: true })
      chmodSync(join(root, 'made/store/a/b'), 0o644)
      await storage.put(['a', 'b'], fresh)
      await filesystemStorage(join(root, 'shared')).put(['d'], old)
    } finally {
      process.umask(before)
    }
    const modes = [
      'made',
      'made/store',
      'made/store/.tmp',
      'made/store/a',
      'made/store/a/b',
      'made/store/a/c',
      'shared',
    ]
    expect(modes.map((path) => (statSync(join(root, path)).mode & 0o777).toString(8))).toEqual([
      '700',
      '700',
      '700',
      '700',
      '600',
      '600',
      '755',
    ])
  })

  test('reading makes no folder', async () => {
    const storage = filesystemStorage(root)
    expect(await storage.get(['a', 'b'])).toBeUndefined()
    expect([...storage.listSync([])]).toEqual([])
    await storage.delete(['a', 'b'])
    await storage.flush()
    await storage.close()
    expect(existsSync(root)).toBe(false)
  })
})

test('list reads only the folders it needs', async () => {
  const storage = filesystemStorage(root)
  for (let at = 100; at < 160; at++) await storage.put([`f${at}`, 'inner', 'entry'], old)
  let folders = 0
  const fs = through((name, _, perform) => {
    if (name === 'readdir') folders++
    return perform()
  })
  const counting = filesystemStorage(root, { fs })
  expect([...counting.listSync([], { limit: 2 })]).toEqual([100, 101].map((at) => [`f${at}`, 'inner', 'entry']))
  expect(folders).toBe(5)
  folders = 0
  expect([...counting.listSync([], { after: ['f157', 'inner', 'entry'] })]).toHaveLength(2)
  expect(folders).toBe(7)
})

test('a burst of calls keeps a bounded number of files open', async () => {
  let open = 0
  let most = 0
  const fs = through(async (name, _, perform) => {
    const result = await perform()
    if (name === 'open') most = Math.max(most, ++open)
    if (name === 'close' || name === 'release') open--
    return result
  })
  const storage = filesystemStorage(root, { fs })
  const keys = Array.from({ length: 500 }, (_, at) => [`${at}`])
  expect(await Promise.all(keys.map((key) => storage.put(key, old)))).toEqual(keys.map(() => true))
  await Promise.all(keys.map((key) => storage.get(key)))
  expect([open, most > 1 && most <= 64]).toEqual([0, true])
})
