/** The adapter over a real Redis, by the packed package and unstorage's own driver. It needs `redis-server`. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emptyProject, npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { root } from '../docs/markdown.ts'
import { unstorage } from './unstorage-version.ts'

const program = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'redis-server'))
  .find((path) => existsSync(path))
if (program === undefined) console.warn('redis-server is not here: the tests on it do NOT run.')

describe.skipIf(program === undefined)('Redis', () => {
  let folder: string
  let project: string
  let socket: string
  let stop: () => Promise<void>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sx-redis-'))
    project = emptyProject(join(folder, 'project'))
    await npmInstall(project, await pack(folder), unstorage, 'ioredis@5.9.2')
    await copyFile(join(root, 'test/storage/redis-process.mjs'), join(project, 'main.mjs'))
    socket = join(folder, 'redis.sock')
    const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no']
    const server = spawn(program ?? '', options, { cwd: folder, stdio: 'ignore' })
    const ended = new Promise((resolve) => server.once('close', resolve))
    stop = async () => {
      server.kill()
      await ended
    }
    let hasEnded = false
    void ended.then(() => {
      hasEnded = true
    })
    while (!existsSync(socket)) {
      if (hasEnded) throw new Error('redis-server does not listen')
      await wait(50)
    }
  })

  afterAll(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function run(...args: string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(process.execPath, ['main.mjs', socket, ...args], { cwd: project })
    return JSON.parse(stdout)
  }

  it('passes all acceptance cases', async () => {
    expect(await run('accept')).toBeGreaterThan(30)
  })

  it('gives each of 200 entries to one of four processes', async () => {
    const won = (await Promise.all(['a', 'b', 'c', 'd'].map((name) => run('claim', name)))) as number[][]
    expect(won.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, at) => at))
    for (const some of won) expect(some.length).toBeGreaterThan(9)
  })
})
