// People who use another program than the example of agreements, and what the tests do with the keyboard alone.
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { SxAgent } from '../../src/index.ts'
import type { AgreementPolicy, AgreementRole } from '../../src/simple.ts'
import { memoryStorage } from '../../src/storage/index.ts'
import { saved } from './agreeing.ts'
import { type Given, textOf } from './visitor.ts'

export const idOf = async (page: Page): Promise<string> => (await page.locator('#own-id').textContent()) ?? ''

/** Presses a button with the keyboard alone, and waits until the page has said that it is done. */
export async function type(page: Page, button: string, said: string): Promise<Given> {
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

export interface Signer {
  readonly agent: SxAgent
  readonly document: Given
  readonly agentId: string
}

/** Somebody who uses another program. */
export async function signer(name: string): Promise<Signer> {
  const password = 'correct horse battery staple'
  const { agent, agentId } = await SxAgent.create({ name, password, storage: memoryStorage() })
  return { agent, agentId, document: textOf(agent.exportAgent(), 'agent.json') }
}

/** An agreement that one signer has proposed and signed. */
export async function signedBy(
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
