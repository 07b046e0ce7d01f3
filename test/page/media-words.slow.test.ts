// What the example says of files that were changed, that others have signed, and that cannot be signed.
import type { BrowserContext, Page } from 'playwright'
import { SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'
import { choose, createAgent, fileOf, stepOf, stepsOf, textOf, trust, verdictOf } from './visitor.ts'

let site: Site
let other: SxAgent
let third: SxAgent
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (hasNoBrowser) return
  site = await Site.open()
  other = await signer('Camera')
  third = await signer('Office')
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

async function signer(name: string): Promise<SxAgent> {
  const options = { algorithm: 'ed25519', password: 'correct horse 7', storage: memoryStorage() } as const
  return (await SxAgent.create({ name, ...options })).agent
}

async function visit(): Promise<Page> {
  const context = await site.emptied()
  contexts.push(context)
  return site.example(context)
}

describe.skipIf(hasNoBrowser)('the example page', () => {
  it.each([
    ['a GIF', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(6994, 0xf3)]), '7 KB'],
    ['a text with NUL', Buffer.from('GIF87a\0'), '7 bytes'],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), '6 bytes'],
  ])('shows nothing of %s but its size, and offers nothing', async (_, buffer, size) => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    await choose(page, textOf('before'))
    await choose(page, { name: 'x.gif', buffer })
    await page.getByText('neither a supported picture').waitFor()
    expect(await page.locator('#subject-size').textContent()).toBe(size)
    expect(await page.locator('#excerpt').textContent()).toBe('')
    for (const part of ['.seen', '#excerpt', '#preview', '#media-sign', '#media-sign button']) {
      expect(await page.locator(part).isVisible()).toBe(false)
    }
    await choose(page, textOf('after'))
    await page.getByRole('button', { name: 'Sign this text' }).waitFor()
    expect(await page.locator('#excerpt').textContent()).toBe('after')
    expect(await page.locator('#preview').isVisible()).toBe(false)
  })

  it('says what was changed: the file, or the picture where that alone is signed', async () => {
    const page = await visit()
    const { buffer } = fileOf('texture.jpg')
    const comment = Buffer.from('\xFF\xFE\0\x08Lisbon', 'latin1')
    const commented = Buffer.concat([buffer.subarray(0, 2), comment, buffer.subarray(2)])
    const file = Buffer.from(await other.signImage(commented, null, { robust: true }))
    await createAgent(page, 'Accounting')
    await trust(page, other.exportAgent())
    const moved = Buffer.from(file.toString('latin1').replace('Lisbon', 'London'), 'latin1')
    const reason = () => verdictOf(page).locator('.reason').textContent()
    expect(await stepOf(await choose(page, { name: 'moved.jpg', buffer: moved }))).toEqual(['invalid', 'Not valid'])
    expect(await reason()).toBe('The file was changed after it was signed.')
    // Another table for the same coefficients is another picture, which still carries the bits of the first one.
    const darker = Buffer.from(await stripImageSignature(file))
    const table = darker.indexOf(Buffer.from([0xff, 0xdb])) + 5
    darker.writeUInt8(darker.readUInt8(table) + 1, table)
    await choose(page, { name: 'darker.jpg', buffer: darker })
    await expect.poll(reason).toBe('The picture was changed after it was signed.')
  })

  it('takes a public key for one file only, and says of another signer’s key that it is another one', async () => {
    const page = await visit()
    const key = page.getByLabel('Key of the signer (PEM)')
    const reason = () => verdictOf(page).locator('.reason').first().textContent()
    const otherKey = /^The key you entered is not the key that the signature names/
    const image = Buffer.from(await other.signImage(fileOf('photo.jpg').buffer, null))
    const text = Buffer.from(await other.signText({ text: 'one' }))
    await choose(page, { name: 'photo.jpg', buffer: image })
    await page.getByText('Verify with only a public key').click()
    for (const given of [
      { name: 'photo.jpg', buffer: image },
      { name: 'one.txt', buffer: text },
    ]) {
      expect(await stepOf(await choose(page, given))).toEqual(['unknown', 'Unknown signer'])
      expect(await key.inputValue()).toBe('')
      await key.fill(third.getPublicKey())
      await expect.poll(reason).toMatch(otherKey)
      expect(await stepOf(verdictOf(page))).toEqual(['unchecked', 'Could not check'])
      await key.fill(other.getPublicKey())
      await page.locator('#media-verdict [data-step=untrusted]').waitFor()
    }
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('checks that of two unknown signers whose key it is', async () => {
    const page = await visit()
    const key = page.getByLabel('Key of the signer (PEM)')
    const both = await third.signText(await other.signText({ text: 'both' }))
    await choose(page, { name: 'both.txt', buffer: Buffer.from(both) })
    expect(await stepOf(verdictOf(page))).toEqual(['unknown', 'Unknown signer'])
    expect(await stepsOf(page)).toEqual(['unknown', 'unknown'])
    await page.getByText('Verify with only a public key').click()
    for (const [agent, steps] of [
      [other, ['untrusted', 'unchecked']],
      [third, ['unchecked', 'untrusted']],
    ] as const) {
      await key.fill(agent.getPublicKey())
      await expect.poll(() => stepsOf(page)).toEqual(steps)
      expect(await stepOf(verdictOf(page))).toEqual(['unchecked', 'Could not check all signatures'])
      expect(await verdictOf(page).locator('.signer[data-step=unchecked] .reason').textContent()).toMatch(
        /^The key you entered is not the key that the signature names/,
      )
      expect(await verdictOf(page).locator('.content').isVisible()).toBe(false)
    }
    await key.fill((await signer('Nobody')).getPublicKey())
    await expect.poll(() => stepsOf(page)).toEqual(['unchecked', 'unchecked'])
    expect(await stepOf(verdictOf(page))).toEqual(['unchecked', 'Could not check'])
    // With a key or without one: what was changed is not valid.
    const forged = { name: 'forged.txt', buffer: Buffer.from(Buffer.from(both).toString().replace('both', 'none')) }
    await choose(page, forged)
    await key.fill(other.getPublicKey())
    await expect.poll(() => stepsOf(page)).toEqual(['invalid', 'unchecked'])
    expect(await stepOf(verdictOf(page))).toEqual(['invalid', 'Not valid'])
  })
})
