/** Where the file system keeps a configuration, and the claim beside it. */
import {
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
import { platform } from '../../node/platform.ts'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import { machine } from '../../node/storage/scratch.ts'
import type { Effect } from '../../src/effects.ts'
import type { Home } from '../../src/platform.ts'
import { later, now } from '../effects.ts'
import { codeOf, fresh, old } from './outcomes.ts'

const base = mkdtempSync(join(tmpdir(), 'sx-home-'))
afterAll(() => rmSync(base, { recursive: true }))

let folder: string
let path: string
let home: Home
let count = 0
beforeEach(() => {
  folder = join(base, `${count++}`)
  path = join(folder, 'sx.config.json')
  home = now(platform.home(path))
})

const bytesAt = (path: string): Uint8Array => new Uint8Array(readFileSync(path))

const forms = [
  { form: 'async', run: async <T>(effect: Effect<T>): Promise<T> => later(effect) },
  { form: 'sync', run: async <T>(effect: Effect<T>): Promise<T> => now(effect) },
]

describe.each(forms)('a configuration, $form', ({ run }) => {
  test('is written once, replaced, and read', async () => {
    expect(await run(home.readConfig)).toBeUndefined()
    expect(await run(home.probeConfig)).toBeUndefined()
    expect(existsSync(folder)).toBe(false)
    expect(await run(home.writeConfig(old))).toBe(true)
    expect(await run(home.writeConfig(fresh))).toBe(false)
    expect(await run(home.readConfig)).toEqual(old)
    await run(home.replaceConfig(fresh))
    expect(await run(home.probeConfig)).toEqual(fresh)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['sx.config.json'])
  })

  test('behind a link is read and replaced where the link leads', async () => {
    const real = join(folder, 'elsewhere.json')
    mkdirSync(folder)
    writeFileSync(real, old)
    symlinkSync('elsewhere.json', path)
    for (const effect of [home.readConfig, home.probeConfig]) expect(await run(effect)).toEqual(old)
    expect(await run(home.writeConfig(fresh))).toBe(false)
    await run(home.replaceConfig(fresh))
    expect([lstatSync(path).isSymbolicLink(), bytesAt(real)]).toEqual([true, fresh])
    expect(readdirSync(folder).sort()).toEqual(['elsewhere.json', 'sx.config.json'])
  })

  test('with a second hard link is read, and not replaced', async () => {
    mkdirSync(folder)
    writeFileSync(path, old)
    linkSync(path, join(folder, 'second'))
    for (const effect of [home.readConfig, home.probeConfig]) expect(await run(effect)).toEqual(old)
    expect(await codeOf(() => run(home.replaceConfig(fresh)))).toBe('LinkRefused')
    expect(bytesAt(path)).toEqual(old)
  })

  test.each(['nowhere', 'sub', 'sx.config.json'])('cannot be written where a link to %s stands', async (target) => {
    mkdirSync(join(folder, 'sub'), { recursive: true })
    symlinkSync(target, path)
    expect(await codeOf(() => run(home.probeConfig))).toBe('LinkRefused')
    expect(await codeOf(() => run(home.writeConfig(fresh)))).toMatch(/^(LinkRefused|StorageUnavailable)$/)
    expect(await codeOf(() => run(home.replaceConfig(fresh)))).toMatch(/^(LinkRefused|StorageUnavailable)$/)
    expect(readdirSync(folder).sort()).toEqual(['sub', 'sx.config.json'])
    expect(readdirSync(join(folder, 'sub'))).toEqual([])
  })

  test('cannot be written where a folder stands, or below a file', async () => {
    mkdirSync(path, { recursive: true })
    expect(await codeOf(() => run(home.readConfig))).toBe('NotFound')
    expect(await codeOf(() => run(home.probeConfig))).toBe('StorageUnavailable')
    writeFileSync(join(folder, 'file'), old)
    const below = now(platform.home(join(folder, 'file', 'sx.config.json')))
    expect(await run(below.probeConfig)).toBeUndefined()
    expect(await codeOf(() => run(below.writeConfig(fresh)))).toBe('StorageUnavailable')
  })
})

