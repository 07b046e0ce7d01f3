// The packed package for those who install it otherwise than by npm, and for the compilers of those who use it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { tool } from '../../scripts/matrix/tools.mjs'
import { HANGING } from '../pace.ts'
import { compilers, linkTypesOfNode } from './compilers.ts'

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4: SHA-256 of "abc"

let folder: string
let tarball: string

async function node(cwd: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, HOME: folder, CI: 'true' } // no settings of this machine, no questions
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env, timeout: HANGING }).catch(
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

/** For Node and pages. */
const program = `import { type SxErrorCode, SxError, SxAgent, hashString } from 'sx-agent'
import { create, exportStore, verify, verifyStandalone, verifyString } from 'sx-agent/simple'
import { type Storage, memoryStorage } from 'sx-agent/storage'
import { storageAcceptance } from 'sx-agent/storage/testing'
import { createWorkerAgent } from 'sx-agent/worker'

const storage: Storage = memoryStorage()
export async function main(raw: string): Promise<string> {
  const { agentId } = await create({ name: 'Typed', password: 'a password for tests', storage })
  const agent = new SxAgent({ storage, verifyOnly: true })
  await agent.load()
  agent[Symbol.dispose]()
  const result = await verify(raw)
  const code: SxErrorCode | undefined = verifyStandalone(raw, { keyDirectory: {} }).code
  if (result.valid && result.data instanceof SxError) return String(code)
  for (const { run } of storageAcceptance(() => memoryStorage())) await run()
  const worker = await createWorkerAgent({})
  const backups: Uint8Array[] = [await exportStore(), await agent.exportStore(), await worker.exportStore()]
  const digest = await crypto.subtle.digest('SHA-256', await exportStore())
  new Blob([await exportStore(), await worker.exportStore(), new Uint8Array(digest)])
  // @ts-expect-error bytes are no text
  await verifyString('text', backups[0], 'signature', 'ed25519')
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
    linkTypesOfNode(project)
  })

  const modules = [
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ]
  const places = [
    { place: 'a page', lib: ['es2022', 'dom'], types: [] },
    { place: 'a worker', lib: ['es2022', 'webworker'], types: [] },
    { place: 'Node alone', lib: ['es2022'], types: ['node'] },
  ]
  const cases = compilers.flatMap((one) =>
    modules.flatMap((resolving) =>
      places.map(({ place, ...types }) => ({
        ...one,
        place,
        resolution: resolving.moduleResolution,
        options: { exactOptionalPropertyTypes: true, ...resolving, ...types },
      })),
    ),
  )

  /** What a compiler says of a file. */
  async function faultsOf(compiler: string, file: string, options: object): Promise<string> {
    const compilerOptions = { strict: true, noEmit: true, target: 'es2022', ...options }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
    return node(project, compiler, '-p', '.')
  }

  it.each(cases)('hold in $name under $resolution for $place', async ({ compiler, options }) => {
    expect(await faultsOf(compiler, 'main.ts', options)).toBe('')
  })

  it.each(compilers)(
    'hold in $name without dom where declarations of packages are not checked',
    async ({ compiler }) => {
      const lines = program.split('\n').filter((line) => !/Blob|crypto/.test(line))
      await writeFile(join(project, 'bare.ts'), lines.join('\n'))
      const options = { skipLibCheck: true, module: 'nodenext', lib: ['es2022'], types: [] }
      expect(await faultsOf(compiler, 'bare.ts', options)).toBe('')
    },
  )
})
