// The exit status where nothing could be read or written: never one that says something of a document.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { Place } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'p' })
afterAll(() => place.remove())

it.each(['verify', 'inspect', 'sign'])('%s of empty standard input is 4', async (command) => {
  expect(await place.sx([command, '-'], { input: '' })).toMatchObject({ exit: 4 })
})

it('an output that no file can have is 4, before anything is signed', async () => {
  mkdirSync(place.at('folder'))
  await place.sx(['quickstart', '--name', 'A', '--domain', 'example.com', '--algorithm', 'ed25519'])
  const { exit, stderr } = await place.sx(['sign', '-', '-o', 'sx.config.json/out.json'], { input: '1' })
  expect({ exit, stderr }).toMatchObject({ exit: 4, stderr: expect.stringContaining('StorageUnavailable') as string })
})

it.runIf(process.platform === 'linux')('an output that cannot be written is 4, in one line', () => {
  const program = fileURLToPath(new URL('../../dist/node/cli/main.js', import.meta.url))
  const run = spawnSync('sh', ['-c', '"$0" "$1" --help > /dev/full', process.execPath, program], { encoding: 'utf8' })
  expect(run.status).toBe(4)
  expect(run.stderr).toBe('sx: standard output cannot be written (ENOSPC).\n')
})
