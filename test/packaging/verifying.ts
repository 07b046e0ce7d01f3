/** A page that only verifies, made small by a bundler. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { VerificationResult } from 'sx-agent'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import agents from '../vectors/agents.json' with { type: 'json' }
import documents from '../vectors/documents.json' with { type: 'json' }

/** In bytes, compressed by brotli. */
const LARGEST = 10_800

type Verify = (core: Uint8Array, document: string, keys: Record<string, string>) => Promise<VerificationResult>

let folder: string
let project: string
/** A path in the project. */
export const at = (...path: string[]): string => join(project, ...path)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sx-verifying-'))
  project = emptyProject(join(folder, 'project'))
  await npmInstall(project, await pack(folder))
  await writeFile(
    at('verify.js'),
    `import { init, verifyStandalone } from 'sx-agent/simple'

globalThis.verifyOnly = async (core, document, keys) => {
  await init({ core })
  return verifyStandalone(document, { keys })
}
`,
  )
})

afterAll(async () => {
  vi.unstubAllGlobals()
  await rm(folder, { recursive: true, force: true })
})

/** Of the library a bundler puts little into the page, which works. It puts the program into the folder, made small. */
export async function leavesTheRestOut(name: string, bundle: (out: string) => Promise<unknown>): Promise<void> {
  const out = at(`out-${name}`)
  await bundle(out)
  expect(await readdir(out)).toContain('verify.js')
  const script = await readFile(join(out, 'verify.js'))
  const { length } = await promisify(brotliCompress)(script)
  expect(length).toBeLessThan(LARGEST)
  expect(length).toBeGreaterThan(LARGEST / 2) // it is the library that was measured

  vi.stubGlobal('self', { location: new URL('https://example.com/') }) // webpack's own part asks for it
  await import(/* @vite-ignore */ pathToFileURL(join(out, 'verify.js')).href)
  const { verifyOnly } = globalThis as unknown as { verifyOnly: Verify }
  const core = await readFile(at('node_modules/sx-agent/wasm/dist/core/core_bg.wasm'))
  const keys = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))
  for (const { raw, data } of documents.documents) {
    expect(await verifyOnly(core, raw, keys)).toMatchObject({ valid: true, data })
    expect(await verifyOnly(core, raw, {})).toMatchObject({ valid: false, code: 'UnknownSigner' })
  }
  const changed = documents.documents[0]?.raw.replace('"amount":1', '"amount":2') ?? ''
  expect(await verifyOnly(core, changed, keys)).toMatchObject({ valid: false, code: 'BadSignature' })
  await expect(verifyOnly(core, '', 1 as never)).rejects.toThrow('The public keys are not an object.')
}
