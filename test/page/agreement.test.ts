// The example of agreements as people use it: two profiles, and files that go from one to the other.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  agreements,
  befriend,
  createSigner,
  open,
  partiesOf,
  propose,
  refused,
  saved,
  sign,
  standing,
  walkThrough,
} from './agreeing.ts'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'
import { createAgent, findingsIn, type Given, textOf } from './visitor.ts'

let site: Site
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

/** The page in a profile of its own, with an agent. */
async function visit(name: string, look?: Parameters<typeof agreements>[2]): Promise<Page> {
  const context = await site.emptied()
  contexts.push(context)
  const page = await agreements(site, context, look)
  await createSigner(page, name)
  return page
}

const TEXT = 'The rent is 900 a month.\nIt is due on the first.'

/** Two who trust each other. */
async function acquainted(look?: Parameters<typeof agreements>[2]): Promise<[ada: Page, bob: Page]> {
  const [ada, bob] = [await visit('Ada', look), await visit('Bob', look)]
  await befriend(ada, await saved(bob, 'Save my agent document'))
  await befriend(bob, await saved(ada, 'Save my agent document'))
  return [ada, bob]
}

const changed = ({ name, buffer }: Given, from: string, to: string): Given => {
  const text = buffer.toString()
  expect(text).toContain(from)
  return { name, buffer: Buffer.from(text.replace(from, to)) }
}

const isThere = (page: Page, button: string): Promise<boolean> =>
  page.getByRole('button', { name: button, exact: true }).isVisible()

const ignoredIn = (page: Page): Promise<string[]> => page.locator('#ignored li').allTextContents()

