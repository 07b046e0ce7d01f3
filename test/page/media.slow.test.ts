// Pictures and texts in the example: one chooses, drops or pastes them, reads the verdict, signs, downloads, checks again.
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright'
import { SxAgent } from 'sx-agent'
import { stripImageSignature } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, hasNoBrowser, Site } from './site.ts'
import {
  choose,
  createAgent,
  fileOf,
  findingsIn,
  type Given,
  poorContrasts,
  stepOf,
  stepsOf,
  textOf,
  trust,
  verdictOf,
} from './visitor.ts'

let site: Site
/** Another signer, with the key of its agent. */
let other: SxAgent
let third: SxAgent
const contexts: BrowserContext[] = []
beforeAll(async () => {
  if (hasNoBrowser) return
  site = await Site.open()
  const options = { algorithm: 'ed25519', password: 'correct horse 7' } as const
  other = (await SxAgent.create({ ...options, name: 'Camera', storage: memoryStorage() })).agent
  third = (await SxAgent.create({ ...options, name: 'Office', storage: memoryStorage() })).agent
})
afterEach(async () => {
  for (const context of contexts.splice(0)) await site.leave(context)
})
afterAll(() => site?.close())

async function visit(look?: Parameters<Site['example']>[2]): Promise<Page> {
  const context = await site.emptied()
  contexts.push(context)
  // Counts the addresses of blobs that are there.
  const countAddresses = (): void => {
    const made = new Set<string>()
    const createObjectURL = URL.createObjectURL.bind(URL)
    const revokeObjectURL = URL.revokeObjectURL.bind(URL)
    URL.createObjectURL = (object) => {
      const url = createObjectURL(object)
      made.add(url)
      return url
    }
    URL.revokeObjectURL = (url) => {
      made.delete(url)
      revokeObjectURL(url)
    }
    Object.assign(window, { made })
  }
  return site.example(context, site.url, { ...look, script: countAddresses })
}

/** Signs what was chosen, and downloads it. */
async function signed(page: Page): Promise<Given> {
  await page.locator('#media-sign button').click()
  const link = page.getByRole('link', { name: 'Download the signed file' })
  await link.waitFor()
  const downloading = page.waitForEvent('download')
  await link.click()
  const download = await downloading
  return { name: download.suggestedFilename(), buffer: readFileSync(await download.path()) }
}

/** Hands over a file by an event of dropping or pasting. */
async function hand(page: Page, type: 'drop' | 'paste', { name, buffer }: Given): Promise<void> {
  await page.evaluate(
    ([type, name, base64]) => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      transfer.items.add(new File([bytes], name))
      const common = { bubbles: true, cancelable: true }
      const event =
        type === 'drop'
          ? new DragEvent(type, { ...common, dataTransfer: transfer })
          : new ClipboardEvent(type, { ...common, clipboardData: transfer })
      if (document.body.dispatchEvent(event)) throw new Error('The browser would have opened the file.')
    },
    [type, name, buffer.toString('base64')] as const,
  )
}

