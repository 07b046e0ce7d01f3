// Four processes on one store, one of which rotates the key every second, and all of which are killed now and then:
// what was reported as stored verifies in the end, and can be updated.
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { root } from '../docs/markdown.ts'
import { isLong } from '../pace.ts'
import { unstorage } from '../storage/unstorage-version.ts'
import { configIn, newFolder } from './fixtures.ts'
import { Child, type StartOptions } from './processes.ts'

const MILLISECONDS = isLong ? 60_000 : 8000

interface Said {
  readonly id?: string
  readonly version?: string
  readonly keyId?: string
  readonly invalid?: string
}

/** A process that is started again whenever it was killed. */
class Worker {
  readonly #start: () => Child
  #child: Child
  readonly #before: unknown[] = []

  constructor(start: () => Child) {
    this.#start = start
    this.#child = start()
  }

  get said(): Said[] {
    return [...this.#before, ...this.#child.said] as Said[]
  }

  async kill(): Promise<void> {
    await this.#child.kill()
    // Nobody but this test ends it.
    if (this.#child.complaint !== '') throw new Error(this.#child.complaint)
    this.#before.push(...this.#child.said)
  }

  restart(): void {
    this.#child = this.#start()
  }
}

async function run(kind: 'files' | 'redis', place: string, options: StartOptions = {}): Promise<unknown> {
  const start = (role: string, ...rest: string[]): Child => new Child('rotating', [kind, place, role, ...rest], options)
  await start('create').finish()
  const workers = ['rotate', 'work', 'work', 'work'].map((role) => new Worker(() => start(role)))
  const end = Date.now() + MILLISECONDS
  const all = (): Said[] => workers.flatMap((worker) => worker.said)
  const rotations = (): number => all().filter(({ keyId }) => keyId !== undefined).length
  const versions = (): string[] =>
    all().flatMap(({ id, version }) => (version === undefined ? [] : [`${id}:${version}`]))
  // A busy machine takes longer to get so far, with nobody killed from then on.
  while (Date.now() < end || rotations() < 3 || versions().length < 20) {
    await wait(300 + Math.random() * 900)
    if (Date.now() >= end) continue
    const worker = workers[Math.floor(Math.random() * workers.length)] as Worker
    await worker.kill()
    worker.restart()
  }
  await Promise.all(workers.map((worker) => worker.kill()))
  const keys = versions()
  console.log(`${kind}: ${keys.length} versions, ${rotations()} rotations`)
  expect(all().filter(({ invalid }) => invalid !== undefined)).toEqual([])
  const file = join(newFolder(), 'stored')
  writeFileSync(file, keys.join('\n'))
  return (await start('check', file).finish()).at(-1)
}

test('K05: files: what was reported as stored while keys rotate verifies', async () => {
  expect(await run('files', configIn(newFolder()))).toEqual({ lost: [] })
})

const program = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'redis-server'))
  .find((path) => existsSync(path))
if (program === undefined) console.warn('redis-server is not here: the test of rotations on it does NOT run.')

test.skipIf(program === undefined)('K05: Redis: what was reported as stored verifies', async () => {
  const folder = newFolder()
  const project = emptyProject(join(folder, 'project'))
  await npmInstall(project, await pack(folder), unstorage, 'ioredis@5.9.2')
  await copyFile(join(root, 'test/node/children/rotating.mjs'), join(project, 'rotating.mjs'))
  const socket = join(folder, 'redis.sock')
  const args = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no']
  const server = spawn(program ?? '', args, { cwd: folder, stdio: 'ignore' })
  try {
    while (!existsSync(socket)) await wait(50)
    expect(await run('redis', socket, { project })).toEqual({ lost: [] })
  } finally {
    server.kill()
  }
})
