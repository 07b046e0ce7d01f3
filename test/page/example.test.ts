// The example as people use it: mouse, keyboard, reload, and what it says.
import { readFileSync } from 'node:fs'
import type { BrowserContext, Locator, Page } from 'playwright'
import { SxAgent } from 'sx-agent'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'
import { copied, createAgent, findingsIn, poorContrasts, stepOf, trust } from './visitor.ts'

let site: Site
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (!hasNoBrowser) site = await Site.open()
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

async function visit(look?: Parameters<Site['example']>[2]): Promise<Page> {
  const context = await site.emptied()
  contexts.push(context)
  return site.example(context, site.url, look)
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
    const keyId = await sender.locator('#profile-key-id').textContent()

    const page = await visit()
    expect(await stepOf(await verify(page, document))).toEqual(['unknown', 'Unknown signer'])
    expect(await page.locator('#verdict pre').isVisible()).toBe(false)
    expect(await page.locator('#verdict .facts').textContent()).toContain(`Claimed key id${keyId}`)
    await createAgent(page, 'Accounting')
    expect(await stepOf(await verify(page, document))).toEqual(['unknown', 'Unknown signer'])

    await page.getByText('I have only the signer').click()
    await page.getByLabel('Public key (PEM)').fill(publicKey)
    const [step, title] = await stepOf(await verify(page, document))
    expect([step, title]).toEqual(['untrusted', 'Valid, but the signer is not in your trust list'])
    await page.getByLabel('Public key (PEM)').fill(await copied(page, 'Copy public key'))
    const another = await verify(page, document)
    expect(await stepOf(another)).toEqual(['unchecked', 'Could not check'])
    expect(await another.locator('.reason').textContent()).toMatch(/^The key you entered is not the key/)
    await page.getByLabel('Public key (PEM)').fill('no key')
    expect(await stepOf(await verify(page, document))).toEqual(['unchecked', 'Could not check'])
    await page.getByLabel('Public key (PEM)').fill('')

    await page.getByLabel('Agent document to add').fill(agent)
    await page.getByRole('button', { name: 'Show the agent' }).click()
    await page.getByText('Is this the agent you mean?').waitFor()
    expect(await page.locator('#candidate-name').textContent()).toBe('Purchasing')
    expect(await page.locator('#candidate-key-id').textContent()).toBe(keyId)
    expect(await page.locator('#trusted li').count()).toBe(0)
    await trust(page, agent)
    await expect.poll(() => page.locator(':focus').getAttribute('id')).toBe('trust-text') // the button is gone

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

  it('says what a text is, one after the other', async () => {
    const page = await visit()
    for (const [text, step, title] of [
      ['{"a": 1}', 'unsigned', 'No signature found'],
      ['{"jacsId": "x", "jacsSignature": {}}', 'unchecked', 'Could not check'],
      ['hello', 'invalid', 'Not valid'],
      ['{"b": 1}', 'unsigned', 'No signature found'],
      ['{"a": 1, "a": 2}', 'invalid', 'Not valid'],
    ] as const) {
      const verdict = await verify(page, text)
      expect([text, ...(await stepOf(verdict))]).toEqual([text, step, title])
      expect((await verdict.locator('.reason').textContent())?.length).toBeGreaterThan(20)
    }
  })

  it('shows characters that hide or reorder others, and never reads a text as markup', async () => {
    const page = await visit()
    await createAgent(page, 'Evil\u202E\u0007<img src=x>')
    expect(await page.locator('#profile-name').textContent()).toBe('EvilU+202EU+0007<img src=x>')
    const verdict = await verify(page, await sign(page, JSON.stringify('<b>pay</b>\u2066 \u200Bme\nnow\u{E0041}')))
    expect(await verdict.locator('pre').textContent()).toBe('<b>pay</b>U+2066 U+200Bme\nnowU+E0041')
    const reader = await visit()
    await createAgent(reader, 'Accounting')
    await trust(reader, await copied(page, 'Copy agent document'))
    expect(await reader.locator('#trusted .name').textContent()).toBe('EvilU+202EU+0007<img src=x>')
    for (const each of [page, reader]) {
      expect(await each.locator('main img, pre b').count()).toBe(0)
      expect(complaintsOf(each)).toEqual({ violations: [], errors: [] })
    }
  })

  it('signs a text where texts are, and refuses JSON that readers understand differently', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    for (const text of ['Two words', '{"amount": 1,}']) {
      await page.getByLabel('Document', { exact: true }).fill(text)
      expect(await page.locator('#sign-kind').textContent()).toContain('it will be signed as a text, above.'.slice(3))
      await page.getByRole('button', { name: 'Sign', exact: true }).click()
      await page.locator('#media-verdict [data-step=trusted] pre').getByText(text, { exact: true }).waitFor()
      expect(await page.locator('#signed').isVisible()).toBe(false)
      expect(await page.locator('#excerpt').textContent()).toMatch(/^(Two words|{"amount": 1,})\n-----BEGIN /)
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('subject')
      // Pasted below, it is checked above, too.
      const signed = (await page.locator('#excerpt').textContent()) ?? ''
      for (const [pasted, step] of [
        [signed.replace('o', 'u'), 'invalid'],
        [signed, 'trusted'],
      ] as const) {
        await page.locator('#verify-text').fill(pasted)
        await page.getByRole('button', { name: 'Verify', exact: true }).click()
        await page.locator(`#media-verdict [data-step=${step}]`).waitFor()
        expect(await page.locator('#verdict .verdict').count()).toBe(0)
      }
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
      await page.getByRole('button', { name: 'Show the agent' }).click()
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
    await press('Tab') // nothing stands before the form
    await page.keyboard.type('Accounting')
    await press('Tab', 'ArrowDown', 'Tab', 'Enter')
    await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
    expect(await page.locator('#profile-algorithm').textContent()).toContain('Ed25519')
    const focused = () => page.evaluate(() => document.activeElement?.id)
    await expect.poll(focused).toBe('profile') // where the form was
    await press('Tab')
    expect(await focused()).toBe('copy-agent')
    await press('Enter')
    await page.locator('#copy-agent').getByText('Copied').waitFor()
    // Past the other buttons, the backup, the choice of a file and the samples.
    await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab')
    await page.keyboard.type('"hello"')
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

  it('keeps every button where it is when one says that it has copied, so that a double click copies one thing', async () => {
    const page = await visit({ viewport: { width: 390, height: 900 } })
    await createAgent(page, 'Accounting')
    await sign(page, '1')
    const places = () =>
      page.locator('button:visible').evaluateAll((buttons) =>
        buttons.map((button) => {
          const { x, y, width, height } = button.getBoundingClientRect()
          return [button.id, x, y + scrollY, width, height]
        }),
      )
    const before = await places()
    for (const id of ['copy-agent', 'copy-key', 'copy-signed']) {
      const button = page.locator(`#${id}`)
      await button.dblclick({ position: { x: 5, y: 5 } })
      await button.getByText('Copied').waitFor()
      expect(await places()).toEqual(before)
    }
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      await page.locator('#signed-text').inputValue(),
    )
    await page.locator('#copy-agent').dblclick()
    await page.locator('#copy-agent').getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('"name":"Accounting"')
    await page.locator('#copy-agent').getByText('Copy agent document').waitFor() // after two seconds
  })

  it('offers a text to be copied by hand where the browser does not let it copy', async () => {
    const page = await visit()
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
    })
    await createAgent(page, 'Accounting')
    await page.getByRole('button', { name: 'Copy agent document' }).click()
    const field = page.getByLabel('Copy the text yourself')
    await field.waitFor()
    expect(await field.inputValue()).toContain('"name":"Accounting"')
    expect(await page.evaluate(() => getSelection()?.toString().includes('"name":"Accounting"'))).toBe(true)
  })

  it('says that a key is being made, before it is made, and shows it', async () => {
    const page = await visit()
    await page.evaluate(() => {
      const log: string[] = []
      Object.assign(window, { log })
      const progress = document.querySelector('#create-progress')
      const announcer = document.querySelector('#announcer')
      if (progress === null || announcer === null) return
      const note = (): void => {
        const names = document.getAnimations().map((one) => (one instanceof CSSAnimation ? one.animationName : ''))
        log.push(`${progress.textContent}|${announcer.textContent}|${names.includes('going') ? 'going' : ''}`)
      }
      new MutationObserver(() => requestAnimationFrame(note)).observe(progress, { childList: true })
    })
    await createAgent(page, 'Accounting')
    const said = 'Generating and encrypting the key. This takes a moment…'
    const log = () => page.evaluate(() => (window as unknown as { log: string[] }).log)
    await expect.poll(log).toEqual([`${said}|${said}|going`, '||'])
  })

  it('says that the address is not secure, in place of the form, and verifies all the same', async () => {
    const context = await site.profile()
    contexts.push(context)
    const insecure = 'http://signed.example/'
    await context.route(`${insecure}**`, async (route) => {
      const url = route.request().url().replace(insecure, site.url)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
    const page = await site.example(context, insecure)
    await page.getByText('This page was not loaded over a secure connection').waitFor()
    expect(await page.locator('#insecure-origin').textContent()).toBe('http://signed.example')
    expect(
      await page.locator('#create, #agent-loading').evaluateAll((all) => all.some((one) => one.checkVisibility())),
    ).toBe(false)
    expect(await page.getByText('This needs an agent, which requires https or localhost.').count()).toBe(3)
    expect(await stepOf(await verify(page, '{"a": 1}'))).toEqual(['unsigned', 'No signature found'])
    expect(await findingsIn(page)).toEqual([])
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('says which software it is, and leads to what it is', async () => {
    const page = await visit()
    expect(await page.title()).toContain('sx-agent')
    await page.getByRole('link', { name: 'what it is and how to use it' }).click()
    await page.getByRole('heading', { name: 'sx-agent', exact: true }).waitFor()
    expect(await page.evaluate(() => document.characterSet)).toBe('UTF-8')
    expect(await page.locator('main h2').allTextContents()).toEqual(
      [...readFileSync('README.md', 'utf8').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading),
    )
    const widths = await page
      .locator('img')
      .evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth))
    expect(widths).toHaveLength(1)
    for (const width of widths) expect(width).toBeGreaterThan(0)
    const links = await page.locator('main a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    expect(links.filter((link) => !link.startsWith('https://'))).toEqual([]) // nothing else is served
    expect(await findingsIn(page)).toEqual([])
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
    await page.getByRole('link', { name: 'Back to the example' }).click()
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
  })

  it('says that an agent document is of the own agent, and adds it to no list', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    const show = async (agent: string): Promise<void> => {
      await page.getByLabel('Agent document to add').fill(agent)
      await page.getByRole('button', { name: 'Show the agent' }).click()
      await page.locator('#candidate').waitFor()
    }
    await show(await copied(page, 'Copy agent document'))
    expect(await page.locator('#candidate-title').textContent()).toBe('This is your own agent')
    const accept = page.getByRole('button', { name: 'The key id matches: trust this agent' })
    expect(await accept.isVisible()).toBe(false)

    const other = await visit()
    await createAgent(other, 'Accounting')
    await show(await copied(other, 'Copy agent document'))
    expect(await page.locator('#candidate-title').textContent()).toBe('Is this the agent you mean?')
    expect(await accept.isVisible()).toBe(true)
  })

  it('says first what a person can see of a text that is no document, then what the reader has found', async () => {
    const page = await visit()
    const verdict = await verify(page, 'hello')
    expect(await verdict.locator('.reason').textContent()).toBe('This is not a signed document.')
    expect(await verdict.locator('.detail').textContent()).toMatch(/^At byte 0: .*[^.]\.$/)
    expect(await (await verify(page, '{"a": 1}')).locator('.detail').isVisible()).toBe(false)
  })

  it('tells a visitor what a visitor can do', async () => {
    const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:"
    const context = await site.profile()
    contexts.push(context)
    const page = await site.example(context, await site.under(policy))
    const problem = page.locator('#agent-problem:not(:empty)')
    await problem.waitFor()
    expect(await problem.textContent()).toMatch(/^WebAssembly is not allowed here\. Reload this page\./)
    expect(await problem.textContent()).not.toMatch(/Content-Security|init/)
  })

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('has no findings of axe, %s at %i pixels', async (colorScheme, width) => {
    const options = { algorithm: 'ed25519', password: 'correct horse 7', storage: memoryStorage() } as const
    const other = (await SxAgent.create({ ...options, name: 'Purchasing' })).agent.exportAgent()
    const page = await visit({ colorScheme, viewport: { width, height: 900 } })
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
    expect(await findingsIn(page)).toEqual([])
    await createAgent(page, 'Accounting')
    const agent = await copied(page, 'Copy agent document')
    expect(await findingsIn(page)).toEqual([])
    for (const document of [await sign(page, '1'), '{"a": 1}', 'hello']) await verify(page, document)
    await page.getByText('I have only the signer').click()
    await page.getByLabel('Agent document to add').fill('{}')
    await page.getByRole('button', { name: 'Show the agent' }).click()
    await page.locator('#trust-problem:not(:empty)').waitFor()
    expect(await findingsIn(page)).toEqual([])
    for (const [document, title] of [
      [agent, 'This is your own agent'],
      [other, 'Is this the agent you mean?'],
    ] as const) {
      await page.getByLabel('Agent document to add').fill(document)
      await page.getByRole('button', { name: 'Show the agent' }).click()
      await page.getByText(title).waitFor()
      expect(await findingsIn(page)).toEqual([])
    }
    await trust(page, other)
    expect(await findingsIn(page)).toEqual([])
  })

  it('fits a narrow screen', async () => {
    const page = await visit({ viewport: { width: 320, height: 700 } })
    await createAgent(page, 'A'.repeat(200))
    await verify(page, await sign(page, JSON.stringify('B'.repeat(500))))
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })
})
