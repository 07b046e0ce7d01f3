// What visitors of the example of agreements do: files go from one profile to the other.
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright'
import type { Site } from './site.ts'
import type { Given } from './visitor.ts'

/** A tab with the example of agreements. */
export const agreements = (site: Site, context: BrowserContext, look?: Parameters<Site['example']>[2]): Promise<Page> =>
  site.example(context, `${site.url}agreement/`, look)

export async function createSigner(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('button', { name: 'Save my agent document' }).waitFor()
}

/** The file that a button saves. */
export async function saved(page: Page, button: string): Promise<Given> {
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const download = await saving
  return { name: download.suggestedFilename(), buffer: readFileSync(await download.path()) }
}

/** Drops a file onto the page. */
async function drop(page: Page, { name, buffer }: Given): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], name))
      return transfer
    },
    [name, buffer.toString('base64')] as const,
  )
  await page.dispatchEvent('body', 'drop', { dataTransfer })
  await dataTransfer.dispose()
}

/** Trusts the agent of a document. */
export async function befriend(page: Page, agent: Given): Promise<void> {
  await drop(page, agent)
  await page.getByRole('button', { name: 'The key id matches: trust this agent' }).click()
  await page.getByText('You now trust').waitFor()
}

/** Writes a contract and proposes it. */
export async function propose(page: Page, title: string, text: string, others: readonly string[]): Promise<void> {
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Text', { exact: true }).fill(text)
  for (const other of others) await page.getByRole('checkbox', { name: other }).check()
  await page.getByRole('button', { name: 'Propose this contract' }).click()
  await page.getByText('You have proposed it.').waitFor()
}

/** Opens an agreement, and waits until the page says where it stands. */
export async function open(page: Page, agreement: Given): Promise<string> {
  await drop(page, agreement)
  const note = page.locator('#file-note:not(:empty)')
  await note.waitFor()
  return (await note.textContent()) ?? ''
}

/** What the page says of a file that it refuses. */
export async function refused(page: Page, file: Given): Promise<string> {
  await drop(page, file)
  const problem = page.locator('#file-problem:not(:empty)')
  await problem.waitFor()
  return (await problem.textContent()) ?? ''
}

export async function sign(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByText('You have signed.').waitFor()
}

/** Where the agreement that is shown stands. */
export async function standing(page: Page): Promise<string> {
  return (await page.locator('#agreement-state .title').first().textContent()) ?? ''
}

/** Each party's name and what is said of it. */
export function partiesOf(page: Page): Promise<string[]> {
  const items = page.locator('#agreement-state .signer')
  return items.evaluateAll((all) => all.map((one) => (one as HTMLElement).innerText.replaceAll(/\s+/g, ' ').trim()))
}

/**
 * Goes through all that the page looks like, with names and texts that have no place to break.
 *
 * @param visit opens the page in a profile of its own, with an agent
 * @param check looks at a page
 */
export async function walkThrough(
  visit: (name: string) => Promise<Page>,
  check: (page: Page) => Promise<void>,
): Promise<void> {
  const [ada, bob] = [await visit('A'.repeat(200)), await visit('Bob')]
  await check(ada)
  await drop(ada, await saved(bob, 'Save my agent document'))
  await ada.locator('#candidate').waitFor()
  await check(ada)
  await befriend(ada, await saved(bob, 'Save my agent document'))
  await propose(ada, 'T'.repeat(150), 'W'.repeat(500), ['Bob'])
  await check(ada)
  await sign(ada)
  await ada.getByText('Withdraw my signature').click()
  await check(ada)
  const agreement = await saved(ada, 'Save the agreement')
  await refused(bob, agreement)
  await check(bob)
  await befriend(bob, await saved(ada, 'Save my agent document'))
  await bob.locator('#agreement').waitFor()
  await bob.getByText('All terms, as they are signed').click()
  await bob.getByText('Decline', { exact: true }).click()
  await check(bob)
  await sign(bob)
  await check(bob)
  await ada.getByLabel('Why you withdraw it').fill('R'.repeat(500))
  await ada.getByRole('button', { name: 'Withdraw it' }).click()
  await ada.getByText('You have withdrawn your signature.').waitFor()
  await ada.getByText('Decline', { exact: true }).click()
  await ada.getByLabel('Why you decline').fill('R'.repeat(500))
  await ada.getByRole('button', { name: 'Decline this agreement' }).click()
  await ada.getByText('You have declined.').waitFor()
  await check(ada)
}
