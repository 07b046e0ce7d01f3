// Images that are signed, verified and stripped as files; what cannot be signed stays as it is.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SxAgent, type SxErrorCode } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { nodeFileSystem } from '../../node/storage/seam.ts'
import { bytesRead } from '../storage/bytes-read.ts'
import { systemError } from '../storage/seams.ts'
import { agentIn, newFolder, notRoot, refusal, treeOf } from './fixtures.ts'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const names = readdirSync(data).filter((name) => /\.(png|jpg|webp)$/.test(name))
const image = (name: string): Buffer => readFileSync(join(data, name))

let agent: SxAgent
let other: SxAgent
beforeAll(async () => {
  agent = (await SxAgent.create(agentIn(newFolder(), { name: 'Camera' }))).agent
  other = (await SxAgent.create(agentIn(newFolder(), { name: 'Reader' }))).agent
  await sx.create(agentIn(newFolder(), { name: 'Simple' }))
  other.trustAgent(agent.exportAgent())
})

let folder: string
let path: string
let out: string
beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'photo.jpg')
  out = join(folder, 'signed.jpg')
  copyFileSync(join(data, 'photo.jpg'), path)
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the metadata channel', () => {
  it.each(names)('%s is signed, verified, and stripped to the same bytes', async (name) => {
    const bytes = image(name)
    const before = Buffer.from(bytes)
    const signed = await agent.signImage(bytes, null)
    expect(bytes.equals(before)).toBe(true)
    const result = await other.verifyImage(signed)
    const { keyId } = agent.getAgentInfo() ?? {}
    expect(result).toEqual({
      status: 'valid',
      valid: true,
      coverage: 'file',
      signerId: agent.getAgentInfo()?.agentId,
      signerName: 'Camera',
      keyId,
      algorithm: 'ed25519',
      signedAt: expect.stringMatching(/^20\d\d-/) as string,
      trusted: true,
      unsignedRegions: [],
      lost: [],
      signatures: [expect.objectContaining({ place: 'file', status: 'valid', keyId, trusted: true, lost: [] })],
      errors: [],
      code: undefined,
    })
    const parts = [result, result.errors, result.unsignedRegions, result.lost, result.signatures, result.signatures[0]]
    for (const part of parts) expect(Object.isFrozen(part)).toBe(true)
    expect(before.equals(await sx.stripImageSignature(signed))).toBe(true)
    expect(await sx.stripImageSignature(before)).toEqual(new Uint8Array(before))
    expect((await other.verifyImage(before)).status).toBe('missing_signature')
  })

  it('a file becomes another file, or itself', async () => {
    writeFileSync(out, 'something else')
    chmodSync(out, 0o640)
    expect(await agent.signImage(path, out)).toBe(undefined)
    expect(statSync(out).mode & 0o777).toBe(0o640)
    expect(readFileSync(path).equals(image('photo.jpg'))).toBe(true)
    chmodSync(path, 0o755)
    await agent.signImage(path, path)
    expect(statSync(path).mode & 0o777).toBe(0o755)
    for (const signed of [out, path]) expect((await agent.verifyImage(signed)).valid).toBe(true)
    await sx.stripImageSignature(path, join(folder, 'x', '..', 'photo.jpg'))
    expect(readFileSync(path).equals(image('photo.jpg'))).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['photo.jpg', 'signed.jpg'])
  })

  it('a later signature takes the place of the first one', async () => {
    const first = await agent.signImage(image('rgb.png'), null)
    const second = await other.signImage(first, null)
    expect(await other.verifyImage(second)).toMatchObject({ status: 'valid', signerName: 'Reader' })
    expect(await agent.verifyImage(second)).toMatchObject({ status: 'invalid', code: 'UnknownSigner', trusted: false })
    expect(image('rgb.png').equals(await sx.stripImageSignature(second))).toBe(true)
    await refusal(() => agent.signImage(first, null, { refuseOverwrite: true }), 'AlreadySigned')
    expect(await agent.signImage(image('rgb.png'), null, { refuseOverwrite: true })).toBeInstanceOf(Uint8Array)
  })

  it('is taken as Blob and Response, told by content and not by name', async () => {
    const bytes = new Uint8Array(image('lossy.webp'))
    const signed = await agent.signImage(new File([bytes], 'photo.png', { type: 'image/png' }), null)
    for (const form of [new Blob([signed]), new Response(signed), signed]) {
      expect((await agent.verifyImage(form)).valid).toBe(true)
    }
    writeFileSync(join(folder, 'photo.txt'), signed)
    expect((await agent.verifyImage(join(folder, 'photo.txt'))).valid).toBe(true)
  })

  it('is extracted without being verified, also without an agent', async () => {
    const signed = await agent.signImage(image('exif.jpg'), null)
    const document = await sx.extractMediaSignature(signed)
    expect(document).toMatchObject({ sxType: 'sx-image', content: { scheme: 'sx-image-v1', length: 478 } })
    const payload = await sx.extractMediaSignature(signed, { rawPayload: true })
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(document)
    await refusal(() => sx.extractMediaSignature(image('exif.jpg')), 'MissingSignature')
    await refusal(() => sx.extractMediaSignature(image('exif.jpg'), { rawPayload: true }), 'MissingSignature')
  })

  it('strict asks for a signature', async () => {
    await refusal(() => agent.verifyImage(path, { strict: true }), 'MissingSignature')
    await agent.signImage(path, path)
    expect((await agent.verifyImage(path, { strict: true })).valid).toBe(true)
  })

  it('keys that are named count for one call', async () => {
    const signed = await sx.signImage(path, null)
    const { agentId = '' } = sx.getAgentInfo() ?? {}
    const keys = { [agentId]: sx.getPublicKey() }
    const codeWith = async (options?: sx.VerifyImageOptions): Promise<unknown> =>
      (await agent.verifyImage(signed, options)).code
    expect(await codeWith()).toBe('UnknownSigner')
    expect(await codeWith({ keys })).toBe(undefined)
    expect(await codeWith({ keyDir: keys })).toBe(undefined)
    expect((await agent.verifyImage(signed, { keys })).trusted).toBe(false)
    expect(await codeWith()).toBe('UnknownSigner')
    expect(await codeWith({ keys: { [agentId]: agent.getPublicKey() } })).toBe('KeyMismatch')
    const keyDir = newFolder()
    writeFileSync(join(keyDir, `${agentId}.public.pem`), sx.getPublicKey())
    expect(await codeWith({ keyDir })).toBe(undefined)
    await refusal(() => agent.verifyImage(signed, { keys, keyDir }), 'InvalidOption')
    // What was looked up and not found must not silently be no keys at all.
    for (const none of [{ keys: null }, { keyDir: null }]) {
      await refusal(() => agent.verifyImage(signed, none as unknown as sx.VerifyImageOptions), 'InvalidOption')
    }
  })
})

