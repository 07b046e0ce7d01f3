// The packed package for those who install it otherwise than by npm, and for the compilers of those who use it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { tool } from '../../scripts/matrix/tools.mjs'

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4: SHA-256 of "abc"

let folder: string
let tarball: string

async function node(cwd: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, HOME: folder, CI: 'true' } // no settings of this machine, no questions
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env, timeout: 100_000 }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`)
    },
  )
  return stdout.trim()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sx-consumers-'))
  tarball = await pack(folder)
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('installed by', () => {
  it.each([
    ['pnpm', ['add', '--store-dir', './store', '--ignore-scripts']],
    ['yarn', ['add', '--cache-folder', './cache', '--non-interactive']],
  ])('%s it runs', async (name, args) => {
    const project = emptyProject(join(folder, name))
    await node(project, tool(name) ?? '', ...args, `file:${tarball}`)
    await writeFile(
      join(project, 'main.mjs'),
      "import { hashString } from 'sx-agent'\nconsole.log(hashString('abc'))\n",
    )
    expect(await node(project, 'main.mjs')).toBe(abc)
  })
})

const program = `import { type SxErrorCode, SxError, SxAgent, hashString } from 'sx-agent'
import { create, verify, verifyStandalone } from 'sx-agent/simple'
import { type Storage, memoryStorage } from 'sx-agent/storage'

const storage: Storage = memoryStorage()
export async function main(raw: string): Promise<string> {
  const { agentId } = await create({ name: 'Typed', password: 'a password for tests', storage })
  const agent = new SxAgent({ storage, verifyOnly: true })
  await agent.load()
  const result = await verify(raw)
  const code: SxErrorCode | undefined = verifyStandalone(raw, { keyDirectory: {} }).code
  if (result.valid && result.data instanceof SxError) return String(code)
  // @ts-expect-error a number is no text
  return agentId + hashString(1)
}
`

describe('declarations', () => {
  let project: string

  beforeAll(async () => {
    project = emptyProject(join(folder, 'typed'))
    await npmInstall(project, tarball)
    await writeFile(join(project, 'main.ts'), program)
  })

  const compilers: [string, string | undefined][] = [
    ['TypeScript 5.7', tool('typescript5')],
    ['TypeScript 6', createRequire(import.meta.url).resolve('typescript/bin/tsc')],
    ['TypeScript 7', tool('typescript7')],
  ]
  const modules = [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]
  const libs = ['es2022,esnext.disposable,dom', 'es2022,esnext.disposable,webworker']
  const cases = compilers.flatMap(([name, compiler]) =>
    modules.flatMap(([module, resolution]) => libs.map((lib) => ({ name, compiler, module, resolution, lib }))),
  )

  it.each(cases)('hold in $name under $resolution with $lib', async ({ compiler, module, resolution, lib }) => {
    const args = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--types', '']
    const settings = ['--module', module ?? '', '--moduleResolution', resolution ?? '', '--lib', lib]
    expect(await node(project, compiler ?? '', ...args.slice(0, -2), ...settings, 'main.ts')).toBe('')
  })

  it('hold without dom where declarations of packages are not checked', async () => {
    const args = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022']
    for (const [, compiler] of compilers)
      expect(await node(project, compiler ?? '', ...args, '--lib', 'es2022', 'main.ts')).toBe('')
  })
})
