// Texts that are signed in place: the file is the old one or the new one, nobody's change is lost, and what cannot be
// signed stays as it is.
import {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SxAgent, SxErrorCode, VerifyTextResult } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { editFile } from '../../node/storage/edit.ts'
import { nodeFileSystem } from '../../node/storage/seam.ts'
import { later } from '../effects.ts'
import { bytesRead } from '../storage/bytes-read.ts'
import { failing, through } from '../storage/seams.ts'
import { agentIn, NOBODY, newFolder, notRoot, PASSWORD, refusal, treeOf } from './fixtures.ts'
import { killAtSteps, TEXT, twoSigners } from './killed-signing.ts'
import { Child, callElsewhere } from './processes.ts'

const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD }
const MAX = 1 << 20

let homes: string[]
let agents: SxAgent[]
beforeAll(async () => {
  ;({ homes, agents } = await twoSigners())
})

let folder: string
let path: string
beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'contract.md')
  writeFileSync(path, TEXT)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const alice = (): SxAgent => agents[0] as SxAgent
const bob = (): SxAgent => agents[1] as SxAgent
const read = (): string => readFileSync(path, 'utf8')

async function validBy(count: number): Promise<VerifyTextResult> {
  const result = await alice().verifyText(path)
  expect(result.errors).toEqual([])
  expect(result.signers).toHaveLength(count)
  return result
}

describe('a file', () => {
  it('is signed in place by several, and everything else of it stays', async () => {
    for (const mode of [0o640, 0o755, 0o600]) {
      writeFileSync(path, TEXT)
      chmodSync(path, mode)
      expect(await alice().signText(path)).toBe(undefined)
      await bob().signText(path)
      await alice().signText(path)
      expect(read().startsWith(`${TEXT}-----BEGIN SX SIGNATURE-----\n`)).toBe(true)
      expect((await validBy(2)).length).toBe(Buffer.byteLength(TEXT))
      expect(statSync(path).mode & 0o777).toBe(mode)
      expect(readdirSync(folder)).toEqual(['contract.md'])
    }
  })

  it.skipIf(notRoot)('keeps its owner', async () => {
    chownSync(path, NOBODY, NOBODY)
    await alice().signText(path)
    expect([statSync(path).uid, statSync(path).gid]).toEqual([NOBODY, NOBODY])
  })

  it('can be any text', async () => {
    for (const text of ['', 'a,b\r\n1,2', '\ufeffkey: value\n', '#!/bin/sh\nexit 0\n', 'Zoë 世界 🌍']) {
      writeFileSync(path, text)
      await bob().signText(path)
      expect(read().startsWith(text)).toBe(true)
      await validBy(1)
    }
  })

  it('is verified with keys from a folder', async () => {
    const keyDir = newFolder()
    const stranger = await sx.create(agentIn(newFolder()))
    await sx.signText(path)
    const statusOf = async (options?: sx.VerifyTextOptions): Promise<unknown> =>
      (await alice().verifyText(path, options)).signers[0]?.status
    expect(await statusOf()).toBe('unknown_key')
    expect(await statusOf({ keyDir })).toBe('unknown_key')
    writeFileSync(join(keyDir, `${stranger.agentId}.public.pem`), sx.getPublicKey())
    expect(await statusOf({ keyDir })).toBe('valid')
    expect(await statusOf()).toBe('unknown_key')
    writeFileSync(join(keyDir, `${stranger.agentId}.public.pem`), bob().getPublicKey())
    expect(await statusOf({ keyDir })).toBe('invalid')
    await refusal(() => alice().verifyText(path, { keyDir: join(keyDir, 'nowhere') }), 'NotFound')
    await refusal(() => alice().verifyText(path, { keyDir: '' }), 'InvalidOption')
  })
})

