import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
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
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ReadFileOptions,
  readFileSafely,
  readFileSafelySync,
  removeFile,
  removeFileSync,
  type WriteFileOptions,
  writeFileAtomically,
  writeFileAtomicallySync,
} from '../../node/storage/file.ts'
import { machine } from '../../node/storage/scratch.ts'
import { codeOf, fresh, old } from './outcomes.ts'
import { failing, through } from './seams.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-file-'))
afterAll(() => rmSync(base, { recursive: true }))

let folder: string
let path: string
let count = 0
beforeEach(() => {
  folder = join(base, `${count++}`)
  path = join(folder, 'out.json')
  mkdirSync(folder)
})

const forms = [
  {
    form: 'async',
    read: async (path: string, options?: ReadFileOptions) => readFileSafely(path, options),
    write: async (path: string, bytes: Uint8Array, options?: WriteFileOptions) =>
      writeFileAtomically(path, bytes, options),
    remove: async (path: string) => removeFile(path),
  },
  {
    form: 'sync',
    read: async (path: string, options?: ReadFileOptions) => readFileSafelySync(path, options),
    write: async (path: string, bytes: Uint8Array, options?: WriteFileOptions) =>
      writeFileAtomicallySync(path, bytes, options),
    remove: async (path: string) => removeFileSync(path),
  },
]
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe.each(forms)('a single file, $form', ({ read, write, remove }) => {
  test('is read, up to a size, and is undefined where there is none', async () => {
    writeFileSync(path, fresh)
    expect(await read(path)).toEqual(fresh)
    expect(await read(path, { maxBytes: fresh.length })).toEqual(fresh)
    expect(await codeOf(() => read(path, { maxBytes: fresh.length - 1 }))).toBe('LimitExceeded')
    expect(await read(join(folder, 'none'))).toBeUndefined()
    expect(await read(join(path, 'below'))).toBeUndefined()
    expect(await read(folder)).toBeUndefined()
    expect(await codeOf(() => read('/dev/zero', { maxBytes: 10 }))).toBe('StorageUnavailable')
  })

  test.skipIf(!existsSync('/proc/self/maps'))('whose size is not known beforehand is read to its end', async () => {
    const expected = readFileSync('/proc/self/maps').length
    const found = await read('/proc/self/maps')
    expect(found?.length).toBeGreaterThan(expected / 2)
    expect(await codeOf(() => read('/proc/self/maps', { maxBytes: 100 }))).toBe('LimitExceeded')
  })

  test('that is larger than the memory is an error of the storage', async () => {
    writeFileSync(path, fresh)
    const grown = (stat: object): object => Object.assign(stat, { size: 2n ** 60n })
    const fs = through((name, _, perform) => {
      const result = perform()
      if (name !== 'fstat') return result
      return result instanceof Promise ? result.then(grown) : grown(result as object)
    })
    expect(await codeOf(() => read(path, { fs }))).toBe('StorageUnavailable')
    expect(await codeOf(() => read(path, { fs, maxBytes: fresh.length }))).toBe('LimitExceeded')
  })

  test('is refused where nothing but a file may stand', async () => {
    expect(await read(path, { vacant: true })).toBeUndefined()
    expect(await codeOf(() => read(folder, { vacant: true }))).toBe('StorageUnavailable')
    symlinkSync('nothing', path)
    expect(await codeOf(() => read(path, { vacant: true }))).toBe('LinkRefused')
    expect(await read(path)).toBeUndefined()
    writeFileSync(join(folder, 'nothing'), old)
    expect(await read(path, { vacant: true })).toEqual(old)
  })

  test('is removed, and a link is not', async () => {
    await remove(path)
    writeFileSync(path, old)
    await remove(path)
    expect(readdirSync(folder)).toEqual([])
    symlinkSync('nothing', path)
    expect(await codeOf(() => remove(path))).toBe('LinkRefused')
    expect(readdirSync(folder)).toEqual(['out.json'])
  })

  test('is written with the mode asked for; a file that is replaced keeps mode and owner', async () => {
    const before = process.umask(0o027)
    try {
      expect(await write(path, old)).toBe(true)
      expect(modeOf(path)).toBe(0o600)
      expect(await write(join(folder, 'wide'), old, { mode: 0o666 })).toBe(true)
      expect(modeOf(join(folder, 'wide'))).toBe(0o640)
    } finally {
      process.umask(before)
    }
    chmodSync(path, 0o664)
    const asRoot = process.getuid?.() === 0
    if (asRoot) chownSync(path, 12345, 54321)
    const { uid, gid } = statSync(path)
    expect(await write(path, fresh, { mode: 0o600 })).toBe(true)
    const { uid: uidNow, gid: gidNow } = statSync(path)
    expect([modeOf(path), uidNow, gidNow]).toEqual([0o664, uid, gid])
    expect(new Uint8Array(readFileSync(path))).toEqual(fresh)
    expect(readdirSync(folder).sort()).toEqual(['out.json', 'wide'])
  })

  test('is left alone with ifAbsent, and a missing folder is an error', async () => {
    expect(await write(path, old, { ifAbsent: true })).toBe(true)
    expect(await write(path, fresh, { ifAbsent: true })).toBe(false)
    expect(await read(path, { noFollow: true })).toEqual(old)
    expect(await codeOf(() => write(join(folder, 'none', 'x'), old))).toBe('StorageUnavailable')
    expect(await codeOf(() => write(folder, old))).toBe('StorageUnavailable')
  })

  test('with a name as long as the system allows can be written', async () => {
    const long = join(folder, 'n'.repeat(255))
    expect(await write(long, old)).toBe(true)
    expect(await read(long)).toEqual(old)
  })

  test('T27 a link at the path is refused, or followed where asked for', async () => {
    const real = join(folder, 'real')
    writeFileSync(real, old)
    symlinkSync(real, path)
    expect(await codeOf(() => write(path, fresh))).toBe('LinkRefused')
    expect(await codeOf(() => write(path, fresh, { ifAbsent: true }))).toBe('LinkRefused')
    expect(await codeOf(() => read(path, { noFollow: true }))).toBe('LinkRefused')
    expect(await read(path)).toEqual(old)
    expect(await write(path, fresh, { noFollow: false })).toBe(true)
    expect([lstatSync(path).isSymbolicLink(), new Uint8Array(readFileSync(real))]).toEqual([true, fresh])
    const dangling = join(folder, 'dangling')
    symlinkSync(join(folder, 'none'), dangling)
    expect(await codeOf(() => write(dangling, fresh, { noFollow: false }))).toBe('LinkRefused')
    linkSync(real, join(folder, 'second'))
    expect(await codeOf(() => write(real, old))).toBe('LinkRefused')
    expect(await codeOf(() => write(path, old, { noFollow: false }))).toBe('LinkRefused')
    expect(await codeOf(() => read(real, { noFollow: true }))).toBe('LinkRefused')
    expect(new Uint8Array(readFileSync(real))).toEqual(fresh)
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'out.json', 'real', 'second'])
  })

  test('that cannot be written stays as it was, with nothing beside it', async () => {
    writeFileSync(path, old)
    const reached = new Set<string>()
    for (let at = 0; ; at++) {
      const { fs, calls } = failing(at, 'ENOSPC')
      const outcome = await codeOf(() => write(path, fresh, { fs }))
      if (calls.length <= at) break
      reached.add(calls[at] ?? '')
      const renamed = calls.slice(0, at).includes('rename')
      expect([calls[at], outcome, readdirSync(folder)]).toEqual([calls[at], 'StorageFull', ['out.json']])
      expect(new Uint8Array(readFileSync(path))).toEqual(renamed ? fresh : old)
      writeFileSync(path, old)
    }
    expect([...reached].sort()).toEqual(
      ['close', 'fchmod', 'fchown', 'fsync', 'lstat', 'open', 'readdir', 'release', 'rename', 'write'].sort(),
    )
  })

  test('that Node itself cannot write is a fault, not a matter of the storage', async () => {
    const fault = new TypeError('open is not a function')
    const fs = through(() => {
      throw fault
    })
    expect(await codeOf(() => write(path, fresh, { fs }))).toBe('Internal')
    expect(await codeOf(() => read(path, { fs }))).toBe('Internal')
  })

  test('is written although a killed process left something there, which goes', async () => {
    const gone = 2 ** 31 - 1 // no system gives process ids that high
    const left = `.out.json.${machine()}-${gone}-0123456789abcdef.tmp`
    const others = ['.out.json.swp', 'out.json.tmp', `.x.${machine()}-${process.pid}-0123456789abcdef.tmp`]
    for (const name of [left, ...others]) writeFileSync(join(folder, name), fresh)
    expect(await write(path, old)).toBe(true)
    expect(readdirSync(folder).sort()).toEqual([...others, 'out.json'].sort())
  })
})