describe('what cannot be signed stays as it is, and nothing is written', () => {
  const contents: [string, string | Buffer, SxErrorCode][] = [
    ['nothing', '', 'Unsupported'],
    ['a text', 'no image', 'Unsupported'],
    ['four bytes of one', image('rgb.png').subarray(0, 4), 'Unsupported'],
  ]
  it.each(contents)('%s', async (_, content, code) => {
    writeFileSync(path, content)
    const before = treeOf(folder)
    await refusal(() => agent.signImage(path, out), code)
    await refusal(() => agent.signImage(path, path), code)
    await refusal(() => agent.verifyImage(path), code)
    await refusal(() => sx.stripImageSignature(path), code)
    await refusal(() => sx.extractMediaSignature(path), code)
    expect(treeOf(folder)).toEqual(before)
  })

  it('half an image', async () => {
    writeFileSync(path, image('rgb.png').subarray(0, 60))
    const before = treeOf(folder)
    await refusal(() => agent.signImage(path, out), 'Unsupported')
    expect((await agent.verifyImage(path)).status).toBe('missing_signature')
    await refusal(() => sx.extractMediaSignature(path), 'MissingSignature')
    expect(treeOf(folder)).toEqual(before)
    const signed = await agent.signImage(image('rgb.png'), null)
    for (const length of [signed.length - 1, signed.length - 13, signed.length - 40]) {
      expect((await agent.verifyImage(signed.subarray(0, length))).status).toBe('invalid')
    }
  })

  it('a damaged signature', async () => {
    const signed = await agent.signImage(path, null)
    const at = Buffer.from(signed).indexOf('sx-agent.signature') + 30
    signed[at] = (signed[at] ?? 0) ^ 0x80
    const result = await agent.verifyImage(signed)
    expect(result).toMatchObject({ status: 'invalid', code: 'BadSignature', coverage: undefined })
    await refusal(() => agent.signImage(signed, null, { refuseOverwrite: true }), 'AlreadySigned')
    await refusal(() => sx.stripImageSignature(signed), 'BadSignature')
    await refusal(() => sx.stripImageSignature(signed, null, { force: 'yes' as never }), 'InvalidOption')
    await refusal(() => sx.extractMediaSignature(signed), 'BadSignature')
  })

  it('T27 symbolic and hard links to write to', async () => {
    symlinkSync(path, out)
    const second = join(folder, 'second.jpg')
    writeFileSync(second, 'x')
    linkSync(second, join(folder, 'third.jpg'))
    const before = treeOf(folder)
    for (const target of [out, second]) await refusal(() => agent.signImage(path, target), 'LinkRefused')
    await refusal(() => agent.signImage(out, out), 'LinkRefused')
    expect(treeOf(folder)).toEqual(before)
    expect((await agent.verifyImage(out)).status).toBe('missing_signature')
  })

  it('folders, missing files and wrong arguments', async () => {
    mkdirSync(join(folder, 'inner'))
    const before = treeOf(folder)
    const sign = agent.signImage.bind(agent) as (...given: unknown[]) => Promise<unknown>
    await refusal(() => sign(join(folder, 'nowhere.jpg'), out), 'NotFound')
    await refusal(() => sign(folder, out), 'NotFound')
    await refusal(() => sign(path, join(folder, 'inner')), 'StorageUnavailable')
    await refusal(() => sign(path, join(folder, 'nowhere', 'signed.jpg')), 'StorageUnavailable')
    for (const bad of ['', 17, {}]) await refusal(() => sign(path, bad), 'InvalidOption')
    for (const bad of [undefined, '', 17, null, {}, [], new ArrayBuffer(8)]) {
      await refusal(() => sign(bad, out), 'InvalidOption')
    }
    for (const bad of [{ robust: 1 }, { refuseOverwrite: 'no' }, { ignoreC2pa: null, x: 1 }, 7]) {
      await refusal(() => sign(path, out, bad), 'InvalidOption')
    }
    expect(treeOf(folder)).toEqual(before)
  })

  it('an agent that has no key, and none', async () => {
    await refusal(() => new SxAgent().signImage(path, out), 'NoAgentLoaded')
    await refusal(() => new SxAgent().verifyImage(path), 'NoAgentLoaded')
  })

  it('responses that show nothing', async () => {
    await refusal(() => agent.verifyImage(Response.error()), 'Unverifiable')
    await refusal(() => agent.verifyImage(new Response('gone', { status: 404 })), 'Unverifiable')
    const read = new Response(new Uint8Array(image('rgb.png')))
    await read.arrayBuffer()
    await refusal(() => agent.verifyImage(read), 'Unverifiable')
    await refusal(() => agent.verifyImage(new Response()), 'Unsupported')
  })

  it('more than 256 MiB', async () => {
    await refusal(() => agent.verifyImage(new Uint8Array(2 ** 28 + 1)), 'LimitExceeded')
  })
})

