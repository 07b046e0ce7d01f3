// Disks that are full, read-only or closed to this user: one SxError, and nothing half-written.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { afterEach, describe, expect, it } from 'vitest'
import { failingCalls, kept } from './failing-calls.ts'
import { agentIn, configIn, filesOf, NOBODY, newFolder, notRoot, PASSWORD, refusal, treeOf } from './fixtures.ts'
import { callElsewhere } from './processes.ts'

const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD }
const nobody = { env, asNobody: true }

describe.skipIf(notRoot)(`as another user${notRoot ? ` (skipped: ${notRoot})` : ''}`, () => {
  /** A folder with an agent of `nobody`. */
  async function theirs(): Promise<{ folder: string; options: object }> {
    const folder = newFolder()
    chownSync(folder, NOBODY, NOBODY)
    const options = { ...agentIn(folder), env: undefined, password: undefined }
    const [made] = await callElsewhere([['quickstart', options]], nobody)
    expect(made?.value).toMatchObject({ created: true })
    return { folder, options }
  }

  it('an agent works in a folder of its own', async () => {
    const { folder } = await theirs()
    const [, signed] = await callElsewhere(
      [
        ['load', configIn(folder)],
        ['signMessage', 1],
      ],
      nobody,
    )
    expect(signed?.value).toHaveProperty('raw')
  })

  it('no agent is made where nothing can be written, and nothing is left there', async () => {
    const folder = newFolder()
    const options = { ...agentIn(folder), env: undefined }
    const calls = [
      ['quickstart', options],
      ['quickstartSync', options],
      ['create', options],
      ['createSync', options],
    ] as const
    for (const { code, message } of await callElsewhere(calls, nobody)) {
      expect(code).toBe('StorageUnavailable')
      expect(message).toContain(folder)
    }
    expect(treeOf(folder)).toEqual({})
  })

  it('no key is made where only the configuration cannot be written', async () => {
    const folder = newFolder()
    const [keyDirectory, dataDirectory] = [join(folder, 'keys'), join(folder, 'data')]
    for (const path of [keyDirectory, dataDirectory]) {
      mkdirSync(path)
      chownSync(path, NOBODY, NOBODY)
    }
    for (const configPath of [configIn(folder), join(folder, 'deep', 'sx.config.json')]) {
      const options = { ...agentIn(folder), env: undefined, keyDirectory, dataDirectory, configPath }
      const calls = [
        ['quickstart', options],
        ['createSync', options],
      ] as const
      for (const { code } of await callElsewhere(calls, nobody)) expect(code).toBe('StorageUnavailable')
      expect(kept(folder)).toEqual([])
    }
  })

  it('what cannot be read is refused and left as it is', async () => {
    for (const part of ['sx.config.json', 'sx_keys', join('sx_keys', 'sx.private.pem'), 'sx_data', '.']) {
      const { folder, options } = await theirs()
      chmodSync(join(folder, part), 0)
      chownSync(join(folder, part), 0, 0)
      const before = treeOf(folder)
      const calls = [
        ['load', configIn(folder)],
        ['loadSync', configIn(folder)],
        ['quickstart', options],
      ] as const
      for (const { code } of await callElsewhere(calls, nobody)) expect(code, part).toBe('StorageUnavailable')
      expect(treeOf(folder)).toEqual(before)
    }
  })

  it('nothing is signed where it cannot be stored', async () => {
    const { folder } = await theirs()
    execFileSync('chown', ['-R', 'root', join(folder, 'sx_data')])
    execFileSync('chmod', ['-R', 'a+rX', join(folder, 'sx_data')])
    const before = treeOf(folder)
    const [, ...refused] = await callElsewhere(
      [['load', configIn(folder)], ['signMessage', 1], ['signMessageSync', 1], ['listTrustedAgents']],
      nobody,
    )
    expect(refused.map(({ code }) => code)).toEqual(['StorageUnavailable', 'StorageUnavailable', undefined])
    expect(treeOf(folder)).toEqual(before)
  })

  it('a folder that is gone is no place to start in', async () => {
    const program = `
      import { mkdirSync, rmdirSync } from 'node:fs'
      import * as sx from 'sx-agent/simple'
      mkdirSync(process.argv[1]); process.chdir(process.argv[1]); rmdirSync(process.argv[1])
      try { await sx.load() } catch (error) { console.log(error instanceof sx.SxError && error.code) }`
    const args = ['--input-type=module', '-e', program, join(newFolder(), 'gone')]
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: import.meta.dirname })
    expect(stdout.trim(), stderr).toMatch(/^(NotFound|StorageUnavailable)$/)
  })
})

/** Mounts a small file system in memory; the tests skip visibly where that is not possible. */
function mounts(): string | false {
  if (notRoot) return notRoot
  if (process.platform !== 'linux') return 'needs Linux'
  const folder = newFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' })
    execFileSync('umount', [folder])
    return false
  } catch {
    return 'may not mount'
  }
}

