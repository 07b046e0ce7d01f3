// What visitors of the example page do in every test, and what is looked for in what they see.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type * as Axe from 'axe-core'
import type { Locator, Page } from 'playwright'

export async function createAgent(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Ed25519').check()
  await page.getByRole('button', { name: 'Create agent' }).click()
  await page.getByRole('button', { name: 'Copy agent document' }).waitFor()
}

export async function copied(page: Page, name: string): Promise<string> {
  const button = page.locator('button', { hasText: name })
  await button.click()
  await button.getByText('Copied').waitFor()
  return page.evaluate(() => navigator.clipboard.readText())
}

export async function trust(page: Page, agent: string): Promise<void> {
  await page.getByLabel('Agent document to add').fill(agent)
  await page.getByRole('button', { name: 'Show the agent' }).click()
  await page.getByRole('button', { name: 'The key id matches: trust this agent' }).click()
  await page.getByText('You now trust').waitFor()
}

/** Step and title of a verdict. */
export async function stepOf(verdict: Locator): Promise<[string | null, string | null]> {
  return [await verdict.getAttribute('data-step'), await verdict.locator('.title').first().textContent()]
}

const data = new URL('../../wasm/media/tests/data/', import.meta.url)
export const fileOf = (name: string): Given => ({ name, buffer: readFileSync(new URL(name, data)) })
export const textOf = (text: string, name = 'letter.txt'): Given => ({ name, buffer: Buffer.from(text) })

/** A file to choose. */
export interface Given {
  readonly name: string
  readonly buffer: Buffer
}

/** The verdict on what was chosen. */
export const verdictOf = (page: Page): Locator => page.locator('#media-verdict .verdict')

/** Chooses a file and waits for its verdict. */
export async function choose(page: Page, { name, buffer }: Given): Promise<Locator> {
  await page.locator('#file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  await verdictOf(page).waitFor()
  return verdictOf(page)
}

/** The step of each of several signers. */
export async function stepsOf(page: Page): Promise<(string | undefined)[]> {
  const signers = verdictOf(page).locator('.signer')
  return signers.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['step']))
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds, all its rules but experimental ones: the rule, and where. */
export async function findingsIn(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof Axe }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
}

/** Runs in the page: texts with less than 4.5 : 1 against what is behind them (WCAG 2.2, 1.4.3). */
export function poorContrasts(): string[] {
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
