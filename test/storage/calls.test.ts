/** What an entry costs in calls of the file system, and in which order they come. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { machine } from '../../node/storage/scratch.ts'
import { isSyncBulk } from '../../src/storage/bulk.ts'
import type { PutOptions, SyncStorage } from '../../src/storage/contract.ts'
import { fresh, old, scratchOf } from './outcomes.ts'
import { type CallName, systemError, through } from './seams.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-calls-'))
afterAll(() => rmSync(base, { recursive: true }))

let root: string
let count = 0
beforeEach(() => {
  root = join(base, `root${count++}`)
})

const key = ['documents', '6f', 'first.1.json']
const beside = ['documents', '6f', 'second.1.json']
const claim: PutOptions = { ifAbsent: true }

/** A storage that has written and read before, in folders that are there, and the calls it makes from then on. */
async function counting(): Promise<{ storage: SyncStorage; calls: CallName[] }> {
  const calls: CallName[] = []
  const fs = through((name, _, perform) => {
    calls.push(name)
    return perform()
  })
  const storage = filesystemStorage(root, { fs })
  await storage.put(key, old)
  await storage.get(key)
  calls.length = 0
  return { storage, calls }
}
const syncs = (calls: readonly CallName[]): number => calls.filter((name) => name === 'fsync').length

const forms = [
  {
    form: 'async',
    get: (storage: SyncStorage, key: string[]) => storage.get(key),
    put: (storage: SyncStorage, key: string[], options?: PutOptions) => storage.put(key, fresh, options),
  },
  {
    form: 'sync',
    get: async (storage: SyncStorage, key: string[]) => storage.getSync(key),
    put: async (storage: SyncStorage, key: string[], options?: PutOptions) => storage.putSync(key, fresh, options),
  },
]

describe.each(forms)('calls, $form', ({ get, put }) => {
  test('of reading an entry', async () => {
    const { storage, calls } = await counting()
    expect(await get(storage, key)).toEqual(old)
    expect(calls).toEqual(['open', 'fstat', 'read', 'release', 'realpath'])
    calls.length = 0
    expect(await get(storage, beside)).toBeUndefined()
    expect(calls).toEqual(['open', 'realpath'])
  })

  test('of a new entry: 2 fsync, one more with a new folder', async () => {
    const { storage, calls } = await counting()
    expect(await put(storage, beside, claim)).toBe(true)
    expect(syncs(calls)).toBe(2)
    expect(calls.length).toBeLessThanOrEqual(11)
    calls.length = 0
    expect(await put(storage, ['documents', '70', 'third.1.json'], claim)).toBe(true)
    expect(syncs(calls)).toBe(3)
  })

  test('of a relaxed write: no fsync', async () => {
    const { storage, calls } = await counting()
    expect(await put(storage, beside, { durability: 'relaxed' })).toBe(true)
    expect(await put(storage, beside, { durability: 'relaxed', ifAbsent: true })).toBe(false)
    expect(await put(storage, key, { durability: 'relaxed' })).toBe(true)
    expect(syncs(calls)).toBe(0)
    expect(await get(storage, key)).toEqual(fresh)
  })
})

test('of many entries: the way to each folder is looked at once', async () => {
  const { storage, calls } = await counting()
  const entries = ['a', 'b', 'c'].map((name) => ({ key: ['documents', '6f', `${name}.1.json`], bytes: fresh }))
  expect(isSyncBulk(storage) && storage.putAllSync(entries)).toBe(true)
  expect(calls.filter((name) => name === 'realpath')).toHaveLength(1)
  expect(syncs(calls)).toBe(entries.length + 1)
})

