// What parties do on the example page of agreements besides signing: let another one sign, dispute, and settle.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { befriend, open, partiesOf, saved, sign, standing } from './agreeing.ts'
import { browsing, isThere, visit } from './parties.ts'
import { idOf, signedBy, signer, type } from './signers.ts'
import { hasNoBrowser } from './site.ts'
import { findingsIn, poorContrasts, textOf } from './visitor.ts'

browsing()

/** The page as a phone shows it: no findings of axe, and nothing that is wider than the screen. */
const PHONE = { colorScheme: 'dark', viewport: { width: 360, height: 800 } } as const

async function expectSound(page: Page): Promise<void> {
  expect(await findingsIn(page)).toEqual([])
  expect(await page.evaluate(poorContrasts)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
}

/** Opens a form and fills it in with the keyboard alone, and sends it. */
async function typeInto(page: Page, summary: string, fill: () => Promise<void>, said: string): Promise<void> {
  await page.locator('summary', { hasText: summary }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await fill()
  await expectSound(page)
  await page.keyboard.press('Enter')
  await page.getByRole('status').filter({ hasText: said }).waitFor()
}

const isOffered = (page: Page, id: string): Promise<boolean> => page.locator(id).isVisible()

describe.skipIf(hasNoBrowser)('the example of agreements', () => {
  it('lets another party sign, who signs for it', async () => {
    const ada = await signer('Ada')
    const [bob, carol] = [await visit('B'.repeat(200), PHONE), await visit('Carol', PHONE)]
    const others = [
      { role: 'signer', agentId: await idOf(bob) },
      { role: 'observer', agentId: await idOf(carol) },
    ] as const
    const [allowed, forbidden] = [
      await signedBy(ada, others, { delegation: 'listed' }),
      await signedBy(ada, others, { delegation: 'none' }),
    ]
    for (const page of [bob, carol]) await befriend(page, ada.document)
    await befriend(bob, await saved(carol, 'Save my agent document'))
    await befriend(carol, await saved(bob, 'Save my agent document'))
    await open(bob, forbidden)
    expect(await isOffered(bob, '#delegating')).toBe(false)
    await open(bob, allowed)
    const choose = (): Promise<void> => bob.keyboard.press('ArrowDown') // from Ada to Carol
    await typeInto(bob, 'Let another agent sign for me', choose, 'You have let another agent sign for you.')
    expect((await partiesOf(bob))[1]).toMatch(/Let another agent sign on /)
    const delegated = await saved(bob, 'Save the agreement')

    await open(carol, delegated)
    expect([await isThere(carol, 'Sign'), await isOffered(carol, '#delegating')]).toEqual([false, false])
    expect(await carol.locator('#delegations li').count()).toBe(1)
    await expectSound(carol)
    const signed = await type(carol, 'Sign in this place', 'You have signed for another party.')
    expect(await standing(carol)).toBe('Complete')
    expect(await isOffered(carol, '#delegations')).toBe(false)
    await open(bob, signed)
    expect((await partiesOf(bob))[1]).toMatch(/This is you\. Signed on .*, by another agent \(/)
    expect(await isOffered(bob, '#delegating')).toBe(false)
  })

  it('marks an agreement as disputed until enough parties have settled it', async () => {
    const ada = await signer('Ada')
    const bob = await visit('Bob', PHONE)
    const agreement = await signedBy(ada, [{ role: 'signer', agentId: await idOf(bob) }], {})
    await befriend(bob, ada.document)
    await open(bob, agreement)
    expect(await isOffered(bob, '#disputing')).toBe(false)
    await sign(bob)
    const write = (): Promise<void> => bob.keyboard.type('It <b>leaks</b>. '.repeat(40))
    await typeInto(bob, 'Dispute', write, 'You have disputed the agreement.')
    expect(await standing(bob)).toBe('Complete, but disputed')
    expect(await bob.locator('#disputes li').textContent()).toMatch(/Bob[^]*“It <b>leaks<\/b>\. /)
    await expectSound(bob)
    const settled = await type(bob, 'Settle this dispute', 'You have agreed that the dispute is settled.')
    expect([await standing(bob), await isThere(bob, 'Settle this dispute')]).toEqual(['Complete, but disputed', false])
    expect(await bob.locator('#disputes li').count()).toBe(1)

    ada.agent.trustAgent((await saved(bob, 'Save my agent document')).buffer.toString())
    const { history } = await ada.agent.verifyAgreement(settled.buffer.toString())
    const dispute = history.find((event) => event.type === 'dispute')?.eventId ?? ''
    const { raw, status } = await ada.agent.resolveDispute(settled.buffer.toString(), dispute)
    expect(status).toBe('complete')
    await open(bob, textOf(raw, 'rent.agreement.json'))
    expect([await standing(bob), await isOffered(bob, '#disputes')]).toEqual(['Complete', false])
    expect(await isOffered(bob, '#disputing')).toBe(true)
  })
})
