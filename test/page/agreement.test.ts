// The example of agreements as people use it: two profiles, and files that go from one to the other. What else the page
// says is in agreement.slow.test.ts.
import { describe, expect, it } from 'vitest'
import { befriend, open, partiesOf, propose, refused, saved, sign, standing } from './agreeing.ts'
import { acquainted, browsing, changed, ignoredIn, isThere, site, TEXT, visit } from './parties.ts'
import { complaintsOf, hasNoBrowser } from './site.ts'

browsing()

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
})
