// What a visitor tries first in the example: samples, signing and tampering; agent documents as files and links; backups.
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { HANGING } from '../pace.ts'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'
import { choose, copied, createAgent, fileOf, findingsIn, stepOf, textOf, verdictOf } from './visitor.ts'

let site: Site
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

async function visit(look?: Parameters<Site['example']>[2]): Promise<Page> {
  const context = await site.emptied()
  contexts.push(context)
  return site.example(context, site.url, look)
}

async function saved(page: Page, name: string): Promise<{ name: string; buffer: Buffer }> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name }).click()
  const download = await downloading
  return { name: download.suggestedFilename(), buffer: readFileSync(await download.path()) }
}

const step = async (page: Page, expected: string): Promise<void> =>
  page.locator(`#media-verdict [data-step=${expected}]`).waitFor()

describe.skipIf(hasNoBrowser)('a visitor of the example page', () => {
  it.each(['picture', 'text'])('signs a sample %s, sees the verdict renewed, and tampers with it', async (kind) => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    await page.getByRole('button', { name: `Try a sample ${kind}` }).click()
    await step(page, 'unsigned')
    await page.locator('#media-sign button').click()
    await step(page, 'trusted')
    expect(await page.locator('#media-verdict').textContent()).toContain('Accounting (your agent)')
    await page.getByRole('button', { name: 'Tamper with it' }).click()
    await step(page, 'invalid')
    expect(await page.locator('#subject-name').textContent()).toMatch(/-changed\./)
    expect(await page.locator('#media-verdict').textContent()).toMatch(
      /was changed after it was signed[^]*Claimed signer/,
    )
    expect(await page.locator('#media-done').isVisible()).toBe(false)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('finds room in the pixels of the sample picture', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    await page.getByRole('button', { name: 'Try a sample picture' }).click()
    await expect.poll(() => page.locator('#robust-hint').textContent(), { timeout: HANGING }).toContain('are available')
    await page.getByLabel('Sign the pixels too').check()
    await page.locator('#media-sign button').click()
    await step(page, 'trusted')
    expect(await page.locator('#media-verdict').textContent()).toContain('The whole file.')
  })

  it('is told that a picture is broken, and sees one that is not', async () => {
    const page = await visit()
    const { buffer } = fileOf('photo.jpg')
    await choose(page, { name: 'cut.jpg', buffer: buffer.subarray(0, 300) })
    await page.getByText('The browser cannot show this picture: it is damaged or incomplete.').waitFor()
    expect(await page.locator('#preview').isVisible()).toBe(false)
    await choose(page, fileOf('photo.jpg'))
    await page.locator('#preview').waitFor()
    expect(await page.locator('#broken').isVisible()).toBe(false)
    await choose(page, { name: 'cut.jpg', buffer: buffer.subarray(0, 300) })
    await page.locator('#broken').waitFor()
    await choose(page, textOf('x'))
    expect(await page.locator('#broken').isVisible()).toBe(false)
  })

  it('passes an agent document on as a file, which is chosen or dropped', async () => {
    const sender = await visit()
    await createAgent(sender, 'Purchasing')
    const keyId = (await sender.locator('#profile-key-id').textContent()) ?? ''
    const file = await saved(sender, 'Save agent document')
    expect(file.name).toBe('agent.json')
    const page = await visit()
    await createAgent(page, 'Accounting')
    await page.getByLabel('Or choose a file').setInputFiles({ ...file, mimeType: 'application/json' })
    await expect.poll(() => page.locator('#candidate-key-id').textContent()).toBe(keyId)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#file').setInputFiles({ ...file, mimeType: 'application/json' })
    await page.locator('#candidate').waitFor()
    await page.getByRole('button', { name: 'The key id matches: trust this agent' }).click()
    await page.getByText('You now trust Purchasing.').waitFor()
    await page.getByLabel('Or choose a file').setInputFiles({ ...textOf('no document'), mimeType: 'text/plain' })
    await page.locator('#trust-problem:not(:empty)').waitFor()
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('passes an agent document on as a link, which asks and trusts nobody, also one with the long key of ML-DSA-87', async () => {
    const made = (algorithm: 'ed25519' | 'pq2025') =>
      SxAgent.create({ name: 'Käufer 🛒', algorithm, password: 'correct horse 7', storage: memoryStorage() })
    const { agent } = await made('ed25519')
    const sender = await visit()
    await createAgent(sender, 'Purchasing')
    const own = await copied(sender, 'Copy link to it')
    expect(own).toMatch(/^http:\/\/localhost:\d+\/#agent=[\w-]+$/)
    const of = (document: string): string => `${own.split('#')[0]}#agent=${Buffer.from(document).toString('base64url')}`
    expect(own).toBe(of(await copied(sender, 'Copy agent document')))

    const page = await visit()
    await page.goto(of(agent.exportAgent()))
    await expect.poll(() => page.url().length).toBeLessThan(60)
    await createAgent(page, 'Accounting') // nothing to trust it with before
    await page.locator('#candidate').waitFor()
    expect(await page.locator('#candidate-name').textContent()).toBe('Käufer 🛒')
    expect(await page.locator('#candidate-key-id').textContent()).toBe(agent.getAgentInfo()?.keyId)
    expect(await page.locator('#trusted li').count()).toBe(0)
    await page.reload()
    await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
    expect(await page.locator('#candidate').isVisible()).toBe(false)
    const { agent: long } = await made('pq2025')
    await page.goto(of(long.exportAgent()))
    await page.locator('#candidate').waitFor()
    expect(await page.locator('#candidate-key-id').textContent()).toBe(long.getAgentInfo()?.keyId)
    await expect.poll(() => page.url().length).toBeLessThan(60)
    expect(await page.locator('#trusted li').count()).toBe(0)
    for (const [hash, text] of [
      ['#agent=%%%', '%%%'],
      ['#agent=e30', '{}'],
      ['#agent=_w', '\ufffd'],
    ] as const) {
      await page.evaluate((bad) => {
        location.hash = bad
      }, hash)
      await expect.poll(() => page.getByLabel('Agent document to add').inputValue()).toBe(text)
      await page.locator('#trust-problem:not(:empty)').waitFor()
      expect(await page.locator('#candidate').isVisible()).toBe(false)
    }
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('restores a backup in another browser, and opens the agent with its password', async () => {
    const first = await visit()
    await createAgent(first, 'Accounting')
    const id = (await first.locator('#profile-id').textContent()) ?? ''
    await first.getByText('Save a backup', { exact: true }).click()
    await first.getByLabel('Password for the backup').fill('correct horse battery')
    const { buffer } = await saved(first, 'Save the backup')

    const page = await visit()
    await page.getByText('Restore a backup', { exact: true }).click()
    expect(await findingsIn(page)).toEqual([])
    await page.getByLabel('Backup', { exact: true }).setInputFiles({ name: 'b', mimeType: 'text/json', buffer })
    await page.getByLabel('Password of the backup').fill('wrong')
    await page.getByRole('button', { name: 'Restore the backup' }).click()
    await page.getByText('This password does not decrypt the private key.').waitFor()
    await page.reload()
    await page.getByLabel('Password of your agent').fill('wrong')
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByText('This password does not decrypt the private key.').waitFor()
    expect(await findingsIn(page)).toEqual([])
    await page.getByLabel('Password of your agent').fill('correct horse battery')
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
    expect(await page.locator('#profile-id').textContent()).toBe(id)
    expect(await page.locator('#restoring, #unlock, #create').filter({ visible: true }).count()).toBe(0)
  })

  it('sees the verdict first on a phone, and beside the picture on a wide screen', async () => {
    for (const [width, isFirst] of [
      [360, true],
      [1280, false],
    ] as const) {
      const page = await visit({ viewport: { width, height: 900 } })
      expect(await stepOf(await choose(page, fileOf('photo.jpg')))).toEqual(['unsigned', 'No signature found'])
      const verdict = await verdictOf(page).boundingBox()
      const picture = await page.locator('.seen').boundingBox()
      expect({ width, isFirst: (verdict?.y ?? 0) + 50 < (picture?.y ?? 0) }).toEqual({ width, isFirst })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
  })
})