describe('durability', () => {
  /** What is synced, made and named, in order; paths relative to the folder that holds the root. */
  function recording(before: (step: string) => void = () => {}): {
    steps: string[]
    storage: SyncStorage
    name: string
  } {
    const steps: string[] = []
    const paths = new Map<unknown, string>()
    const shown = (path: unknown): string => relative(base, String(path)).replace(/[0-9a-f-]+\.tmp$/, 'temporary')
    const fs = through((name, args, perform) => {
      const step = [name, ...args.filter((arg) => typeof arg === 'string').map(shown)].join(' ')
      before(step)
      const result = perform()
      if (name === 'open') paths.set(result, shown(args[0]))
      if (name === 'fsync') steps.push(`sync ${paths.get(args[0])}`)
      if (/^(mkdir|rmdir|link|rename|unlink)$/.test(name)) steps.push(step)
      return result
    })
    return { steps, storage: filesystemStorage(root, { fs }), name: relative(base, root) }
  }

  test('bytes are synced before they get the name, names afterwards, new folders in the folder above', () => {
    const { steps, storage, name } = recording()
    storage.putSync(['a', 'b'], old)
    const temporary = `${name}/.tmp/temporary`
    const made = [
      `mkdir ${name}`,
      'sync ',
      `mkdir ${name}/.tmp`,
      `sync ${temporary}`,
      `mkdir ${name}/a`,
      `sync ${name}`,
    ]
    expect(steps).toEqual([...made, `rename ${temporary} ${name}/a/b`, `sync ${name}/a`])
    steps.length = 0
    storage.putSync(['a', 'c'], old, claim)
    expect(steps).toEqual([
      `sync ${temporary}`,
      `link ${temporary} ${name}/a/c`,
      `unlink ${temporary}`,
      `sync ${name}/a`,
    ])
    steps.length = 0
    storage.deleteSync(['a', 'c'])
    expect(steps).toEqual([`unlink ${name}/a/c`, `sync ${name}/a`])
  })

  test('what a put-if-absent finds is synced before it answers, for others may not have done so yet', () => {
    const { steps, storage, name } = recording()
    storage.putSync(['a', 'b'], old, { durability: 'relaxed' })
    steps.length = 0
    expect(storage.putSync(['a', 'b'], fresh, claim)).toBe(false)
    expect(steps.slice(-3)).toEqual([`sync ${name}/a/b`, `unlink ${name}/.tmp/temporary`, `sync ${name}/a`])
    expect(storage.getSync(['a', 'b'])).toEqual(old)
  })

  const many = [
    { key: ['d', '1', 'x'], bytes: old },
    { key: ['d', '2', 'x'], bytes: old },
    { key: ['d', '1', 'y'], bytes: old },
  ]

  test('of many entries all bytes are synced, then new folders once for each folder above, and names once a folder', () => {
    const { steps, storage, name } = recording()
    storage.putSync(['a', 'b'], old)
    steps.length = 0
    expect(isSyncBulk(storage) && storage.putAllSync(many)).toBe(true)
    const temporary = `${name}/.tmp/temporary`
    const named = (path: string): string[] => [`link ${temporary} ${name}/${path}`, `unlink ${temporary}`]
    expect(steps).toEqual([
      ...many.map(() => `sync ${temporary}`),
      `mkdir ${name}/d`,
      `sync ${name}`,
      `mkdir ${name}/d/1`,
      `mkdir ${name}/d/2`,
      `sync ${name}/d`,
      ...many.flatMap(({ key }) => named(key.join('/'))),
      `sync ${name}/d/1`,
      `sync ${name}/d/2`,
    ])
  })

  test('of folders that are made together those are synced that could be made', () => {
    const { steps, storage, name } = recording((step) => {
      if (step.startsWith('mkdir') && step.endsWith('/d/2')) throw systemError('EDQUOT', 'mkdir')
    })
    storage.putSync(['d', 'b'], old)
    steps.length = 0
    expect(() => isSyncBulk(storage) && storage.putAllSync(many)).toThrow(
      expect.objectContaining({ code: 'StorageFull' }),
    )
    expect(steps.filter((step) => !step.endsWith('temporary'))).toEqual([`mkdir ${name}/d/1`, `sync ${name}/d`])
    expect(existsSync(join(root, 'd', '1', 'x'))).toBe(false)
    expect(scratchOf(root)).toEqual([])
  })

  test('a relaxed write takes its name whole, and new folders are synced for what comes into them later', () => {
    const { steps, storage, name } = recording()
    storage.putSync(['a', 'b'], old)
    steps.length = 0
    storage.putSync(['c', 'b'], fresh, { durability: 'relaxed' })
    const temporary = `${name}/.tmp/temporary`
    expect(steps).toEqual([`mkdir ${name}/c`, `sync ${name}`, `rename ${temporary} ${name}/c/b`])
    steps.length = 0
    storage.putSync(['c', 'd'], fresh, { durability: 'relaxed', ifAbsent: true })
    expect(steps).toEqual([`link ${temporary} ${name}/c/d`, `unlink ${temporary}`])
  })
})