describe('what cannot be signed stays as it is', () => {
  const utf16 = Buffer.from('\ufeffa\n', 'utf16le')
  const contents: [string, string | Buffer, SxErrorCode, string][] = [
    ['UTF-16', utf16, 'NotText', 'malformed'],
    ['UTF-16 without its mark', utf16.subarray(2), 'NotText', 'malformed'],
    ['a NUL', 'a\0b', 'NotText', 'malformed'],
    ['an image', Buffer.from('89504e470d0a1a0a', 'hex'), 'NotText', 'malformed'],
    ['a marker', `a\n-----BEGIN SX SIGNATURE-----\nb\n`, 'MarkerCollision', 'malformed'],
    ['an end', `a\n-----END SX SIGNATURE-----\n`, 'MarkerCollision', 'malformed'],
  ]
  it.each(contents)('%s', async (_, content, code, status) => {
    writeFileSync(path, content)
    const before = treeOf(folder)
    await refusal(() => alice().signText(path), code)
    expect(treeOf(folder)).toEqual(before)
    expect(await alice().verifyText(path)).toMatchObject({ status, valid: false })
  })

  it('T27 a symbolic link and a hard link', async () => {
    const link = join(folder, 'link.md')
    symlinkSync(path, link)
    const second = join(folder, 'second.md')
    linkSync(path, second)
    const before = treeOf(folder)
    for (const linked of [link, second, path]) await refusal(() => alice().signText(linked), 'LinkRefused')
    expect(treeOf(folder)).toEqual(before)
    expect((await alice().verifyText(link)).status).toBe('missing_signature')
  })

  it('a folder, and nothing', async () => {
    mkdirSync(join(folder, 'inner'))
    for (const none of ['inner', 'nowhere.md', join('contract.md', 'inner')]) {
      await refusal(() => alice().signText(join(folder, none)), 'NotFound')
      await refusal(() => alice().verifyText(join(folder, none)), 'NotFound')
    }
    await refusal(() => alice().signText(`${path}\0`), 'InvalidOption')
  })

  it('a file that may not be written', async () => {
    chmodSync(path, 0o444)
    const { message } = await refusal(() => alice().signText(path), 'StorageUnavailable')
    expect(message).toContain('not writable')
    expect(read()).toBe(TEXT)
    expect(readdirSync(folder)).toEqual(['contract.md'])
    expect((await alice().verifyText(path)).status).toBe('missing_signature')
  })

  it.skipIf(notRoot)("a file and a folder of somebody else's", async () => {
    const home = newFolder()
    chownSync(home, NOBODY, NOBODY)
    const asNobody = { env, asNobody: true }
    const options = { ...agentIn(home), env: undefined, password: undefined }
    const sign = async (): Promise<unknown> => {
      const [, outcome] = await callElsewhere(
        [
          ['quickstart', options],
          ['signText', path],
        ],
        asNobody,
      )
      return outcome?.code
    }
    expect(await sign()).toBe('StorageUnavailable')
    chownSync(folder, NOBODY, NOBODY)
    expect(await sign()).toBe('StorageUnavailable')
    expect(read()).toBe(TEXT)
    expect(readdirSync(folder)).toEqual(['contract.md'])
    chmodSync(path, 0o666)
    expect(await sign()).toBe(undefined)
  })

  it('1 GB of text, without reading it', async () => {
    const read = bytesRead()
    await alice().verifyText(path)
    const small = read()
    expect(small).toBe(TEXT.length)
    truncateSync(path, 1 << 30)
    for (const form of ['signText', 'verifyText'] as const) {
      await refusal(() => alice()[form](path), 'LimitExceeded')
    }
    expect(read()).toBe(small)
    expect(statSync(path).size).toBe(1 << 30)
  })

  for (const [fault, code] of [
    ['ENOSPC', 'StorageFull'],
    ['EIO', 'StorageUnavailable'],
    ['EROFS', 'StorageUnavailable'],
  ] as const) {
    it(`where the disk fails: ${fault}`, async () => {
      for (let at = 0, isWhole = false; !isWhole; at++) {
        path = join(newFolder(), 'contract.md')
        writeFileSync(path, TEXT)
        const { fs, calls } = failing(at, fault)
        const by = Buffer.from(`signed ${at}`)
        try {
          const file = await later(editFile(path, MAX, fs))
          expect(await later(file.replace(by))).toBe(true)
          isWhole = calls.length <= at
        } catch (error) {
          expect(error).toMatchObject({ name: 'SxError', code })
        }
        expect([TEXT, by.toString()]).toContain(read())
      }
      await alice().signText(path)
      await validBy(1)
    })
  }
})

