// The example of agreements in the looks that agreement.test.ts leaves out, its contrasts in all of them, and parties that
// do not sign.
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SxAgent } from '../../src/index.ts'
import type { AgreementPolicy, AgreementRole } from '../../src/simple.ts'
import { memoryStorage } from '../../src/storage/index.ts'
import { agreements, befriend, createSigner, open, partiesOf, saved, standing, walkThrough } from './agreeing.ts'
import { hasNoBrowser, Site } from './site.ts'
import { findingsIn, type Given, poorContrasts, textOf } from './visitor.ts'

let site: Site
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

describe.skipIf(hasNoBrowser)('the example of agreements', () => {
  it.each([
    ['light', 1280],
    ['light', 360],
    ['dark', 1280],
    ['dark', 360],
  ] as const)('can be read, %s at %i pixels', async (colorScheme, width) => {
    const visit: Parameters<typeof walkThrough>[0] = async (name) => {
      const context = await site.emptied()
      contexts.push(context)
      const page = await agreements(site, context, { colorScheme, viewport: { width, height: 800 } })
      await createSigner(page, name)
      return page
    }
    await walkThrough(visit, async (page) => {
      expect(await findingsIn(page)).toEqual([])
      expect(await page.evaluate(poorContrasts)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    })
  })

  /** The page in a profile of its own, with an agent. */
  async function visit(name: string): Promise<Page> {
    const context = await site.emptied()
    contexts.push(context)
    const page = await agreements(site, context)
    await createSigner(page, name)
    return page
  }

  const idOf = async (page: Page): Promise<string> => (await page.locator('#own-id').textContent()) ?? ''
  const explained = (page: Page): Promise<string | null> => page.locator('#agreement-role').textContent()
  const reason = (page: Page): Promise<string | null> => page.locator('#agreement-state .reason').first().textContent()
  const isThere = (page: Page, name: string): Promise<boolean> =>
    page.getByRole('button', { name, exact: true }).isVisible()

  /** Presses a button with the keyboard alone, and waits until the page has said that it is done. */
  async function type(page: Page, button: string, said: string): Promise<Given> {
    await page.locator('#agreement-text').focus()
    const focused = (): Promise<string | null> => page.evaluate(() => document.activeElement?.textContent ?? null)
    for (let tabs = 0; (await focused()) !== button; tabs++) {
      expect(tabs).toBeLessThan(5)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: said }).waitFor()
    await expect.poll(focused).toBe('Save the agreement')
    return saved(page, 'Save the agreement')
  }

  interface Signer {
    readonly agent: SxAgent
    readonly document: Given
    readonly agentId: string
  }

  /** Somebody who uses another program. */
  async function signer(name: string): Promise<Signer> {
    const password = 'correct horse battery staple'
    const { agent, agentId } = await SxAgent.create({ name, password, storage: memoryStorage() })
    return { agent, agentId, document: textOf(agent.exportAgent(), 'agent.json') }
  }

  /** An agreement that one signer has proposed and signed. */
  async function signedBy(
    { agent, agentId }: Signer,
    others: readonly { readonly role: AgreementRole; readonly agentId: string }[],
    policy: AgreementPolicy,
  ): Promise<Given> {
    const parties = [{ role: 'signer' as const, agentId }, ...others].map((one, at) => ({ ...one, partyId: `p${at}` }))
    const terms = { title: 'Rent', terms: 'The rent is 900.', termsFormat: 'text/plain' as const, parties, policy }
    const draft = await agent.createAgreementDoc(terms)
    await agent.proposeAgreement(draft.agreementId)
    return textOf((await agent.signAgreementDoc(draft.agreementId)).raw, 'rent.agreement.json')
  }

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
    expect(await open(nora, agreement)).toMatch(/: Nobody has signed yet\.$/)
    expect(await reason(nora)).toBe('Waiting for you.')
    await type(nora, 'Confirm the time', 'You have confirmed the time.')
    expect(await standing(nora)).toBe('Complete')
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