describe.each(forms)('put-if-absent, $form', ({ put }) => {
  test('that fails to sync the folder fails, although the entry is there', async () => {
    const folder = join(root, 'documents', '6f')
    let isFolder = false
    const fs = through((name, args, perform) => {
      if (name === 'open') isFolder = args[0] === folder
      if (name === 'fsync' && isFolder) throw systemError('EIO', 'fsync')
      return perform()
    })
    filesystemStorage(root).putSync(key, old)
    const storage = filesystemStorage(root, { fs })
    await expect(put(storage, beside, claim)).rejects.toMatchObject({ code: 'StorageUnavailable' })
    await expect(put(storage, beside, claim)).rejects.toMatchObject({ code: 'StorageUnavailable' })
    expect(await put(filesystemStorage(root), beside, claim)).toBe(false)
    expect(storage.getSync(beside)).toEqual(fresh)
    expect(scratchOf(root)).toEqual([])
  })

  test('whose own name is said to be taken, as a network drive may, finds its own bytes there', async () => {
    const fs = through((name, _, perform) => {
      const result = perform()
      if (name !== 'link') return result
      const taken = systemError('EEXIST', 'link')
      if (!(result instanceof Promise)) throw taken
      return result.then(() => Promise.reject(taken))
    })
    const storage = filesystemStorage(root, { fs })
    expect(await put(storage, key, claim)).toBe(false)
    expect(storage.getSync(key)).toEqual(fresh)
    expect(scratchOf(root)).toEqual([])
  })

  test('of a name that is free again once it is looked at writes after all', async () => {
    const other = filesystemStorage(root)
    other.putSync(key, old)
    let isTaken = true
    const fs = through((name, args, perform) => {
      if (name === 'open' && args[0] === join(root, ...key) && isTaken) {
        other.deleteSync(key)
        other.putSync(beside, old) // or the folder would go too
        isTaken = false
      }
      return perform()
    })
    expect(await put(filesystemStorage(root, { fs }), key, claim)).toBe(true)
    expect(other.getSync(key)).toEqual(fresh)
    expect(scratchOf(root)).toEqual([])
  })
})

test('reading, listing and deleting change nothing of what killed processes left; the first write does', async () => {
  filesystemStorage(root).putSync(key, old)
  const left = `${machine()}-${2 ** 31 - 1}-0123456789abcdef.tmp` // no system gives process ids that high
  writeFileSync(join(root, '.tmp', left), fresh)
  const calls = new Set<CallName>()
  const fs = through((name, _, perform) => {
    calls.add(name)
    return perform()
  })
  const storage = filesystemStorage(root, { fs })
  expect(await storage.get(key)).toEqual(old)
  expect(storage.getSync(beside)).toBeUndefined()
  expect([...storage.listSync([])]).toEqual([key])
  expect([...calls].sort()).toEqual(['fstat', 'open', 'read', 'readdir', 'realpath', 'release'])
  storage.deleteSync(beside)
  expect(readdirSync(join(root, '.tmp'))).toEqual([left])
  await storage.put(beside, old)
  expect(scratchOf(root)).toEqual([])
})

test('a list below a prefix looks at nothing beside it', async () => {
  const storage = filesystemStorage(root)
  for (const name of ['.new', 'other', 'zzz']) await storage.put([name, 'inner', 'entry'], old)
  mkdirSync(join(root, 'foreign'))
  const paths = new Set<string>()
  const fs = through((name, args, perform) => {
    if (name !== 'realpath' || args[0] !== root) paths.add(String(args[0]))
    return perform()
  })
  const counted = filesystemStorage(root, { fs })
  const found = [['.new', 'inner', 'entry']]
  for (const after of [['.new', 'inner'], ['-']]) expect([...counted.listSync(['.new'], { after })]).toEqual(found)
  for (const after of [['other'], ['zzz', 'zzz']]) expect([...counted.listSync(['.new'], { after })]).toEqual([])
  for await (const key of counted.list(['.new'])) expect(key).toEqual(found[0])
  expect([...paths].sort()).toEqual(['.new', '.new/inner'].map((path) => join(root, path)))
})

test('calls after close reject, those begun before are finished', async () => {
  const storage = filesystemStorage(root)
  const writing = storage.put(key, old, claim)
  const closing = storage.close()
  const refused = { code: 'StorageUnavailable' }
  await expect(storage.put(beside, old)).rejects.toMatchObject(refused)
  await expect(storage.get(key)).rejects.toMatchObject(refused)
  await expect(storage.flush()).rejects.toMatchObject(refused)
  expect(() => storage.putSync(beside, old)).toThrow(expect.objectContaining(refused))
  await closing
  expect(await writing).toBe(true)
  expect([existsSync(join(root, ...key)), existsSync(join(root, ...beside))]).toEqual([true, false])
})
