// `sx --version`: what is running, and what it was built from.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { commitOf } from '../../scripts/setup/commit.mjs'
import { Place } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const place = new Place()
afterAll(() => place.remove())

it('is that of the package, and beside it those of its core, its commit and its runtime', async () => {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }
  const core = /\[workspace\.package\]\r?\nversion = "(.+)"/.exec(readFileSync(`${root}wasm/Cargo.toml`, 'utf8'))?.[1]
  const module = readFileSync(`${root}wasm/dist/core/core_bg.wasm`)
  const sha256 = createHash('sha256').update(module).digest('hex')
  const { exit, stdout, stderr } = await place.sx(['--version'])
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${version}\n` })
  const [first, commit, node] = stderr.split('\n')
  expect(first).toBe(`core    ${core}, WebAssembly, ${module.length} bytes, SHA-256 ${sha256}`)
  expect(commit).toMatch(/^commit {2}([0-9a-f]{40}(-dirty)?|unknown)$/)
  expect(node).toBe(`node    ${process.versions.node}`)
  const { value } = await place.json(['--version'])
  expect(value).toMatchObject({ ok: true, version, core: { version: core, sha256, bytes: module.length } })
  expect(value['commit'] ?? 'unknown').toBe(commit?.slice('commit  '.length))
})

it('names the commit, marks changes to it, and says nothing where git cannot', async () => {
  const inner = place.at('unpacked')
  mkdirSync(inner)
  const git = (...args: string[]): string =>
    spawnSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: place.path,
      encoding: 'utf8',
    }).stdout.trim()
  expect(await commitOf(place.path)).toBeNull()
  git('init', '-q')
  expect(await commitOf(place.path)).toBeNull() // no commit yet
  writeFileSync(place.at('file'), 'committed')
  git('add', 'file')
  git('commit', '-q', '-m', 'First')
  git('tag', 'v1') // a tag does not take the place of the commit
  const commit = git('rev-parse', 'HEAD')
  expect(await commitOf(place.path)).toBe(commit)
  writeFileSync(place.at('file'), 'changed')
  expect(await commitOf(place.path)).toBe(`${commit}-dirty`)
  expect(await commitOf(inner)).toBeNull() // that is not the commit of what was unpacked there
})
