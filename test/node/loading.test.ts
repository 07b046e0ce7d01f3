// Where Node takes the core from. Each case has a process of its own: a core that is loaded stays loaded.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const core = fileURLToPath(new URL('../../wasm/dist/core/core_bg.wasm', import.meta.url))
const entry = new URL('../../dist/node/index.js', import.meta.url).href
let server: Server
let origin: string
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sx-loading-'))
  writeFileSync(join(folder, 'junk.wasm'), 'junk')
  server = createServer((request, response) => {
    if (request.url === '/core.wasm') response.end(readFileSync(core))
    else response.writeHead(404).end('not here')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What `init` does with a source, an expression; then a hash, to see whether the core works. */
async function loading(source: string): Promise<string> {
  const script = `
    import { readFileSync } from 'node:fs'
    import { hashString, init, SxError } from '${entry}'
    const [core, origin] = process.argv.slice(-2)
    try {
      await init({ core: ${source} })
      console.log(hashString('abc').slice(0, 8))
    } catch (error) {
      console.log(error instanceof SxError ? error.code : error)
    }`
  const args = ['--input-type=module', '-e', script, '--', core, origin]
  return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout.trim()
}

// V8 has no SIMD on a processor without SSE4.1, which can be pretended.
it.skipIf(process.arch !== 'x64')('says what is missing where there is no SIMD', async () => {
  const script = `import('${entry}').then(({ hashString }) => hashString('abc')).catch(({ code, message }) => console.log(code, message))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-enable-sse4-1', '-e', script])
  expect(stdout).toMatch(/^WasmUnavailable .*This runtime does not support WebAssembly SIMD/)
})

describe('init takes the core', () => {
  it.each([
    'undefined',
    'readFileSync(core)',
    'readFileSync(core).buffer.slice(0)',
    'new WebAssembly.Module(readFileSync(core))',
    'core',
    'new URL(`file://${core}`)',
    '`file://${core}`',
    '`${origin}/core.wasm`',
    'new URL(`${origin}/core.wasm`)',
    'await fetch(`${origin}/core.wasm`)',
    'new Request(`${origin}/core.wasm`)',
  ])('%s', async (source) => {
    expect(await loading(source)).toBe('ba7816bf')
  })
})

describe('init refuses', () => {
  it.each([
    ['new Uint8Array(4)', 'WasmUnavailable'],
    ['new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])', 'WasmUnavailable'],
    ['await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))', 'WasmUnavailable'],
    ['readFileSync(core).subarray(0, 100_000)', 'WasmUnavailable'],
    ['Buffer.concat([readFileSync(core).subarray(0, -1), Buffer.from("!")])', 'WasmUnavailable'], // of another version
    ['"./junk.wasm"', 'WasmUnavailable'],
    ['"./missing.wasm"', 'WasmUnavailable'],
    ['`${origin}/missing.wasm`', 'WasmUnavailable'],
    ['"http://127.0.0.1:1/core.wasm"', 'WasmUnavailable'],
    ['await fetch(`${origin}/missing.wasm`)', 'WasmUnavailable'],
    ['17', 'InvalidOption'],
    ['null', 'InvalidOption'],
    ['{}', 'InvalidOption'],
  ])('%s: %s', async (source, code) => {
    expect(await loading(source)).toBe(code)
  })
})

it('says of a module of another version what to do', async () => {
  const script = `
    import { readFileSync } from 'node:fs'
    import { init } from '${entry}'
    const bytes = readFileSync(process.argv.at(-1))
    await init({ core: Buffer.concat([bytes.subarray(0, -1), Buffer.from('!')]) }).catch(({ message }) => console.log(message))`
  const args = ['--input-type=module', '-e', script, '--', core]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  expect(stdout.trim()).toBe(
    'WasmUnavailable: The WebAssembly module is the core module of another version of this library. Replace it with the .wasm file of the installed version. If a cache holds the old file, clear the cache.',
  )
})

it('takes another schema module after one that was not there, and keeps the one that it has', async () => {
  const schema = core.replaceAll('core', 'schema')
  const script = `
    import { init } from '${entry}'
    const [schema] = process.argv.slice(-1)
    for (const source of ['./junk.wasm', './none.wasm', schema, './none.wasm', false, true]) {
      console.log(await init({ schema: source }).then(() => 'loaded', ({ code }) => code))
    }`
  const args = ['--input-type=module', '-e', script, '--', schema]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })
  expect(stdout.trim().split('\n')).toEqual([
    'WasmUnavailable',
    'WasmUnavailable',
    'loaded',
    'loaded',
    'loaded',
    'loaded',
  ])
})
