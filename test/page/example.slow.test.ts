// The example when the data of its agent is gone.
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasNoBrowser, Site } from './site.ts'
import { createAgent, findingsIn } from './visitor.ts'

let site: Site
let context: BrowserContext
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(() => context?.close())
afterAll(() => site?.close())

describe.skipIf(hasNoBrowser)('the example page', () => {
  it('W01 asks what to do about an agent whose data is gone: a backup brings it back, or another one is made', async () => {
    context = await site.profile()
    const first = await site.example(context)
    await createAgent(first, 'Accounting')
    const id = (await first.locator('#profile-id').textContent()) ?? ''
    await first.getByText('Save a backup', { exact: true }).click()
    await first.getByLabel('Password for the backup').fill('correct horse battery')
    const saving = first.waitForEvent('download')
    await first.getByRole('button', { name: 'Save the backup' }).click()
    const backup = readFileSync(await (await saving).path())
    const lose = async (page: Page): Promise<Page> => {
      const session = await context.newCDPSession(page)
      await session.send('Storage.clearDataForOrigin', { origin: new URL(site.url).origin, storageTypes: 'indexeddb' })
      await page.close()
      return site.example(context)
    }
    const page = await lose(first)
    await page.getByText(`The agent ${id}`).waitFor()
    expect(await page.getByRole('button', { name: 'Create agent' }).isVisible()).toBe(false)
    expect(await findingsIn(page)).toEqual([])
    await page.getByLabel('Backup', { exact: true }).setInputFiles({ name: 'b', mimeType: 'text/json', buffer: backup })
    await page.getByLabel('Password of the backup').fill('wrong')
    await page.getByRole('button', { name: 'Restore the backup' }).click()
    await page.locator('#agent-problem:not(:empty)').waitFor()
    await page.getByLabel('Password of the backup').fill('correct horse battery')
    await page.getByRole('button', { name: 'Restore the backup' }).click()
    await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
    expect(await page.locator('#profile-id').textContent()).toBe(id)

    const next = await lose(page)
    await next.getByRole('button', { name: 'Create a new agent' }).click()
    await createAgent(next, 'Purchasing')
    const other = await next.locator('#profile-id').textContent()
    expect(other).not.toBe(id)
    await next.reload()
    await next.getByRole('button', { name: 'Copy agent document' }).waitFor()
    expect(await next.locator('#profile-id').textContent()).toBe(other)
  })
})