describe.each(forms)('the claim beside a configuration, $form', ({ run }) => {
  test('is there once, for the owner only, until it is dropped', async () => {
    expect(await run(home.readClaim)).toBeUndefined()
    await run(home.dropClaim)
    expect(existsSync(folder)).toBe(false)
    expect(await run(home.claimConfig(old))).toBe(true)
    expect(await run(home.claimConfig(fresh))).toBe(false)
    expect(await run(home.readClaim)).toEqual(old)
    expect(statSync(`${path}.agent`).mode & 0o777).toBe(0o600)
    await run(home.dropClaim)
    expect(await run(home.readClaim)).toBeUndefined()
    await run(home.dropClaim)
    expect(readdirSync(folder)).toEqual([])
    expect(await run(home.claimConfig(fresh))).toBe(true)
    expect(await run(home.readClaim)).toEqual(fresh)
  })

  test('follows no link', async () => {
    const real = join(folder, 'elsewhere')
    mkdirSync(folder)
    symlinkSync('elsewhere', `${path}.agent`)
    for (const there of [false, true]) {
      if (there) writeFileSync(real, old)
      expect(await codeOf(() => run(home.readClaim))).toBe('LinkRefused')
      expect(await codeOf(() => run(home.claimConfig(fresh)))).toBe('LinkRefused')
      expect(await codeOf(() => run(home.dropClaim))).toBe('LinkRefused')
    }
    expect(bytesAt(real)).toEqual(old)
  })

  test('is beside the real file, where the path is a link to it', async () => {
    mkdirSync(join(folder, 'sub'), { recursive: true })
    writeFileSync(join(folder, 'sub', 'real.json'), old)
    symlinkSync(join('sub', 'real.json'), path)
    const linked = await run(platform.home(path))
    expect(await run(linked.claimConfig(fresh))).toBe(true)
    expect(await run(linked.readClaim)).toEqual(fresh)
    expect(readdirSync(folder).sort()).toEqual(['sub', 'sx.config.json'])
    expect(readdirSync(join(folder, 'sub')).sort()).toEqual(['real.json', 'real.json.agent'])
    await run(linked.dropClaim)
    expect(readdirSync(join(folder, 'sub'))).toEqual(['real.json'])
  })
})

describe.each(forms)('what a killed process left beside a configuration, $form', ({ run }) => {
  const dead = 2 ** 31 - 1 // no system gives process ids that high
  const scratch = (name: string, pid: number): string => `.${name}.${machine()}-${pid}-0123456789abcdef.tmp`
  const tidy = async (home: Home): Promise<void> => {
    if (home.tidy === undefined) expect.fail('a home in files tidies')
    await run(home.tidy)
  }

  test('goes, and nothing else does', async () => {
    await tidy(home) // where there is no folder yet
    expect(existsSync(folder)).toBe(false)
    mkdirSync(folder)
    const left = scratch('sx.config.json', dead)
    const kept = [
      'sx.config.json',
      'sx.config.json.agent',
      '.sx.config.json.swp',
      scratch('sx.config.json', process.pid),
      scratch('sx.config.json', process.ppid),
    ]
    for (const name of [left, ...kept]) writeFileSync(join(folder, name), old)
    await tidy(home)
    expect(readdirSync(folder).sort()).toEqual(kept.sort())
  })

  test('goes beside the real file, where the path is a link to it', async () => {
    mkdirSync(join(folder, 'sub'), { recursive: true })
    const left = scratch('real.json', dead)
    for (const name of ['real.json', left]) writeFileSync(join(folder, 'sub', name), old)
    symlinkSync(join('sub', 'real.json'), path)
    await tidy(await run(platform.home(path)))
    expect(readdirSync(join(folder, 'sub'))).toEqual(['real.json'])
  })
})

test('a polluted Object.prototype changes nothing of how files are read and written', () => {
  const options = {
    ifAbsent: true,
    noFollow: false,
    vacant: true,
    mode: 0o666,
    maxBytes: 1,
    durable: false,
    keep: false,
  }
  const ofNode = { bigint: false, withFileTypes: false, recursive: true, encoding: 'buffer', throwIfNoEntry: false }
  const inside = { fs: {}, prepare: 1, links: 1, durability: 'none', after: ['zz'], limit: 0, prefix: ['zz'] }
  const foreign: Record<string, unknown> = { ...options, ...ofNode, ...inside }
  const storage = filesystemStorage(join(folder, 'store'))
  for (const [name, value] of Object.entries(foreign))
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
  let found: unknown[]
  try {
    const first = now(home.writeConfig(old))
    now(home.replaceConfig(fresh))
    const claims = [now(home.claimConfig(old)), now(home.claimConfig(fresh)), now(home.readClaim)]
    now(home.dropClaim)
    const other = filesystemStorage(join(folder, 'store'))
    other.putSync(['a', 'b'], old)
    storage.putSync(['a', 'b'], fresh)
    found = [first, now(home.readConfig), claims, storage.getSync(['a', 'b']), [...storage.listSync([])]]
  } finally {
    for (const name of Object.keys(foreign)) Reflect.deleteProperty(Object.prototype, name)
  }
  expect(found).toEqual([true, fresh, [true, false, old], fresh, [['a', 'b']]])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).sort()).toEqual(['store', 'sx.config.json'])
})
