// Set-up without Rust: modules that were built elsewhere are taken if they were built from the same sources.
import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../docs/markdown.ts'

let folder: string
let checkout: string
const at = (...path: string[]): string => join(checkout, ...path)
const built = join(root, 'wasm', 'dist')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sx-setup-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What set-up reads of a checkout, and nothing that it has made. */
beforeEach(() => {
  checkout = mkdtempSync(join(folder, 'checkout-'))
  for (const path of ['package.json', 'package-lock.json', 'rust-toolchain.toml', 'scripts', 'schemas'])
    cpSync(join(root, path), at(path), { recursive: true })
  const isSource = (path: string): boolean => !/[\\/]wasm[\\/](?:target|dist|tools[\\/]target|fuzz)/.test(path)
  cpSync(join(root, 'wasm'), at('wasm'), { recursive: true, filter: isSource })
  symlinkSync(join(root, 'node_modules'), at('node_modules'))
})

/** Set-up on a machine that has Node, and tar as every system does, but no Rust. */
function setup(...args: string[]): Promise<{ status: number; said: string }> {
  const tools = join(folder, 'tools')
  mkdirSync(tools, { recursive: true })
  const tar = execFileSync('sh', ['-c', 'command -v tar gzip'], { encoding: 'utf8' }).trim().split('\n')
  const env = {
    PATH: [dirname(process.execPath), ...tar.map(dirname)].join(delimiter),
    CARGO_HOME: tools,
    RUSTUP_HOME: tools,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [at('scripts', 'setup.mjs'), ...args], { env }, (error, _, said) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, said })
    })
  })
}

describe('npm run setup -- --modules', () => {
  it('takes a folder, and needs no Rust from then on', async () => {
    expect(await setup('--modules', built)).toEqual({ status: 0, said: '' })
    expect(await setup()).toEqual({ status: 0, said: '' })
  })

  it('takes an archive', async () => {
    const archive = join(folder, 'modules.tgz')
    execFileSync('tar', ['-czf', archive, '-C', join(root, 'wasm'), 'dist'])
    const { status, said } = await setup('--modules', archive)
    expect(said).toMatch(/^setup: tar: unpacks .+modules\.tgz\nsetup: ready /)
    expect(status).toBe(0)
  })

  it('refuses a module of other sources, by name', async () => {
    appendFileSync(at('wasm', 'media', 'src', 'lib.rs'), '\n// changed\n')
    const { status, said } = await setup('--modules', built)
    expect(said).toMatch(
      /^setup: The module pixels was built from other sources \(\w{12}\) than those of this checkout \(\w{12}\)\. /,
    )
    expect(said).toMatch(/Take modules of the same commit, or install Rust and run `npm run setup`\.\n$/)
    expect(status).toBe(1)
  })

  it('refuses modules that are damaged or not whole, and what holds none', async () => {
    const copy = join(checkout, 'copy')
    cpSync(built, copy, { recursive: true })
    truncateSync(join(copy, 'core', 'core_bg.wasm'), 1000)
    expect((await setup('--modules', copy)).said).toMatch(
      /^setup: The module core is damaged: .+core_bg\.wasm is not the one that build\.js names\.\n$/,
    )
    rmSync(join(copy, 'schema', 'schema.js'))
    expect((await setup('--modules', copy)).said).toMatch(
      /^setup: The module schema is incomplete: .+ has no schema\.js\.\n$/,
    )
    expect((await setup('--modules', at('scripts'))).said).toMatch(
      /holds no core_bg\.wasm\. Pass a folder or archive of wasm\/dist\.\n$/,
    )
    expect((await setup('--modules', at('none'))).said).toMatch(/^setup: There is no file or folder .+none\.\n$/)
    expect((await setup('--module')).said).toMatch(/^setup: Unknown option '--module'/)
  })
})

describe('npm run demo', () => {
  it('gets a package for Node that has the core alone, and uses it', async () => {
    for (const path of ['src', 'node', 'browser', 'edge', 'tsconfig.json', 'tsconfig.build.json'])
      cpSync(join(root, path), at(path), { recursive: true })
    const { status, said } = await setup('--core', '--dist', '--modules', built)
    expect({ status, said }).toEqual({ status: 0, said: 'setup: dist: TypeScript to what runs in Node\n' })
    const script = `
      import { init, verifyStandalone } from 'sx-agent/verify'
      await init()
      console.log(verifyStandalone('{"amount":1}', { keys: {} }).code)
    `
    const args = ['--input-type=module', '--eval', script]
    expect(execFileSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' })).toBe('MissingSignature\n')
  })
})