const cannotMount = mounts()
describe.skipIf(cannotMount)(`on a disk of 1 MB${cannotMount ? ` (skipped: ${cannotMount})` : ''}`, () => {
  let disk = ''
  const mounted = (): string => {
    disk = newFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', disk])
    return disk
  }
  const remount = (options: string): void => void execFileSync('mount', ['-o', `remount,${options}`, disk])
  afterEach(() => {
    execFileSync('umount', [disk])
  })

  it('signing ends in StorageFull, all that was signed is there, and it goes on when there is space', async () => {
    const folder = mounted()
    await sx.create(agentIn(folder))
    const stored: string[] = []
    const fill = async (sign: () => sx.SignedDocument | Promise<sx.SignedDocument>): Promise<void> => {
      for (;;) stored.push((await sign()).documentId)
    }
    const large = 'x'.repeat(50_000)
    await refusal(() => fill(() => sx.signMessage(large)), 'StorageFull')
    const before = kept(folder)
    for (let again = 0; again < 3; again++) {
      await refusal(() => sx.signMessage(large), 'StorageFull')
      await refusal(() => sx.signMessageSync(large), 'StorageFull')
    }
    expect(kept(folder)).toEqual(before)
    expect(stored.length).toBeGreaterThan(5)
    await refusal(() => fill(() => sx.signMessageSync('small')), 'StorageFull')
    await sx.load(agentIn(folder))
    for (const id of stored) expect((await sx.verifyById(id)).errors).toEqual([])
    expect((await sx.listDocuments()).length).toBe(stored.length + 1)

    await refusal(
      () => sx.updateAgent({ ...JSON.parse(sx.exportAgent()), name: 'x'.repeat(250), description: large }),
      'StorageFull',
    )
    await refusal(() => sx.reencryptKey(PASSWORD, 'next'), 'StorageFull')
    await sx.load(agentIn(folder))
    expect(sx.getAgentInfo()?.name).toBe('Billing')

    remount('size=2m')
    const { documentId } = await sx.signMessage(large)
    expect((await sx.verifyById(documentId)).valid).toBe(true)
    expect(filesOf(folder).filter((path) => path.endsWith('.tmp'))).toEqual([])
  })

  it('no agent is half-made, and quickstart works when there is space', async () => {
    const folder = mounted()
    for (const spare of [0, 4096, 8192, 12_288, 16_384, 20_480, 24_576, 28_672, 40_960]) {
      const place = join(folder, `spare ${spare}`)
      mkdirSync(place)
      writeFileSync(join(folder, 'ballast'), new Uint8Array(Math.max(0, freeBytes(folder) - spare)))
      const before = treeOf(place)
      let made: sx.CreatedAgentInfo | undefined
      try {
        made = await sx.quickstart(agentIn(place))
      } catch (error) {
        expect(error).toMatchObject({ name: 'SxError', code: 'StorageFull' })
        expect(kept(place)).toEqual(Object.keys(before))
      }
      writeFileSync(join(folder, 'ballast'), '')
      const info = await sx.quickstart(agentIn(place))
      if (made !== undefined) expect(info.agentId).toBe(made.agentId)
    }
  })

  it('that is read-only everything can be read, and nothing else happens', async () => {
    const source = newFolder()
    await sx.create(agentIn(source))
    const { documentId, raw } = await sx.signMessage(1)
    const folder = mounted()
    cpSync(source, folder, { recursive: true })
    remount('ro')
    const before = treeOf(folder)
    await sx.load(agentIn(folder))
    expect((await sx.verify(raw)).valid).toBe(true)
    expect((await sx.verifyById(documentId)).valid).toBe(true)
    expect((await sx.quickstart(agentIn(folder))).created).toBe(false)
    const empty = agentIn(join(folder, 'new'))
    for (const call of [
      () => sx.signMessage(2),
      () => sx.signMessageSync(2),
      () => sx.updateDocument(documentId, { n: 2 }),
      () => sx.updateAgent({ ...JSON.parse(sx.exportAgent()), name: 'Renamed' }),
      () => sx.reencryptKey(PASSWORD, 'next'),
      () => sx.trustAgent(sx.exportAgent()),
      () => sx.quickstart(empty),
      () => sx.createSync(empty),
    ])
      await refusal(call, 'StorageUnavailable')
    expect(treeOf(folder)).toEqual(before)
    expect(sx.getAgentInfo()?.name).toBe('Billing')
  })
})

function freeBytes(folder: string): number {
  const line = execFileSync('df', ['--output=avail', '-B1', folder], { encoding: 'utf8' }).trim().split('\n').at(-1)
  return Number(line)
}

failingCalls('ENOSPC')
failingCalls('EROFS')
failingCalls('EIO')