describe.skipIf(hasNoBrowser)('pictures and texts in the example page', () => {
  it.each(['photo.jpg', 'rgb.png', 'lossy.webp'])(
    '%s is signed, downloaded, and valid when it is dropped again',
    async (name) => {
      const page = await visit()
      await createAgent(page, 'Accounting')
      expect(await stepOf(await choose(page, fileOf(name)))).toEqual(['unsigned', 'No signature found'])
      const file = await signed(page)
      expect(file.name).toBe(name.replace('.', '-signed.'))
      expect(file.buffer.length).toBeGreaterThan(fileOf(name).buffer.length)
      await hand(page, 'drop', file)
      await page.locator('#media-verdict [data-step=trusted]').waitFor()
      expect(await page.locator('#media-verdict').textContent()).toMatch(/Accounting \(your agent\).*The whole file\./)
      file.buffer.writeUInt8(file.buffer.readUInt8(file.buffer.length - 20) ^ 1, file.buffer.length - 20)
      await hand(page, 'paste', file)
      await page.locator('#media-verdict [data-step=invalid]').waitFor()
      expect(await page.locator('#media-verdict').textContent()).toMatch(
        /The file (or its signature )?was changed after it was signed/,
      )
      expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
    },
  )

  it('is checked without any agent, and green only for signers in the trust list', async () => {
    const file = { name: 'photo.jpg', buffer: Buffer.from(await other.signImage(fileOf('photo.jpg').buffer, null)) }
    const page = await visit()
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
    expect(await stepOf(await choose(page, file))).toEqual(['unknown', 'Unknown signer'])
    expect(await page.locator('#media-sign button').isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Create agent' }).isVisible()).toBe(true) // it is nobody's agent

    await page.getByText('Verify with only a public key').click()
    await page.getByLabel('Key of the signer (PEM)').fill(other.getPublicKey())
    await page.locator('#media-verdict [data-step=untrusted]').waitFor()
    expect(await verdictOf(page).locator('.title').textContent()).toBe(
      'Valid, but the signer is not in your trust list',
    )
    await page.getByLabel('Key of the signer (PEM)').fill('no key')
    await page.locator('#media-verdict [data-step=unchecked]').waitFor()
    await page.getByLabel('Key of the signer (PEM)').fill('')
    await page.locator('#media-verdict [data-step=unknown]').waitFor()

    await createAgent(page, 'Accounting')
    await trust(page, other.exportAgent())
    await page.locator('#media-verdict [data-step=trusted]').waitFor() // judged again, as the list has changed
    expect(await page.locator('#media-verdict').textContent()).toContain('Camera')
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('says beforehand whether pixels have room, and finds what they hold when the metadata are gone', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    await choose(page, fileOf('texture.jpg'))
    await expect
      .poll(() => page.locator('#robust-hint').textContent())
      .toMatch(/needs [\d,]+ bits; [\d,]+ are available/)
    await page.getByLabel('Sign the pixels too').check()
    const file = await signed(page)
    const stripped = Buffer.from(await stripImageSignature(file.buffer))
    expect(await stepOf(await choose(page, { ...file, buffer: stripped }))).toEqual(['trusted', 'Valid and trusted'])
    expect(await page.locator('#media-verdict').textContent()).toMatch(/but not its metadata[^]*Only the pixels/)
    await choose(page, fileOf('lossy.webp'))
    await expect.poll(() => page.getByLabel('Sign the pixels too').isDisabled()).toBe(true)
    expect(await page.locator('#robust-hint').textContent()).toMatch(/\w.*\.$/)
    await choose(page, fileOf('texture.jpg'))
    await expect.poll(() => page.getByLabel('Sign the pixels too').isEnabled()).toBe(true)
  })

  it('signs texts, and lists each of several signers', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    const text = '<b>Alice pays 100.</b>\n'
    expect(await stepOf(await choose(page, textOf(text, 'letter.md')))).toEqual(['unsigned', 'No signature found'])
    const once = await signed(page)
    expect(once.name).toBe('letter-signed.md')
    const one = await choose(page, once)
    expect(await stepOf(one)).toEqual(['trusted', 'Valid and trusted'])
    expect(await one.locator('.content pre').textContent()).toBe(text)
    expect(await page.locator('main b b, pre b').count()).toBe(0)

    const twice = { name: 'both.md', buffer: Buffer.from(await other.signText(once.buffer)) }
    const both = await choose(page, twice)
    await both.locator('.signer').first().waitFor()
    expect(await stepOf(both)).toEqual(['unchecked', 'Could not check all signatures'])
    expect(await both.locator('.reason').first().textContent()).toBe(
      '1 of its 2 signatures is valid; 1 could not be checked.',
    )
    const steps = () => stepsOf(page)
    expect(await steps()).toEqual(['trusted', 'unknown'])
    await trust(page, other.exportAgent())
    await page.locator('#media-verdict .verdict[data-step=trusted]').waitFor()
    expect(await steps()).toEqual(['trusted', 'trusted'])
    expect(await verdictOf(page).textContent()).toContain('2 agents you trust')

    const forged = textOf(twice.buffer.toString().replace('100', '900'), 'forged.md')
    await choose(page, forged)
    await page.locator('#media-verdict .verdict[data-step=invalid]').waitFor()
    expect(await steps()).toEqual(['invalid', 'invalid'])
    expect(await verdictOf(page).locator('.content').isVisible()).toBe(false)
    await choose(page, textOf(`${twice.buffer.toString()}P.S. and a car`, 'longer.md'))
    await expect
      .poll(() => verdictOf(page).locator('.reason').first().textContent())
      .toMatch(/added after the signatures/)
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  const odd: [string, Given, string, RegExp][] = [
    ['four bytes', { name: 'x.png', buffer: fileOf('rgb.png').buffer.subarray(0, 4) }, 'unchecked', /Could not check/],
    [
      'another file',
      { name: 'x.pdf', buffer: Buffer.from([0x25, 0x50, 0, 0xff]) },
      'unchecked',
      /neither a supported picture/,
    ],
    ['nothing', { name: 'empty.txt', buffer: Buffer.alloc(0) }, 'unsigned', /This text has no signature/],
    ['hidden characters', textOf('pay \u202E001'), 'unsigned', /line 1, column 5: U\+202E/],
  ]
  it('says what it can of odd files, one after the other', async () => {
    const page = await visit()
    for (const [what, given, step, reason] of odd) {
      const verdict = await choose(page, given)
      await verdict.filter({ hasText: reason }).waitFor() // in place of that of the file before
      expect([what, await verdict.getAttribute('data-step')]).toEqual([what, step])
    }
    expect(complaintsOf(page)).toEqual({ violations: [], errors: [] })
  })

  it('takes a pasted text, hands a document to its own check, and takes one file at a time', async () => {
    const page = await visit()
    await page.getByRole('button', { name: 'Create agent' }).waitFor()
    await page.evaluate(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'Dear all')
      document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }))
    })
    await verdictOf(page).waitFor()
    expect(await page.locator('#excerpt').textContent()).toBe('Dear all')
    const { raw } = await other.signMessage({ a: 1 })
    await page.getByText('I have only the signer').click()
    await page.getByLabel('Public key (PEM)').fill(other.getPublicKey()) // for what was checked before
    await page.locator('#file').setInputFiles({ name: 'a.json', mimeType: 'text/plain', buffer: Buffer.from(raw) })
    await page.locator('#verdict [data-step=unknown]').waitFor()
    expect(await page.locator('#subject').isVisible()).toBe(false)
    expect(await page.locator('#file-note').textContent()).toBe('a.json is a document. It is verified below.')
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      for (const name of ['a', 'b']) dataTransfer.items.add(new File(['x'], name))
      document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
    })
    expect(await page.locator('#media-problem').textContent()).toContain('Choose only one file')
  })

  it('keeps one address of a blob at most, and shows what was chosen last', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    const addresses = () => page.evaluate(() => (window as unknown as { made: Set<string> }).made.size)
    for (const name of ['photo.jpg', 'rgb.png']) {
      await choose(page, fileOf(name))
      await signed(page)
      await signed(page)
      expect(await addresses()).toBe(1)
    }
    await choose(page, textOf('x'))
    expect(await addresses()).toBe(0)
    expect(await page.locator('#media-done').isVisible()).toBe(false)
    const file = Buffer.from(await other.signText({ text: 'last' }))
    for (const given of [fileOf('photo.jpg'), textOf('x'), fileOf('texture.jpg'), { name: 'last.txt', buffer: file }]) {
      await hand(page, 'drop', given)
    }
    await page.locator('#media-verdict [data-step=unknown]').waitFor()
    await page.waitForTimeout(300)
    expect(await page.locator('#subject-name').textContent()).toBe('last.txt')
    expect(await verdictOf(page).getAttribute('data-step')).toBe('unknown')
  })

  it('can be used with the keyboard alone, and announces the verdict', async () => {
    const page = await visit()
    await createAgent(page, 'Accounting')
    const focused = () => page.evaluate(() => document.activeElement?.id)
    const choosing = page.waitForEvent('filechooser') // this early, so that the browser has been told before the key
    await page.locator('#copy-key').focus()
    await page.keyboard.press('Tab') // to what saves a backup
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('file')
    await page.keyboard.press('Enter')
    const { name, buffer } = fileOf('texture.jpg')
    await (await choosing).setFiles({ name, mimeType: 'image/jpeg', buffer })
    await expect.poll(() => page.locator('#robust-hint').textContent()).toContain('are available')
    expect(await page.getByRole('status').filter({ hasText: 'No signature found' }).count()).toBe(1)
    for (const key of ['Tab', 'Tab', 'Tab', 'Space', 'Tab', 'Enter']) await page.keyboard.press(key) // past the samples
    await page.getByRole('status').filter({ hasText: 'Signed: texture-signed.jpg' }).waitFor()
    await page.getByRole('status').filter({ hasText: 'Valid and trusted' }).waitFor()
    const downloading = page.waitForEvent('download')
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
    expect((await downloading).suggestedFilename()).toBe('texture-signed.jpg')
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('status').filter({ hasText: 'Not valid' }).waitFor()
    expect(await focused()).toBe('subject') // the button is gone
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('robust')
  })

  it.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('has no findings of axe, enough contrast and room, %s at %i pixels', async (colorScheme, width) => {
    const page = await visit({ colorScheme, viewport: { width, height: 900 } })
    await createAgent(page, 'Accounting')
    const looks = async (): Promise<void> => {
      expect(await findingsIn(page)).toEqual([])
      expect(await page.evaluate(poorContrasts)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
    await choose(page, { ...fileOf('texture.jpg'), name: `${'A'.repeat(200)}.jpg` })
    await expect.poll(() => page.locator('#robust-hint').textContent()).toContain('are available')
    await looks()
    await choose(page, await signed(page))
    await looks()
    const { buffer } = textOf(`${'B'.repeat(500)}\u202E`)
    const both = await other.signText(await third.signText(buffer))
    await choose(page, { name: 'both.txt', buffer: Buffer.from(both) })
    await page.getByText('Verify with only a public key').click()
    await looks()
  })

  it('moves nothing when the verdict comes', async () => {
    const page = await visit({ viewport: { width: 1280, height: 1600 } })
    await createAgent(page, 'Accounting')
    await choose(page, fileOf('photo.jpg'))
    const tops = () =>
      page
        .locator('#subject canvas, #media-sign button, #sign-title, #trust-title')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top + scrollY))
    await expect.poll(() => page.locator('#robust-hint').textContent()).toContain('bits')
    const before = await tops()
    const seen = page.evaluate(
      () =>
        new Promise<number[]>((resolve) => {
          const found: number[] = []
          const title = document.querySelector('#trust-title')
          const look = (): void => {
            found.push(title?.getBoundingClientRect().top ?? 0)
            const isThere = document.querySelector('#media-verdict [data-step=unknown]') !== null
            if (isThere && found.length > 3) resolve([...new Set(found.map((top) => Math.round(top + scrollY)))])
            else requestAnimationFrame(look)
          }
          look()
        }),
    )
    await choose(page, {
      name: 'photo.jpg',
      buffer: Buffer.from(await other.signImage(fileOf('photo.jpg').buffer, null)),
    })
    expect(await seen).toHaveLength(1)
    expect(await tops()).toEqual(before)
  })
})
