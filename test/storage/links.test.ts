/** Links that come while an entry is read or written, and systems that tell links less well. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readFileSafely, readFileSafelySync, writeFileAtomically } from '../../node/storage/file.ts'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { type FileSystem, nodeFileSystem } from '../../node/storage/seam.ts'
import type { SyncStorage } from '../../src/storage/contract.ts'
import { all, codeOf, fresh, old, outcomes, scratchOf } from './outcomes.ts'
import { type CallName, systemError, through } from './seams.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-links-'))
afterAll(() => rmSync(base, { recursive: true }))

let root: string
let outside: string
let count = 0
function next(): void {
  root = join(base, `root${count}`)
  outside = join(base, `outside${count++}`)
  mkdirSync(outside)
}
beforeEach(next)

const key = ['documents', '6f', 'entry']
/** Bytes that nobody may be given. */
const foreign = new Uint8Array(300).fill(66)

/** Puts a link in the place of a folder, with the same names below it. */
function swap(...place: string[]): void {
  const path = join(root, ...place)
  if (existsSync(path)) renameSync(path, join(base, `away${count++}`))
  const inside = key.slice(place.length)
  mkdirSync(join(outside, ...inside.slice(0, -1)), { recursive: true })
  writeFileSync(join(outside, ...inside), foreign)
  symlinkSync(outside, path)
}

/** A file system in which `meanwhile` is done before the call number `at`; `calls` names those made so far. */
function interrupted(at: number, meanwhile: () => void): { fs: FileSystem; calls: CallName[] } {
  const calls: CallName[] = []
  const fs = through((name, _, perform) => {
    calls.push(name)
    if (calls.length === at + 1) meanwhile()
    return perform()
  })
  return { fs, calls }
}

const places = [['documents'], ['documents', '6f']]
const forms = [
  {
    form: 'async',
    get: async (storage: SyncStorage) => storage.get(key),
    put: async (storage: SyncStorage, ifAbsent: boolean) => storage.put(key, fresh, { ifAbsent }),
  },
  {
    form: 'sync',
    get: async (storage: SyncStorage) => storage.getSync(key),
    put: async (storage: SyncStorage, ifAbsent: boolean) => storage.putSync(key, fresh, { ifAbsent }),
  },
]

describe.each(forms)('T27 a folder that becomes a link, $form', ({ get, put }) => {
  test.each(places)('while an entry is read: nothing behind it is given (%s %s)', async (...place) => {
    for (let at = 0, isDone = false; !isDone; at++) {
      next()
      filesystemStorage(root).putSync(key, old)
      const { fs, calls } = interrupted(at, () => swap(...place.filter(Boolean)))
      let found: unknown
      const outcome = await codeOf(async () => {
        found = await get(filesystemStorage(root, { fs }))
      })
      isDone = calls.length <= at
      // After the last look at the way, what was read before is given.
      const isLate = isDone || calls.slice(0, at).includes('realpath')
      expect([outcome, found], `at ${calls[at]}`).toEqual(isLate ? ['no error', old] : ['LinkRefused', undefined])
    }
  })

  test.each([true, false])(
    'while an entry is written: nothing is written behind it (ifAbsent: %s)',
    async (ifAbsent) => {
      for (const place of places) {
        for (let at = 0, isDone = false; !isDone; at++) {
          next()
          filesystemStorage(root).putSync(['documents', '6f', 'other'], old)
          const { fs, calls } = interrupted(at, () => swap(...place))
          const outcome = await codeOf(() => put(filesystemStorage(root, { fs }), ifAbsent))
          isDone = calls.length <= at
          // Between the last look at the way and the name, there is nothing left that could see it.
          if (isDone || calls.slice(0, at).includes('realpath')) continue
          expect(outcome, `at ${calls[at]}`).toBe('LinkRefused')
          expect(new Uint8Array(readFileSync(join(outside, ...key.slice(place.length))))).toEqual(foreign)
          expect(scratchOf(root)).toEqual([])
        }
      }
    },
  )

  test('as the folder of writes under way: refused at the next write', async () => {
    const storage = filesystemStorage(root)
    storage.putSync(['documents', '6f', 'other'], old)
    renameSync(join(root, '.tmp'), join(base, `away${count++}`))
    symlinkSync(outside, join(root, '.tmp'))
    expect(await codeOf(() => put(storage, true))).toBe('LinkRefused')
    expect(readdirSync(outside)).toEqual([])
  })

  test('that leads nowhere is refused too', async () => {
    mkdirSync(root)
    symlinkSync(join(outside, 'nothing'), join(root, 'documents'))
    expect(await codeOf(() => get(filesystemStorage(root)))).toBe('LinkRefused')
    expect(await codeOf(() => put(filesystemStorage(root), true))).toBe('LinkRefused')
    expect(readdirSync(outside)).toEqual([])
  })
})

test('the root may be a link that later leads somewhere else', async () => {
  const [first, second] = [join(outside, 'first'), join(outside, 'second')]
  for (const real of [first, second]) filesystemStorage(real).putSync(key, Uint8Array.of(real.length))
  symlinkSync(first, root)
  const { fs, calls } = interrupted(-1, () => {})
  const storage = filesystemStorage(root, { fs })
  expect(await storage.get(key)).toEqual(Uint8Array.of(first.length))
  rmSync(root)
  symlinkSync(second, root)
  for (const looks of [2, 1]) {
    calls.length = 0
    expect(await storage.get(key)).toEqual(Uint8Array.of(second.length))
    expect(calls).toEqual(['open', 'fstat', 'read', 'release', ...Array.from({ length: looks }, () => 'realpath')])
  }
  expect(storage.putSync(key, old)).toBe(true)
  expect(filesystemStorage(second).getSync(key)).toEqual(old)
})

