// What signed texts and images have in common: whose keys count, and what a string means.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentIn, newFolder, refusal } from './fixtures.ts'

const photo = fileURLToPath(new URL('../../wasm/media/tests/data/photo.jpg', import.meta.url))

let signer: SxAgent
let signedText: string
let signedImage: string
let keys: Record<string, string>
beforeAll(async () => {
  signer = (await SxAgent.create(agentIn(newFolder(), { name: 'Signer' }))).agent
  const folder = newFolder()
  signedText = join(folder, 'contract.md')
  writeFileSync(signedText, 'Alice pays 100.\n')
  await signer.signText(signedText)
  signedImage = join(folder, 'photo.jpg')
  await signer.signImage(photo, signedImage)
  const { sxId, sxPublicKeys } = JSON.parse(signer.exportAgent()) as {
    sxId: string
    sxPublicKeys: [{ publicKey: string }]
  }
  keys = { [sxId]: sxPublicKeys[0].publicKey }
})

describe('without an agent', () => {
  const nobody = (): SxAgent => new SxAgent({ storage: memoryStorage() })

  it('keys that are named decide', async () => {
    const text = await nobody().verifyText(signedText, { keys })
    expect([text.valid, text.signers[0]?.trusted]).toEqual([true, false])
    const image = await nobody().verifyImage(signedImage, { keys })
    expect([image.valid, image.trusted, image.coverage]).toEqual([true, false, 'file'])
  })

  it('a folder of keys decides', async () => {
    const keyDir = newFolder()
    for (const [id, key] of Object.entries(keys)) writeFileSync(join(keyDir, `${id}.public.pem`), key)
    expect(await nobody().verifyText(signedText, { keyDir })).toMatchObject({ valid: true })
    expect(await nobody().verifyImage(signedImage, { keyDir })).toMatchObject({ valid: true })
  })

  it('keys of others leave the signer unknown', async () => {
    expect((await nobody().verifyText(signedText, { keys: {} })).signers[0]?.status).toBe('unknown_key')
    expect(await nobody().verifyImage(signedImage, { keys: {} })).toMatchObject({ valid: false, code: 'UnknownSigner' })
  })

  it('and without keys there is no verdict', async () => {
    for (const verify of [() => nobody().verifyText(signedText), () => nobody().verifyImage(signedImage)])
      expect(await refusal(verify, 'NoAgentLoaded')).toHaveProperty(
        'message',
        expect.stringContaining('pass `keys`, `key` or `dataDirectory`'),
      )
    await refusal(() => nobody().signText(signedText), 'NoAgentLoaded')
    await refusal(() => nobody().signImage(signedImage), 'NoAgentLoaded')
  })
})

describe('a string', () => {
  const foundBy = async (work: () => Promise<unknown>): Promise<string> => {
    const error: unknown = await work().catch((error: unknown) => error)
    return error instanceof Error ? error.message : 'no error'
  }

  it('that is a text and no path is not repeated in the error, which says how to pass it', async () => {
    for (const text of [`# Contract\n${'x'.repeat(20_000)}`, 'y'.repeat(5000), 'a\0b']) {
      for (const work of [() => signer.verifyText(text), () => signer.signText(text)]) {
        const found = await foundBy(work)
        expect(found).toMatch(/^InvalidOption: A string must be the path of a file.*\{ text \}/)
        expect(found.length).toBeLessThan(300)
        await refusal(work, 'InvalidOption')
      }
    }
  })

  it('that is an address has to be a URL', async () => {
    for (const work of [() => signer.verifyImage('https://example.com/a.png'), () => signer.verifyText('data:,x')]) {
      await refusal(work, 'InvalidOption')
      expect(await foundBy(work)).toContain('new URL')
    }
  })

  it('is a path with a colon, too', async () => {
    const folder = join(newFolder(), 'c:')
    mkdirSync(folder)
    copyFileSync(photo, join(folder, 'http:.jpg'))
    expect((await signer.verifyImage(join(folder, 'http:.jpg'))).status).toBe('missing_signature')
  })
})

it('a file may have any name that a system allows', async () => {
  for (const name of ['a\u2028b.md', '.md', '…', 'a b\tc']) {
    const path = join(newFolder(), name)
    writeFileSync(path, 'Alice pays 100.\n')
    await signer.signText(path)
    expect((await signer.verifyText(path)).valid, name).toBe(true)
  }
})

it('an image comes back as bytes where no file is named', async () => {
  const signed = await signer.signImage(photo)
  expect((await signer.verifyImage(signed)).valid).toBe(true)
  const robust = await signer.signImage(photo, undefined, { robust: false })
  expect((await signer.verifyImage(robust)).valid).toBe(true)
})
