import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { all, codeOf, old, outcomes } from './outcomes.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-disk-'))
afterAll(() => rmSync(base, { recursive: true }))

describe('a real disk of 1 MB', () => {
  const disk = join(base, 'disk')
  let whyNot = ''
  beforeAll(() => {
    mkdirSync(disk)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'pipe' })
    } catch (error) {
      whyNot = `a disk cannot be mounted here (${String(error)})`
    }
  })
  afterAll(() => {
    if (whyNot === '') execFileSync('umount', [disk])
  })

  test('that is full: StorageFull, nothing lost', async ({ skip }) => {
    skip(whyNot !== '', whyNot)
    const storage = filesystemStorage(join(disk, 'store'))
    const bytes = new Uint8Array(100_000).fill(5)
    const written: string[] = []
    let outcome = 'no error'
    for (let at = 0; at < 20 && outcome === 'no error'; at++) {
      outcome = await codeOf(() => storage.put([`entry${at}`], bytes, { ifAbsent: at % 2 === 0 }))
      if (outcome === 'no error') written.push(`entry${at}`)
    }
    expect(outcome).toBe('StorageFull')
    expect(written.length).toBeGreaterThan(5)
    expect(readdirSync(join(disk, 'store', '.tmp'))).toEqual([])
    expect(await codeOf(() => storage.putSync(['entry0'], new Uint8Array(2 << 20)))).toBe('StorageFull')
    for (const name of written) expect(storage.getSync([name])).toEqual(bytes)
    expect([...storage.listSync([])].flat().sort()).toEqual([...written].sort())
    storage.deleteSync(['entry1'])
    expect(await storage.put(['entry1'], old)).toBe(true)
  })

  test('that is read-only: it can be read, and says so when written to', async ({ skip }) => {
    skip(whyNot !== '', whyNot)
    filesystemStorage(join(disk, 'kept')).putSync(['a', 'b'], old)
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const kept = await outcomes(filesystemStorage(join(disk, 'kept')), ['a', 'b'])
    expect(kept).toEqual(all('StorageUnavailable', 'get', 'list'))
    const none = await outcomes(filesystemStorage(join(disk, 'none')), ['a'])
    expect(none).toEqual(all('StorageUnavailable', 'get', 'list', 'delete'))
  })
})
