// W02: what a program that has closed its agent still has in memory.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'

const program = fileURLToPath(new URL('./children/forget.mjs', import.meta.url))
const password = 'W02 in Node, seven swans a-swimming'

let folder: string
afterEach(() => rm(folder, { recursive: true, force: true }))

it('W02 a password is not on the heap any more after close(), of /simple', async () => {
  folder = await mkdtemp(join(tmpdir(), 'sx-forgotten-'))
  const snapshots = ['before', 'after'].map((name) => join(folder, `${name}.heapsnapshot`))
  const hex = Buffer.from(password).toString('hex')
  await promisify(execFile)(process.execPath, [program, hex, ...snapshots], { cwd: folder })
  const found = await Promise.all(snapshots.map(async (path) => (await readFile(path)).includes(password)))
  expect(found).toEqual([true, false])
})