describe('T25 a file that somebody changes meanwhile', () => {
  const THEIRS = 'their text\n'
  const changes = {
    'written into': (target: string) => writeFileSync(target, THEIRS),
    'with another length': (target: string) => appendFileSync(target, THEIRS),
    'replaced by another file': (target: string) => {
      writeFileSync(`${target}~`, THEIRS)
      renameSync(`${target}~`, target)
    },
  }
  it.each(Object.entries(changes))('keeps their bytes: %s', async (_, change) => {
    let refusals = 0
    for (let at = 0, calls = at + 1; at < calls; at++) {
      writeFileSync(path, TEXT)
      calls = 0
      let isUnseen = false
      const fs = through((name, _given, perform) => {
        if (calls++ === at) {
          change(path)
          // The one moment at which it is not seen: the other file is gone when the next call has returned.
          isUnseen = name === 'rename' && change === changes['replaced by another file']
        }
        return perform()
      })
      const file = await later(editFile(path, MAX, fs))
      const isDone = await later(file.replace(Buffer.concat([file.bytes, Buffer.from('signed\n')])))
      expect(isUnseen || read().includes(THEIRS), `call ${at}`).toBe(true)
      if (!isDone) refusals++
      expect(readdirSync(folder)).toEqual(['contract.md'])
    }
    expect(refusals).toBeGreaterThan(10)
  })

  it('is FileChanged, and the file theirs', async () => {
    const sync = nodeFileSystem.async.fsync
    const spy = vi.spyOn(nodeFileSystem.async, 'fsync').mockImplementationOnce(async (fd) => {
      writeFileSync(path, THEIRS)
      return sync(fd)
    })
    await refusal(() => alice().signText(path), 'FileChanged')
    expect(spy).toHaveBeenCalled()
    expect(read()).toBe(THEIRS)
    expect(readdirSync(folder)).toEqual(['contract.md'])
  })

  it("gets both signatures if it was only another one's signature", async () => {
    const theirs = Buffer.from(await bob().signText({ text: TEXT }))
    vi.spyOn(nodeFileSystem.async, 'fsync').mockImplementationOnce(async () => writeFileSync(path, theirs))
    await alice().signText(path)
    const { signers } = await validBy(2)
    expect(signers.map(({ signerId }) => signerId)).toEqual(
      [bob(), alice()].map((agent) => agent.getAgentInfo()?.agentId),
    )
  })
})

// oxlint-disable-next-line vitest/expect-expect -- what kills does
it('T25 a process that is killed while it signs, at some steps, leaves the old file or the new one', async () => {
  await killAtSteps({ homes, agents, path }, 6)
})

describe('T26 several who sign at once', () => {
  const COUNT = 25
  it(`two processes x ${COUNT} lose no signature`, async () => {
    const children = homes.map((home) => new Child('loop', ['signText', home, path, String(COUNT)], { env }))
    const said = await Promise.all(children.map((child) => child.finish()))
    const outcomes = said.flatMap((lines) => lines.slice(1) as { code?: string }[])
    expect(outcomes).toHaveLength(2 * COUNT)
    expect(outcomes.filter(({ code }) => code !== undefined && code !== 'Busy')).toEqual([])
    expect(outcomes.filter(({ code }) => code === undefined).length).toBeGreaterThan(COUNT)
    const { signers } = await validBy(2)
    expect(new Set(signers.map(({ signerId }) => signerId)).size).toBe(2)
    expect(read().startsWith(TEXT)).toBe(true)
    expect(readdirSync(folder)).toEqual(['contract.md'])
  })

  it('two processes of one agent leave one signature', async () => {
    const start = (): Child => new Child('loop', ['signText', homes[0] ?? '', path, '10'], { env })
    const said = await Promise.all([start(), start()].map((child) => child.finish()))
    expect(said.flatMap((lines) => lines.slice(1))).toEqual(Array.from({ length: 20 }, () => ({})))
    await validBy(1)
  })

  it('calls of one process wait for each other', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 ? alice() : bob()).signText(path)))
    await validBy(2)
    expect(readdirSync(folder)).toEqual(['contract.md'])
  })
})