describe('an output that cannot be written leaves everything as it was', () => {
  const faults = [
    ['ENOSPC', 'StorageFull'],
    ['EIO', 'StorageUnavailable'],
    ['EROFS', 'StorageUnavailable'],
  ] as const
  it.each(faults)('where the disk says %s', async (fault, code) => {
    const before = treeOf(folder)
    for (const [name, work] of [
      ['signImage', () => agent.signImage(path, out)],
      ['signImage in place', () => agent.signImage(path, path)],
      ['stripImageSignature', () => sx.stripImageSignature(path, out)],
    ] as const) {
      const spy = vi.spyOn(nodeFileSystem.async, 'write').mockRejectedValue(systemError(fault, 'write'))
      await refusal(work, code)
      expect(spy, name).toHaveBeenCalled()
      vi.restoreAllMocks()
      const left = Object.entries(treeOf(folder)).filter(([file]) => !file.endsWith('.tmp'))
      expect(Object.fromEntries(left), name).toEqual(before)
    }
  })

  it.skipIf(notRoot)('on a disk that is full, and on one that is read-only', async (context) => {
    const disk = newFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', disk], { stdio: 'pipe' })
    } catch {
      context.skip('may not mount')
    }
    try {
      const [source, target] = [join(disk, 'photo.jpg'), join(disk, 'signed.jpg')]
      copyFileSync(path, source)
      writeFileSync(target, 'an older one')
      writeFileSync(join(disk, 'ballast'), new Uint8Array(52 << 10))
      const before = treeOf(disk)
      for (const to of [source, target]) await refusal(() => agent.signImage(source, to), 'StorageFull')
      expect(treeOf(disk)).toEqual(before)
      truncateSync(join(disk, 'ballast'))
      execFileSync('mount', ['-o', 'remount,ro', disk])
      const readOnly = treeOf(disk)
      for (const to of [source, target]) await refusal(() => agent.signImage(source, to), 'StorageUnavailable')
      await refusal(() => sx.stripImageSignature(source, target), 'StorageUnavailable')
      expect((await agent.verifyImage(source)).status).toBe('missing_signature')
      expect(treeOf(disk)).toEqual(readOnly)
      execFileSync('mount', ['-o', 'remount,rw', disk])
      await agent.signImage(source, target)
      expect((await agent.verifyImage(target)).valid).toBe(true)
    } finally {
      execFileSync('umount', [disk])
    }
  })

  it('where the file may not be written', async () => {
    writeFileSync(out, 'an older one')
    for (const file of [path, out]) chmodSync(file, 0o444)
    const before = treeOf(folder)
    for (const to of [path, out]) {
      const { message } = await refusal(() => agent.signImage(path, to), 'StorageUnavailable')
      expect(message).toContain('not writable')
      await refusal(() => sx.stripImageSignature(path, to), 'StorageUnavailable')
    }
    expect(treeOf(folder)).toEqual(before)
  })

  it('1 GB, without reading it', async () => {
    const read = bytesRead()
    await agent.verifyImage(path)
    const small = read()
    expect(small).toBe(statSync(path).size)
    truncateSync(path, 1 << 30)
    for (const to of [path, out]) await refusal(() => agent.signImage(path, to), 'LimitExceeded')
    await refusal(() => agent.verifyImage(path), 'LimitExceeded')
    await refusal(() => sx.extractMediaSignature(path), 'LimitExceeded')
    expect(read()).toBe(small)
    expect(statSync(path).size).toBe(1 << 30)
  })
})