describe.skipIf(hasNoBrowser)('the example of agreements', () => {
  it('has two people sign one contract at the same moment, and both come to the same bytes', async () => {
    const [ada, bob] = await acquainted()
    const sent: string[] = []
    for (const page of [ada, bob]) {
      page.on('request', (request) => {
        const isOwn = request.url().startsWith(site.url) || request.url().startsWith('blob:')
        if (!isOwn || request.method() !== 'GET') sent.push(request.url())
      })
    }
    await propose(ada, 'Rent', TEXT, ['Bob'])
    expect(await standing(ada)).toBe('Nobody has signed yet')
    expect(await open(bob, await saved(ada, 'Save the agreement'))).toMatch(/: Nobody has signed yet\.$/)
    expect(await bob.locator('#agreement-text').textContent()).toBe(TEXT)
    expect(await bob.locator('#agreement-state .reason').first().textContent()).toBe('Waiting for Ada and you.')

    await Promise.all([sign(ada), sign(bob)]) // neither has seen the other one's signature
    expect([await standing(ada), await standing(bob)]).toEqual(['Partly signed', 'Partly signed'])
    const [byAda, byBob] = [await saved(ada, 'Save the agreement'), await saved(bob, 'Save the agreement')]
    expect(byAda.name).toBe('rent.agreement.json')
    expect(byAda.buffer.equals(byBob.buffer)).toBe(false)
    expect(await open(ada, byBob)).toMatch(/: Complete\.$/)
    expect(await open(bob, byAda)).toMatch(/: Complete\.$/)
    const copies = [await saved(ada, 'Save the agreement'), await saved(bob, 'Save the agreement')]
    expect(copies[0]?.buffer.equals(copies[1]?.buffer ?? Buffer.alloc(0))).toBe(true)
    for (const page of [ada, bob]) {
      expect(await standing(page)).toBe('Complete')
      expect((await partiesOf(page)).every((party) => party.includes('Signed on'))).toBe(true)
      expect(await ignoredIn(page)).toEqual([])
      expect(await isThere(page, 'Sign')).toBe(false)
      expect(await page.locator('#stored .state').textContent()).toBe('Complete')
    }

    const certificate = await saved(bob, 'Save the certificate')
    expect(certificate.name).toBe('rent.certificate.html')
    expect(certificate.buffer.toString()).toMatch(
      /^<!doctype html>[^]*Certificate of completion[^]*The rent is 900 a month/,
    )
    await bob.reload()
    await bob.getByRole('button', { name: 'Open' }).click()
    await bob.locator('#agreement').waitFor()
    expect(await standing(bob)).toBe('Complete')
    expect(sent).toEqual([])
    for (const page of [ada, bob]) expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('ends an agreement when a party declines, and says why to the others', async () => {
    const [ada, bob] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    await sign(ada)
    await open(bob, await saved(ada, 'Save the agreement'))
    await bob.getByText('Decline', { exact: true }).click()
    await bob.getByLabel('Why you decline').fill('Too <b>much</b>.')
    await bob.getByRole('button', { name: 'Decline this agreement' }).click()
    await bob.getByText('You have declined.').waitFor()
    expect(await open(ada, await saved(bob, 'Save the agreement'))).toMatch(/: Declined\.$/)
    const [, party] = await partiesOf(ada)
    expect(party).toMatch(/^Bob Declined on .*: “Too <b>much<\/b>\.”$/)
    for (const page of [ada, bob]) {
      expect([await isThere(page, 'Sign'), await isThere(page, 'Save the certificate')]).toEqual([false, false])
      expect(
        await page.locator('#declining, #withdrawing').evaluateAll((all) => all.some((one) => one.checkVisibility())),
      ).toBe(false)
    }
  })

  it('takes a signature back, which can be given again', async () => {
    const [ada] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    await sign(ada)
    await ada.getByText('Withdraw my signature').click()
    await ada.getByLabel('Why you withdraw it').fill('A typo.')
    await ada.getByLabel('Why you withdraw it').press('Enter')
    await ada.getByText('You have withdrawn your signature.').waitFor()
    expect(await standing(ada)).toBe('Nobody has signed yet')
    expect((await partiesOf(ada))[0]).toMatch(/^Ada This is you\. Withdrew the signature on .*: “A typo\.”$/)
    await sign(ada)
    expect(await standing(ada)).toBe('Partly signed')
    expect(await ignoredIn(ada)).toEqual(['A signature was withdrawn. (Withdrawn)'])
  })

  it('refuses a contract of which one byte was changed, whether it is known or not', async () => {
    const [ada, bob] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    await sign(ada)
    const genuine = await saved(ada, 'Save the agreement')
    const forged = changed(genuine, '900', '100')
    expect(await refused(bob, forged)).toMatch(/^This contract was changed after it was proposed\. Do not sign it\./)
    expect(await bob.locator('#agreement').isVisible()).toBe(false)
    expect(await bob.locator('#stored li').count()).toBe(0) // the genuine one can still be stored under its id
    expect(await open(bob, genuine)).toMatch(/: Partly signed\.$/)
    expect(await refused(bob, forged)).toMatch(/^This is not the contract that you have under the same id\./)
    expect(await bob.locator('#agreement-text').textContent()).toBe(TEXT)
    await sign(bob)
    expect(await standing(bob)).toBe('Complete')
  })

  it('lists a signature that was changed as one that does not count, and does not pass it on', async () => {
    const [ada, bob] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    const proposed = await saved(ada, 'Save the agreement')
    await sign(ada)
    const signed = await saved(ada, 'Save the agreement')
    const { events } = JSON.parse(signed.buffer.toString()) as { events: { type: string; signature: string }[] }
    const signature = events.find(({ type }) => type === 'sign')?.signature ?? ''
    const other = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
    expect(await open(bob, changed(signed, signature, other))).toMatch(/: Nobody has signed yet\.$/)
    expect(await ignoredIn(bob)).toEqual(['An entry was changed after it was signed, or is forged. (BadSignature)'])
    expect((await saved(bob, 'Save the agreement')).buffer.equals(proposed.buffer)).toBe(true)
  })

  it('says that a copy lacks what others have seen, and that it cannot be signed', async () => {
    const [ada, bob] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    await sign(ada)
    const { name, buffer } = await saved(ada, 'Save the agreement')
    const { events, ...rest } = JSON.parse(buffer.toString()) as { events: { type: string }[] }
    const lacking = JSON.stringify({ ...rest, events: events.filter(({ type }) => type !== 'propose') })
    expect(await open(bob, textOf(lacking, name))).toMatch(/: This copy is not whole\.$/)
    expect(await bob.locator('#agreement-state .reason').first().textContent()).toBe(
      'Others have seen 1 entry that this copy lacks.',
    )
    expect([await isThere(bob, 'Sign'), await isThere(bob, 'Propose')]).toEqual([false, false])
    expect(await open(bob, { name, buffer })).toMatch(/: Partly signed\.$/)
    await sign(bob)
    expect(await standing(bob)).toBe('Complete')
  })

  it('says in a second tab that the first one has signed', async () => {
    const [ada] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    const tab = await agreements(site, ada.context())
    await tab.getByRole('button', { name: 'Open' }).click()
    await tab.locator('#agreement').waitFor()
    await sign(ada)
    await tab.getByRole('button', { name: 'Sign', exact: true }).click()
    await tab.getByText('You have signed it already, in another tab.').waitFor()
    expect([await standing(tab), await isThere(tab, 'Sign')]).toEqual(['Partly signed', false])
    expect(
      (await saved(tab, 'Save the agreement')).buffer.equals((await saved(ada, 'Save the agreement')).buffer),
    ).toBe(true)
  })

  it('has the agent of the page for documents, and links lead there and back', async () => {
    const context = await site.emptied()
    contexts.push(context)
    const page = await site.example(context)
    await createAgent(page, 'Ada')
    const id = await page.locator('#profile-id').textContent()
    await page.getByRole('link', { name: 'sign a contract with others' }).click()
    await page.getByRole('heading', { name: 'Agreements', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save my agent document' }).waitFor()
    expect(await page.locator('#own-id').textContent()).toBe(id)
    await page.getByRole('link', { name: 'Another one' }).click()
    await page.getByRole('heading', { name: 'Signed documents' }).waitFor()
  })

  it('asks for the agent document of a signer that it does not know, and goes on when that is trusted', async () => {
    const [ada, bob] = [await visit('Ada'), await visit('Bob')]
    await befriend(ada, await saved(bob, 'Save my agent document'))
    await propose(ada, 'Rent', TEXT, ['Bob'])
    await sign(ada)
    const problem = await refused(bob, await saved(ada, 'Save the agreement'))
    expect(problem).toMatch(
      /^No party that has signed this agreement is in your trust list\. Ask the sender for their agent/,
    )
    expect(await bob.locator('#agreement').isVisible()).toBe(false)
    await befriend(bob, await saved(ada, 'Save my agent document'))
    await bob.locator('#agreement').waitFor()
    expect(await standing(bob)).toBe('Partly signed')
    // What is shown rests on the list.
    await bob.getByRole('button', { name: 'Remove' }).click()
    await bob.locator('#agreement').waitFor({ state: 'hidden' })
    // The list is read again once the sheet is gone.
    await bob.locator('#stored .state', { hasText: 'Nobody who signed it is in your trust list' }).waitFor()
  })

  it('says what is wrong with a file', async () => {
    const [ada, bob] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    const agreement = await saved(ada, 'Save the agreement')
    const agent = await saved(ada, 'Save my agent document')
    const picture = { name: 'cat.png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) }
    const neither = /^“.*” is neither an agreement nor an agent document\. Ask the sender/
    for (const [file, says] of [
      [picture, neither],
      [textOf('hello'), neither],
      [textOf('{"amount": 1}', 'doc.json'), neither],
      [
        { ...agreement, buffer: agreement.buffer.subarray(0, 500) },
        /^“rent.*” is damaged or incomplete\. Ask the sender/,
      ],
      [changed(agreement, '"sxId"', '"sxIt"'), /Ask the sender for the complete, unchanged file\.$/],
      [changed(agent, 'Ada', 'Eve'), /changed/],
    ] as const) {
      expect(await refused(bob, file)).toMatch(says)
      expect(
        await bob.locator('#agreement, #candidate').evaluateAll((all) => all.some((one) => one.checkVisibility())),
      ).toBe(false)
    }
    const other = await site.emptied()
    contexts.push(other)
    expect(await refused(await agreements(site, other), agreement)).toBe(
      'You have no agent yet. Create your agent first.',
    )
  })

  it('shows an agreement of others to read, and neither stores nor signs it', async () => {
    const [ada] = await acquainted()
    const eve = await visit('Eve')
    await befriend(eve, await saved(ada, 'Save my agent document'))
    await propose(ada, 'Rent', TEXT, ['Bob'])
    await open(eve, await saved(ada, 'Save the agreement'))
    expect(await eve.locator('#agreement-role').textContent()).toMatch(/^You are no party of this agreement\./)
    expect([await isThere(eve, 'Sign'), await eve.locator('#declining').isVisible()]).toEqual([false, false])
    expect(await eve.locator('#stored li').count()).toBe(0)
    expect((await partiesOf(eve))[1]).toMatch(/^Bob Not in your trust list: the name is what the contract says\./)
  })

  it('shows texts and names as they are, never as markup', async () => {
    const [ada, bob] = [await visit('<i>Ada</i>'), await visit('Bob\u202E')]
    await befriend(ada, await saved(bob, 'Save my agent document'))
    await befriend(bob, await saved(ada, 'Save my agent document'))
    const title = '<img src=x onerror=alert(1)>'
    await propose(ada, title, '<script>alert(1)</script>\u200B900', ['Bob'])
    await open(bob, await saved(ada, 'Save the agreement'))
    for (const page of [ada, bob]) {
      expect(await page.locator('#agreement-title').textContent()).toBe(title)
      expect(await page.locator('#agreement-text').textContent()).toBe('<script>alert(1)</script>U+200B900')
      expect((await partiesOf(page)).map((party) => party.split(' ')[0])).toEqual(['<i>Ada</i>', 'BobU+202E'])
      expect(await page.locator('#agreement img, #agreement script, #agreement i').count()).toBe(0)
      expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
    }
  })

  it('takes a deadline that is to come, and parties', async () => {
    const [ada] = await acquainted()
    await ada.getByLabel('Title').fill('Rent')
    await ada.getByLabel('Text', { exact: true }).fill(TEXT)
    const problem = ada.locator('#write-problem:not(:empty)')
    await ada.getByRole('button', { name: 'Propose this contract' }).click()
    await problem.waitFor()
    expect(await problem.textContent()).toBe('Nobody is chosen who signs with you. Correct your input.')
    await ada.getByRole('checkbox', { name: 'Bob' }).check()
    await ada.getByLabel('Deadline').fill('2020-01-01T12:00')
    await ada.getByRole('button', { name: 'Propose this contract' }).click()
    await ada.getByText('The deadline has passed already.').waitFor()
    expect(await ada.locator('#stored li').count()).toBe(0)
    await ada.getByLabel('Deadline').fill('2099-12-31T12:00')
    await ada.getByRole('button', { name: 'Propose this contract' }).click()
    await ada.getByText('You have proposed it.').waitFor()
    expect(await ada.locator('#agreement-state .facts').first().textContent()).toMatch(/Sign by.*2099/)
  })

  it('can be signed with the keyboard alone, and says what was done', async () => {
    const [ada, bob] = await acquainted()
    await propose(ada, 'Rent', TEXT, ['Bob'])
    await sign(ada)
    const { name, buffer } = await saved(ada, 'Save the agreement')
    await bob.locator('#file').focus()
    await bob.locator('#file').setInputFiles({ name, mimeType: 'application/json', buffer }) // no test can type into a dialog
    const focused = (): Promise<string> => bob.evaluate(() => document.activeElement?.id ?? '')
    await expect.poll(focused).toBe('agreement')
    const outline = (): Promise<string> =>
      bob.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineWidth)
    expect(await outline()).toBe('3px')
    await bob.keyboard.press('Tab')
    expect(await focused()).toBe('agreement-text')
    await bob.keyboard.press('Tab') // all terms
    await bob.keyboard.press('Tab')
    expect([await focused(), await outline()]).toEqual(['sign', '3px'])
    await bob.keyboard.press('Enter')
    await bob.getByRole('status').filter({ hasText: 'You have signed. Save the agreement' }).waitFor()
    await expect.poll(focused).toBe('save-agreement')
    const saving = bob.waitForEvent('download')
    await bob.keyboard.press('Enter')
    expect((await saving).suggestedFilename()).toBe('rent.agreement.json')
    expect(await standing(bob)).toBe('Complete')
  })

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('has no findings of axe and fits, %s at %i pixels', async (colorScheme, width) => {
    await walkThrough(
      (name) => visit(name, { colorScheme, viewport: { width, height: 800 } }),
      async (page) => {
        expect(await findingsIn(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      },
    )
  })
})
