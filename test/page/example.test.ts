// The example as people use it: mouse, keyboard, reload, and what it says.
import type { BrowserContext, Locator, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'

let site: Site
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
})
afterAll(() => site?.close())

async function visit(options?: Parameters<Site['profile']>[0]): Promise<Page> {
  const context = await site.profile({ permissions: ['clipboard-read', 'clipboard-write'], ...options })
  contexts.push(context)
  return site.example(context)
}

async function createAgent(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Ed25519').check()
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
}

async function copied(page: Page, name: string): Promise<string> {
  const button = await page.getByRole('button', { name }).elementHandle()
  await button?.click()
  await page.waitForFunction((button) => button?.textContent === 'Copied', button)
  return page.evaluate(() => navigator.clipboard.readText())
}

async function sign(page: Page, text: string): Promise<string> {
  await page.getByLabel('Document', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.locator('#signed').waitFor()
  return page.locator('#signed-text').inputValue()
}

async function verify(page: Page, document: string): Promise<Locator> {
  await page.locator('#verify-text').fill(document)
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  const verdict = page.locator('#verdict .verdict')
  await verdict.waitFor()
  return verdict
}

async function trust(page: Page, agent: string): Promise<void> {
  await page.getByLabel('Agent document to add').fill(agent)
  await page.getByRole('button', { name: 'Show who it is' }).click()
  await page.getByRole('button', { name: 'It is the same: trust this agent' }).click()
  await page.getByText('You now trust').waitFor()
}

/** Step and title of a verdict. */
async function stepOf(verdict: Locator): Promise<[string | null, string | null]> {
  return [await verdict.getAttribute('data-step'), await verdict.locator('.title').textContent()]
}

describe.skipIf(hasNoBrowser)('the example page', () => {
  it('creates no agent by itself, and one when asked, which is there after a reload', async () => {
    const page = await visit()
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign', exact: true }).isDisabled()).toBe(true)
    await createAgent(page, 'Accounting')
    const id = await page.locator('#profile-id').textContent()
    const document = await sign(page, '{"amount": 1}')
    await page.reload()
    await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
    expect(await page.locator('#profile-id').textContent()).toBe(id)
    expect(await page.locator('#profile-name').textContent()).toBe('Accounting')
    const verdict = await verify(page, document)
    expect(await stepOf(verdict)).toEqual(['trusted', 'Valid and trusted'])
    expect(JSON.parse((await verdict.locator('pre').textContent()) ?? '')).toEqual({ amount: 1 })
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('is green only for agents in the trust list', async () => {
    const sender = await visit()
    await createAgent(sender, 'Purchasing')
    const document = await sign(sender, '{"order": 4711}')
    const agent = await copied(sender, 'Copy agent document')
    const publicKey = await copied(sender, 'Copy public key')
    const fingerprint = await sender.locator('#profile-fingerprint').textContent()

    const page = await visit()
    expect(await stepOf(await verify(page, document))).toEqual(['unknown', 'Unknown signer'])
    expect(await page.locator('#verdict pre').isVisible()).toBe(false)
    await createAgent(page, 'Accounting')
    expect(await stepOf(await verify(page, document))).toEqual(['unknown', 'Unknown signer'])

    await page.getByText('I have only the signer').click()
    await page.getByLabel('Public key (PEM)').fill(publicKey)
    const [step, title] = await stepOf(await verify(page, document))
    expect([step, title]).toEqual(['untrusted', 'Valid, but the signer is not in your trust list'])
    await page.getByLabel('Public key (PEM)').fill('no key')
    expect(await stepOf(await verify(page, document))).toEqual(['unchecked', 'Could not check'])
    await page.getByLabel('Public key (PEM)').fill('')

    await page.getByLabel('Agent document to add').fill(agent)
    await page.getByRole('button', { name: 'Show who it is' }).click()
    await page.getByText('Is this the agent you mean?').waitFor()
    expect(await page.locator('#candidate-name').textContent()).toBe('Purchasing')
    expect(await page.locator('#candidate-fingerprint').textContent()).toBe(fingerprint)
    expect(await page.locator('#trusted li').count()).toBe(0)
    await trust(page, agent)

    const verdict = await verify(page, document)
    expect(await stepOf(verdict)).toEqual(['trusted', 'Valid and trusted'])
    expect(await verdict.textContent()).toContain('A signature proves possession of a key, not identity.')
    const forged = await verify(page, document.replace('4711', '4712'))
    expect(await stepOf(forged)).toEqual(['invalid', 'Not valid'])
    expect(await forged.textContent()).toContain('changed after it was signed')
    expect(await forged.locator('pre').isVisible()).toBe(false)

    // What is shown rests on the list: it is judged again when the list changes.
    expect(await stepOf(await verify(page, document))).toEqual(['trusted', 'Valid and trusted'])
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.locator('[data-step=unknown]').waitFor()
    expect(await page.locator('#trusted li').count()).toBe(0)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it.each([
    ['{"a": 1}', 'unsigned', 'No signature found'],
    ['{"jacsId": "x", "jacsSignature": {}}', 'unchecked', 'Could not check'],
    ['hello', 'invalid', 'Not valid'],
    ['{"a": 1, "a": 2}', 'invalid', 'Not valid'],
  ])('says of %s: %s', async (text, step, title) => {
    const verdict = await verify(await visit(), text)
    expect(await stepOf(verdict)).toEqual([step, title])
    expect((await verdict.locator('.reason').textContent())?.length).toBeGreaterThan(20)
  })

  it('shows characters that hide or reorder others, and never reads a text as markup', async () => {
    const page = await visit()
    await createAgent(page, 'Evil\u202E\u0007<img src=x>')
    expect(await page.locator('#profile-name').textContent()).toBe('EvilU+202EU+0007<img src=x>')
    const verdict = await verify(page, await sign(page, '<b>pay</b>\u2066 \u200Bme\nnow\u{E0041}'))
    expect(await verdict.locator('pre').textContent()).toBe('<b>pay</b>U+2066 U+200Bme\nnowU+E0041')
    await trust(page, await copied(page, 'Copy agent document'))
    expect(await page.locator('#trusted .name').textContent()).toBe('EvilU+202EU+0007<img src=x>')
    expect(await page.locator('main img, pre b').count()).toBe(0)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('signs text as text, and refuses JSON that readers understand differently', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    for (const text of ['Two words', '{"amount": 1,}']) {
      expect(await (await verify(page, await sign(page, text))).locator('pre').textContent()).toBe(text)
    }
    for (const text of ['{"id": 9007199254740993}', '{"a": 1, "a": 2}']) {
      await page.getByLabel('Document', { exact: true }).fill(text)
      await page.getByRole('button', { name: 'Sign', exact: true }).click()
      await page.locator('#sign-problem:not(:empty)').waitFor()
      expect(await page.locator('#signed').isVisible()).toBe(false)
    }
  })

  it('refuses what is no agent document, and one that was changed', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    const agent = await copied(page, 'Copy agent document')
    for (const json of ['{}', 'hello', agent.replace('Accounting', 'Purchasing'), await sign(page, '1')]) {
      await page.getByLabel('Agent document to add').fill(json)
      await page.getByRole('button', { name: 'Show who it is' }).click()
      await page.locator('#trust-problem:not(:empty)').waitFor()
      expect(await page.locator('#candidate').isVisible()).toBe(false)
    }
  })

  it('can be used with the keyboard alone', async () => {
    const page = await visit()
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('Tab')
    await page.keyboard.type('Accounting')
    await press('Tab', 'ArrowDown', 'Tab', 'Enter')
    await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
    expect(await page.locator('#profile-algorithm').textContent()).toContain('Ed25519')
    await page.locator('#copy-agent').focus()
    await press('Tab', 'Tab')
    await page.keyboard.type('hello')
    await press('Tab', 'Enter')
    await page.locator('#signed').waitFor()
    await press('Tab', 'Tab', 'Tab', 'Enter') // signed text, copy, verify it here
    expect(await stepOf(page.locator('.verdict'))).toEqual(['trusted', 'Valid and trusted'])
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineWidth)
    expect(outline).toBe('3px')
  })

  it('names every control, and announces verdicts', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    await verify(page, await sign(page, '1'))
    const nameless = await page
      .locator('button, input, textarea')
      .evaluateAll((controls) =>
        (controls as HTMLInputElement[])
          .filter(({ labels, textContent }) => !labels?.length && textContent.trim() === '')
          .map(({ outerHTML }) => outerHTML),
      )
    expect(nameless).toEqual([])
    expect(await page.getByRole('status').filter({ hasText: 'Valid and trusted' }).count()).toBe(1)
  })

  it.each(['light', 'dark'] as const)('has enough contrast, %s', async (colorScheme) => {
    const page = await visit({ colorScheme })
    await createAgent(page, 'Accounting')
    for (const document of [await sign(page, '1'), '{"a": 1}', 'hello', '{"jacsId": "x", "jacsSignature": {}}']) {
      await verify(page, document)
      expect(await page.evaluate(poorContrasts)).toEqual([])
    }
  })

  it('fits a narrow screen', async () => {
    const page = await visit({ viewport: { width: 320, height: 700 } })
    await createAgent(page, 'A'.repeat(200))
    await verify(page, await sign(page, 'B'.repeat(500)))
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })
})

/** Runs in the page: texts with less than 4.5 : 1 against what is behind them (WCAG 2.2, 1.4.3). */
function poorContrasts(): string[] {
  const parts = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = ([r = 0, g = 0, b = 0]: number[]): number => {
    const [x = 0, y = 0, z = 0] = [r, g, b]
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const behind = (element: Element | null): number[] => {
    if (element === null) return [255, 255, 255]
    const [r = 0, g = 0, b = 0, alpha = 1] = parts(getComputedStyle(element).backgroundColor)
    return alpha === 0 ? behind(element.parentElement) : [r, g, b]
  }
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())
    if (!hasText || !element.checkVisibility() || (element as HTMLButtonElement).disabled) return []
    const [light = 0, dark = 0] = [luminance(parts(getComputedStyle(element).color)), luminance(behind(element))].sort(
      (a, b) => b - a,
    )
    const ratio = (light + 0.05) / (dark + 0.05)
    return ratio < 4.5 ? [`${element.textContent?.slice(0, 40)}: ${ratio.toFixed(2)}`] : []
  })
}