describe('T35 image container tricks', () => {
  it.each(['rgb.png', 'exif.jpg', 'lossy.webp'])('%s: bytes after the end, and a changed picture', async (name) => {
    const signed = await agent.signImage(image(name), null)
    const longer = Buffer.concat([signed, Buffer.from('pay 9999')])
    expect((await agent.verifyImage(longer)).status).toBe('invalid')
    const edited = Buffer.from(signed)
    edited[edited.length - 20] = (edited[edited.length - 20] ?? 0) ^ 1
    expect((await agent.verifyImage(edited)).status).toBe('invalid')
  })

  it('two signatures, one before IHDR, one with a bad checksum', async () => {
    const signed = Buffer.from(await agent.signImage(image('rgb.png'), null))
    const chunk = signed.subarray(33, 33 + 12 + signed.readUInt32BE(33))
    expect(chunk.toString('latin1', 4, 8)).toBe('iTXt')
    const twice = Buffer.concat([signed.subarray(0, 33), chunk, signed.subarray(33)])
    const early = Buffer.concat([
      signed.subarray(0, 8),
      chunk,
      signed.subarray(8, 33),
      signed.subarray(33 + chunk.length),
    ])
    const bad = Buffer.from(signed)
    bad.writeUInt8(bad.readUInt8(33 + chunk.length - 1) ^ 1, 33 + chunk.length - 1)
    for (const tricked of [twice, early, bad]) {
      expect(await agent.verifyImage(tricked)).toMatchObject({ status: 'invalid', valid: false, trusted: false })
    }
  })

  it('the signature of another file, and a document that is none of an image', async () => {
    const payload = await sx.extractMediaSignature(await agent.signImage(image('rgb.png'), null), { rawPayload: true })
    const media = await import('../../wasm/dist/media/media.js')
    expect(await agent.verifyImage(media.embedPayload(image('exif.jpg'), payload))).toMatchObject({
      status: 'invalid',
      code: 'HashMismatch',
      signerId: agent.getAgentInfo()?.agentId,
      algorithm: '',
    })
    const { raw } = await agent.signMessage({ scheme: 'sx-image-v1', sha256: '0'.repeat(64), length: 478 })
    const wrong = media.embedPayload(image('exif.jpg'), Buffer.from(raw).toString('base64url'))
    expect(await agent.verifyImage(wrong)).toMatchObject({ status: 'invalid', code: 'InvalidDocument' })
    await refusal(() => agent.createDocument({ content: {} }, { type: 'sx-image' }), 'ReservedField')
  })
})