test.each([
  ['names folders by rules of its own', (path: string) => path.toUpperCase()],
  [
    'cannot tell the real path',
    () => {
      throw systemError('EISDIR', 'realpath') // some drives of Windows
    },
  ],
])('on a system that %s folders are looked at step by step', async (_, realpath) => {
  const fs = through((name, args, perform) => (name === 'realpath' ? realpath(String(args[0])) : perform()))
  const storage = filesystemStorage(root, { fs })
  expect(await outcomes(storage, key)).toEqual(all('no error'))
  storage.putSync(key, old)
  expect([await storage.get(key), storage.getSync(key)]).toEqual([old, old])
  swap('documents')
  expect(await outcomes(storage, key)).toEqual(all('LinkRefused'))
  expect(new Uint8Array(readFileSync(join(outside, '6f', 'entry')))).toEqual(foreign)
})

describe('a system without the flag that refuses links (Windows)', () => {
  /** Opens as such a system does: a link is followed. */
  const flagless = (around: (name: CallName, path: string) => void = () => {}): FileSystem => {
    const fs = through((name, args, perform) => {
      around(name, String(args[0]))
      return perform()
    })
    return { ...fs, noFollow: 0 }
  }

  test.each(['symbolic', 'dangling', 'hard'])('T27 a %s link as the entry is refused', async (kind) => {
    if (kind !== 'dangling') writeFileSync(join(outside, 'entry'), foreign)
    mkdirSync(join(root, 'documents', '6f'), { recursive: true })
    const make = kind === 'hard' ? linkSync : symlinkSync
    make(join(outside, 'entry'), join(root, ...key))
    const storage = filesystemStorage(root, { fs: flagless() })
    const fine = kind === 'hard' ? ['list', 'delete'] : [] // a deletion removes no more than our name
    expect(await outcomes(storage, key)).toEqual(all('LinkRefused', ...fine))
    const left = existsSync(join(outside, 'entry')) ? new Uint8Array(readFileSync(join(outside, 'entry'))) : undefined
    expect(left).toEqual(kind === 'dangling' ? undefined : foreign)
  })

  test('T27 a link that is put in place of the entry right before it is opened is refused', async () => {
    filesystemStorage(root).putSync(key, old)
    writeFileSync(join(outside, 'entry'), foreign)
    const path = join(root, ...key)
    const fs = flagless((name, opened) => {
      if (name !== 'open' || opened !== path) return
      rmSync(path)
      symlinkSync(join(outside, 'entry'), path)
    })
    expect(await codeOf(() => filesystemStorage(root, { fs }).get(key))).toBe('LinkRefused')
    expect(await codeOf(() => filesystemStorage(root, { fs }).getSync(key))).toBe('LinkRefused')
  })

  test('T27 a link that is taken away again after it was opened gives nothing of what it led to', async () => {
    filesystemStorage(root).putSync(key, old)
    writeFileSync(join(outside, 'entry'), foreign)
    const path = join(root, ...key)
    let opened = 0
    const fs = flagless((name, where) => {
      if (name === 'open' && where === path && opened++ === 0) {
        renameSync(path, `${path}.away`)
        symlinkSync(join(outside, 'entry'), path)
      } else if (name === 'fstat' && existsSync(`${path}.away`)) renameSync(`${path}.away`, path)
    })
    expect(await filesystemStorage(root, { fs }).get(key)).toEqual(old)
    expect(opened).toBe(2)
  })

  test('an entry that is replaced while it is read is read again', async () => {
    const other = filesystemStorage(root)
    other.putSync(key, old)
    let replaced = 0
    const fs = flagless((name) => {
      if (name === 'fstat' && replaced++ < 3) other.putSync(key, Uint8Array.of(replaced))
    })
    expect(await filesystemStorage(root, { fs }).get(key)).toEqual(Uint8Array.of(3))
    const always = flagless((name) => {
      if (name === 'fstat') other.putSync(key, fresh)
    })
    expect(await codeOf(() => filesystemStorage(root, { fs: always }).getSync(key))).toBe('Busy')
  })

  test('everything else works as elsewhere', async () => {
    const storage = filesystemStorage(root, { fs: flagless() })
    expect(await outcomes(storage, key)).toEqual(all('no error'))
    await storage.put(key, old)
    expect(await storage.put(key, fresh, { ifAbsent: true })).toBe(false)
    expect(await storage.get(key)).toEqual(old)
  })

  test('single files: a link is refused where asked for', async () => {
    const [path, target] = [join(outside, 'link'), join(outside, 'target')]
    writeFileSync(target, old)
    symlinkSync(target, path)
    const fs = flagless()
    expect(await codeOf(() => readFileSafely(path, { fs, noFollow: true }))).toBe('LinkRefused')
    expect(await codeOf(() => readFileSafelySync(path, { fs, noFollow: true }))).toBe('LinkRefused')
    expect(await codeOf(() => writeFileAtomically(path, fresh, { fs, ifAbsent: true }))).toBe('LinkRefused')
    expect(await readFileSafely(path, { fs })).toEqual(old)
    expect(nodeFileSystem.noFollow === 0).toBe(process.platform === 'win32')
  })
})
