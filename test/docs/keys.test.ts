// The page of docs/keys.md: bundled by Vite, in Chromium, with an authenticator that it plays.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright'
import { build, preview } from 'vite'
import { expect, it } from 'vitest'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { HANGING } from '../pace.ts'
import { Authenticator } from '../page/authenticator.ts'
import { readPage } from './markdown.ts'
import { Project } from './project.ts'

const executablePath = findBrowser('chromium')

it.skipIf(executablePath === undefined)(
  'the page with a passkey makes an agent, and opens it after a reload',
  async () => {
    const { code = '' } = readPage('docs/keys.md').blocks.find(({ file }) => file === 'page.js') ?? {}
    const project = new Project()
    const html = '<button id="unlock">Unlock</button><p id="says"></p><script type="module" src="./page.js"></script>'
    writeFileSync(join(project.folder, 'index.html'), html)
    writeFileSync(join(project.folder, 'page.js'), code)
    const settings = { root: project.folder, configFile: false, logLevel: 'error' } as const
    await build({ ...settings, build: { target: 'es2022' } })
    const server = await preview({ ...settings, preview: { port: 0 } })
    const browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArgs })
    const press = async (page: Page): Promise<string | null> => {
      await page.click('#unlock')
      await page.waitForFunction(() => document.querySelector('#says')?.textContent)
      return page.textContent('#says')
    }
    try {
      const page = await browser.newPage()
      page.setDefaultTimeout(HANGING)
      const errors: string[] = []
      page.on('pageerror', ({ message }) => errors.push(message))
      const device = await Authenticator.plug(page)
      await page.goto(server.resolvedUrls?.local[0] ?? '')
      expect(await press(page)).toMatch(/^Billing is new: save the backup of \d{4,} bytes\.$/)
      await page.reload()
      expect(await press(page)).toBe('Billing is open.')
      await device.clear()
      await page.reload()
      expect(await press(page)).toBe('Not confirmed. Press the button to try again.')
      expect(errors).toEqual([])
    } finally {
      await browser.close()
      await server.close()
      project.remove()
    }
  },
)
