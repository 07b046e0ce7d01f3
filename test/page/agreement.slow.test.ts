// What the example of agreements says in each of its states and to each role, and what it looks like.
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import {
  agreements,
  befriend,
  open,
  partiesOf,
  propose,
  refused,
  saved,
  sign,
  standing,
  walkThrough,
} from './agreeing.ts'
import { acquainted, browsing, changed, contexts, ignoredIn, isThere, site, TEXT, visit } from './parties.ts'
import { idOf, signedBy, signer, type } from './signers.ts'
import { hasNoBrowser } from './site.ts'
import { createAgent, findingsIn, poorContrasts, textOf } from './visitor.ts'

browsing()

describe.skipIf(hasNoBrowser)('the example of agreements', () => {
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

  it('has no findings of axe and fits, dark at 360 pixels', async () => {
    await walkThrough(
      (name) => visit(name, { colorScheme: 'dark', viewport: { width: 360, height: 800 } }),
      async (page) => {
        expect(await findingsIn(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
      },
    )
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
    ['light', 360],
    ['dark', 1280],
    ['dark', 360],
  ] as const)('can be read, %s at %i pixels', async (colorScheme, width) => {
    await walkThrough(
      (name) => visit(name, { colorScheme, viewport: { width, height: 800 } }),
      async (page) => {
        expect(await findingsIn(page)).toEqual([])
        expect(await page.evaluate(poorContrasts)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      },
    )
  })

  const explained = (page: Page): Promise<string | null> => page.locator('#agreement-role').textContent()
  const reason = (page: Page): Promise<string | null> => page.locator('#agreement-state .reason').first().textContent()

  it('has a witness and a notary confirm what others have signed, with the keyboard alone', async () => {
    const ada = await signer('Ada')
    const [wim, nora, olga] = [await visit('Wim'), await visit('Nora'), await visit('Olga')]
    const others = [
      { role: 'witness', agentId: await idOf(wim) },
      { role: 'notary', agentId: await idOf(nora) },
      { role: 'observer', agentId: await idOf(olga) },
    ] as const
    const agreement = await signedBy(ada, others, { witnesses: 1, notaries: 1 })
    for (const page of [wim, nora, olga]) await befriend(page, ada.document)

    await open(olga, agreement)
    expect(await explained(olga)).toBe('You are an observer. You read along, and do not sign.')
    await open(wim, agreement)
    expect(await explained(wim)).toMatch(/^You are a witness\. /)
    for (const button of ['Sign', 'Confirm the time']) expect(await isThere(wim, button)).toBe(false)
    for (const button of ['Sign', 'Confirm the signatures', 'Confirm the time']) {
      expect(await isThere(olga, button)).toBe(false)
    }
    expect(await findingsIn(wim)).toEqual([])
    const witnessed = await type(wim, 'Confirm the signatures', 'You have confirmed the signatures.')
    expect(await isThere(wim, 'Confirm the signatures')).toBe(false)

    await befriend(nora, await saved(wim, 'Save my agent document'))
    expect(await open(nora, witnessed)).toMatch(/: Partly signed\.$/)
    expect(await explained(nora)).toMatch(/^You are a notary\. /)
    expect(await isThere(nora, 'Confirm the signatures')).toBe(false)
    const notarized = await type(nora, 'Confirm the time', 'You have confirmed the time.')
    expect(await standing(nora)).toBe('Complete')
    expect(await isThere(nora, 'Confirm the time')).toBe(false) // nothing is new since then
    expect((await partiesOf(nora)).filter((party) => party.includes('Confirmed it on'))).toHaveLength(2)
    ada.agent.trustAgent((await saved(wim, 'Save my agent document')).buffer.toString())
    ada.agent.trustAgent((await saved(nora, 'Save my agent document')).buffer.toString())
    expect((await ada.agent.importAgreement(notarized.buffer.toString())).status).toBe('complete')
  })

  it('waits for a notary where the time of a signature has to be proved', async () => {
    const ada = await signer('Ada')
    const nora = await visit('Nora')
    const agreement = await signedBy(ada, [{ role: 'notary', agentId: await idOf(nora) }], { timeProof: 'notary' })
    await befriend(nora, ada.document)
    expect(await open(nora, agreement)).toMatch(/: Signed, but no notary has confirmed the date yet\.$/)
    expect(await reason(nora)).toBe('Waiting for you.')
    expect((await partiesOf(nora))[0]).toMatch(/Signed on .*, but no notary has confirmed the date yet\.$/)
    await type(nora, 'Confirm the time', 'You have confirmed the time.')
    expect(await standing(nora)).toBe('Complete')
    expect((await partiesOf(nora))[0]).not.toContain('confirmed the date yet')
  })

  it('offers to withdraw a signature that waits for a notary, and to decline then', async () => {
    const [ada, nora] = [await signer('Ada'), await signer('Nora')]
    const bob = await visit('Bob')
    const others = [
      { role: 'signer', agentId: await idOf(bob) },
      { role: 'notary', agentId: nora.agentId },
    ] as const
    const agreement = await signedBy(ada, others, { timeProof: 'notary' })
    for (const one of [ada, nora]) await befriend(bob, one.document)
    await open(bob, agreement)
    expect(await reason(bob)).toBe('Waiting for you and Nora.')
    const isOffered = (id: string): Promise<boolean> => bob.locator(id).isVisible()
    expect([await isOffered('#declining'), await isOffered('#withdrawing')]).toEqual([true, false])
    await sign(bob)
    expect(await standing(bob)).toBe('Signed, but no notary has confirmed the date yet')
    expect((await partiesOf(bob))[1]).toMatch(/This is you\. Signed on .*, but no notary has confirmed the date yet\.$/)
    expect(await isThere(bob, 'Sign')).toBe(false)
    expect([await isOffered('#declining'), await isOffered('#withdrawing')]).toEqual([false, true])
    expect(await findingsIn(bob)).toEqual([])
    await bob.getByText('Withdraw my signature').click()
    await bob.getByRole('button', { name: 'Withdraw it' }).click()
    await bob.getByText('You have withdrawn your signature.').waitFor()
    expect([await isOffered('#declining'), await isOffered('#withdrawing')]).toEqual([true, false])
    await bob.getByText('Decline', { exact: true }).click()
    await bob.getByLabel('Why you decline').fill('No.')
    await bob.getByRole('button', { name: 'Decline this agreement' }).click()
    await bob.getByText('You have declined.').waitFor()
    expect(await standing(bob)).toBe('Declined')
  })

  it('says whom to trust if only the proposer is unknown', async () => {
    const [ada, bob] = [await signer('Ada'), await signer('Bob')]
    const carol = await visit('Carol')
    const parties = [bob.agentId, await idOf(carol)].map((agentId) => ({ role: 'signer' as const, agentId }))
    const proposed = await signedBy(ada, parties, {})
    bob.agent.trustAgent(ada.agent.exportAgent())
    const signed = textOf((await bob.agent.signAgreementDoc(proposed.buffer.toString())).raw, proposed.name)
    await befriend(carol, bob.document)
    expect(await open(carol, signed)).toMatch(/: A signer is not in your trust list\.$/)
    expect(await reason(carol)).toBe('Others have signed after an entry whose signer is not in your trust list.')
    expect([await isThere(carol, 'Sign'), await isThere(carol, 'Propose')]).toEqual([false, false])
    await befriend(carol, ada.document)
    await carol.locator('#agreement-state .title', { hasText: 'Partly signed' }).waitFor()
    expect(await isThere(carol, 'Sign')).toBe(true)
  })
})
