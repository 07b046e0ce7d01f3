// What the tests of the example of agreements share: a browser, profiles in it, and what they look at.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { agreements, befriend, createSigner, saved } from './agreeing.ts'
import { hasNoBrowser, Site } from './site.ts'
import type { Given } from './visitor.ts'

export let site: Site
export const contexts: BrowserContext[] = []

/** Opens the browser before the tests of a file, and empties its profiles after each of them. */
export function browsing(): void {
  beforeAll(async () => {
    if (!hasNoBrowser) site = await Site.open()
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await site.leave(context)
  })
  afterAll(() => site?.close())
}

/** The page in a profile of its own, with an agent. */
export async function visit(name: string, look?: Parameters<typeof agreements>[2]): Promise<Page> {
  const context = await site.emptied()
  contexts.push(context)
  const page = await agreements(site, context, look)
  await createSigner(page, name)
  return page
}

export const TEXT = 'The rent is 900 a month.\nIt is due on the first.'

/** Two who trust each other. */
export async function acquainted(): Promise<[ada: Page, bob: Page]> {
  const [ada, bob] = [await visit('Ada'), await visit('Bob')]
  await befriend(ada, await saved(bob, 'Save my agent document'))
  await befriend(bob, await saved(ada, 'Save my agent document'))
  return [ada, bob]
}

export const changed = ({ name, buffer }: Given, from: string, to: string): Given => {
  const text = buffer.toString()
  expect(text).toContain(from)
  return { name, buffer: Buffer.from(text.replace(from, to)) }
}

export const isThere = (page: Page, button: string): Promise<boolean> =>
  page.getByRole('button', { name: button, exact: true }).isVisible()

export const ignoredIn = (page: Page): Promise<string[]> => page.locator('#ignored li').allTextContents()
