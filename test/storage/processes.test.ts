import { chmodSync, linkSync, lstatSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { machine } from '../../node/storage/scratch.ts'
import { codeOf, fresh, old, scratchOf } from './outcomes.ts'
import { bundleProcess, killed, said, start } from './processes.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-processes-'))
chmodSync(base, 0o755)
afterAll(() => rmSync(base, { recursive: true }))

let root: string
let count = 0
beforeEach(() => {
  root = join(base, `root${count++}`)
})
const scratch = (): string[] => scratchOf(root)

describe('what killed processes leave behind', () => {
  let program: string
  beforeAll(async () => {
    program = await bundleProcess(join(base, 'program'))
  })

  test.each([
    { at: 'fsync', claims: false },
    { at: 'rename', claims: false },
    { at: 'link', claims: true },
  ] as const)(
    'killed before $at: the old bytes, and the temporary file goes with the next write',
    async ({ at, claims }) => {
      if (!claims) filesystemStorage(root).putSync(['a'], old)
      const child = start(program, { does: 'hang', root, key: ['a'], at, claims })
      expect(await said(child)).toBe('hanging')
      const left = scratch()
      expect(left).toHaveLength(1)
      // While the process lives its file is kept.
      filesystemStorage(root).putSync(['other'], old)
      expect(scratch()).toEqual(left)
      await killed(child)
      expect(filesystemStorage(root).getSync(['a'])).toEqual(claims ? undefined : old)
      filesystemStorage(root).putSync(['other'], fresh)
      expect(scratch()).toEqual([])
      expect(filesystemStorage(root).getSync(['a'])).toEqual(claims ? undefined : old)
    },
  )

  test('T27 killed between link and unlink: the entry is there and is not taken for a foreign link', async () => {
    const child = start(program, { does: 'hang', root, key: ['a'], at: 'unlink', claims: true })
    expect(await said(child)).toBe('hanging')
    const storage = filesystemStorage(root)
    for (const alive of [true, false]) {
      if (!alive) await killed(child)
      expect(lstatSync(join(root, 'a')).nlink).toBe(2)
      expect(storage.getSync(['a'])).toEqual(Uint8Array.of(9, 9))
      expect(await storage.get(['a'])).toEqual(Uint8Array.of(9, 9))
      expect(await storage.put(['a'], old, { ifAbsent: true })).toBe(false)
    }
    // A foreign link besides ours is still found out.
    linkSync(join(root, 'a'), join(base, `foreign${count++}`))
    expect(await codeOf(() => storage.get(['a']))).toBe('LinkRefused')
    rmSync(join(base, `foreign${count - 1}`))
    filesystemStorage(root).putSync(['other'], old)
    expect(lstatSync(join(root, 'a')).nlink).toBe(1)
    expect(storage.getSync(['a'])).toEqual(Uint8Array.of(9, 9))
  })

  test('files of other machines go after a day, those of living processes and of other programs stay', () => {
    filesystemStorage(root).putSync(['a'], old)
    const random = '0123456789abcdef'
    const [elsewhere, unknown] = ['00000000000a', '12-34.tmp']
    const names = {
      young: `${elsewhere}-1-${random}.tmp`,
      aged: `${elsewhere}-2-${random}.tmp`,
      living: `${machine()}-${process.ppid}-${random}.tmp`,
      own: `${machine()}-${process.pid}-${random}.tmp`,
      unknown,
    }
    for (const name of Object.values(names)) writeFileSync(join(root, '.tmp', name), old)
    const past = Date.now() / 1000 - 86_400 - 60
    for (const name of [names.aged, names.unknown]) utimesSync(join(root, '.tmp', name), past, past)
    filesystemStorage(root).putSync(['a'], fresh)
    expect(scratch()).toEqual([names.young, names.living, names.own, unknown].sort())
  })

  test.each([
    [true, true],
    [true, false],
    [false, false],
  ])(
    'two processes claim 200 keys (sync: %s, %s): each key has one winner, and readers never see a link',
    async (...forms) => {
      const children = forms.map((sync, me) => start(program, { does: 'claim', root, count: 200, sync, me }))
      const outcomes = Promise.all(children.map(said)) as Promise<number[][]>
      let running = true
      void outcomes.finally(() => {
        running = false
      })
      const reader = filesystemStorage(root)
      let reads = 0
      while (running) {
        for (const key of reader.listSync(['race'])) {
          expect(reader.getSync(key)).toHaveLength(1)
          reads++
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
      const [first = [], second = []] = await outcomes
      expect([...first, ...second].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, at) => at))
      for (const [me, won] of [first, second].entries())
        for (const at of won) expect(reader.getSync(['race', `${at}`])).toEqual(Uint8Array.of(me))
      expect(reads).toBeGreaterThan(0)
      expect(scratch()).toEqual([])
    },
  )

  const isRoot = process.getuid?.() === 0
  test.skipIf(!isRoot)('another user gets StorageUnavailable, and changes nothing (needs root)', async () => {
    const mine = filesystemStorage(root)
    mine.putSync(['a', 'b'], old)
    const child = start(program, { does: 'attempt', root, key: ['a', 'b'] }, 65534)
    expect(await said(child)).toEqual(
      Object.fromEntries(['get', 'list', 'put', 'delete'].map((name) => [name, 'StorageUnavailable'])),
    )
    expect(mine.getSync(['a', 'b'])).toEqual(old)
    expect(scratch()).toEqual([])
    // A store that may be read but not written.
    for (const path of ['', 'a']) chmodSync(join(root, path), 0o755)
    chmodSync(join(root, 'a', 'b'), 0o644)
    const reader = start(program, { does: 'attempt', root, key: ['a', 'b'] }, 65534)
    expect(await said(reader)).toEqual({ get: 3, list: 1, put: 'StorageUnavailable', delete: 'StorageUnavailable' })
    expect(mine.getSync(['a', 'b'])).toEqual(old)
  })
})
