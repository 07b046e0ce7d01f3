// Folders that cannot be made, and those that a failure leaves.
import { join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import { WAITING } from '../pace.ts'
import { agentIn, newFolder, PASSWORD, refusal, treeOf } from './fixtures.ts'
import { Child, type Outcome } from './processes.ts'

/** Makes one call in another process, which is killed if it does not end. */
async function ends(name: string, options: object): Promise<Outcome> {
  const child = new Child('call', [JSON.stringify([[name, options]])], { cwd: newFolder() })
  const timer = setTimeout(() => void child.kill(), WAITING)
  const [outcome] = await child.finish()
  clearTimeout(timer)
  return outcome as Outcome
}

describe.skipIf(process.platform !== 'linux')('below a folder of the system nothing can be made', () => {
  const agent = { name: 'A', domain: 'example.com', algorithm: 'ed25519', password: PASSWORD }
  it.each([
    ['dataDirectory', '/proc/nope'],
    ['keyDirectory', '/proc/self/fd/nope/keys'],
    ['dataDirectory', '/dev/fd/nope'],
    ['configPath', '/proc/self/nope/sx.config.json'],
  ])('%s %s', async (name, place) => {
    for (const call of ['quickstart', 'createSync']) {
      expect(await ends(call, { ...agent, [name]: place }), call).toMatchObject({ code: 'StorageUnavailable' })
    }
  })
})

describe('an agent that could not be created', () => {
  it('leaves no folders, however often it is tried', async () => {
    const folder = newFolder()
    const options = agentIn(folder, { keyDirectory: join(folder, 'sx.blocked', 'keys') })
    await sx.create(agentIn(folder, { configPath: join(folder, 'sx.blocked') })) // a file, where a folder is needed
    const before = Object.keys(treeOf(folder))
    for (let attempt = 0; attempt < 2; attempt++) {
      await refusal(() => sx.quickstart(options), 'StorageUnavailable')
      await refusal(() => sx.createSync(options), 'StorageUnavailable')
    }
    expect(Object.keys(treeOf(folder))).toEqual(before)
  })
})
