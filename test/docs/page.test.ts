// The README's first lines in a page: bundled by Vite, under the policy of docs/loading.md, in Chromium.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { expect, it } from 'vitest'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { HANGING } from '../pace.ts'
import { readPage } from './markdown.ts'
import { Project } from './project.ts'

const executablePath = findBrowser('chromium')
const { blocks } = readPage('README.md')

it.skipIf(executablePath === undefined && env['CI'] !== 'true')(
  'the first lines work in a page, and after a reload',
  async () => {
    expect(executablePath).toBeDefined()
    const lines = blocks.find(({ file }) => file === 'first.mjs')?.code ?? ''
    const header = readPage('docs/loading.md').blocks.find(({ language }) => language === 'http')
    const [name = '', policy = ''] = header?.code.split(': ') ?? []
    expect(name).toBe('Content-Security-Policy')

    const project = new Project()
    writeFileSync(join(project.folder, 'index.html'), '<script type="module" src="./page.js"></script>')
    writeFileSync(
      join(project.folder, 'page.js'),
      `${lines}\nimport { getAgentInfo } from 'sx-agent/simple'\nconsole.log(getAgentInfo().agentId)\n`,
    )
    const settings = { root: project.folder, configFile: false, logLevel: 'error' } as const
    await build({ ...settings, build: { target: 'es2022' } })
    const server = await preview({ ...settings, preview: { port: 0, headers: { [name]: policy } } })
    const browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArgs })
    try {
      const page = await browser.newPage()
      page.setDefaultTimeout(HANGING)
      const errors: string[] = []
      const failed = new Promise<void>((resolve) => {
        page.on('pageerror', ({ message }) => {
          errors.push(message)
          resolve()
        })
      })
      const visit = async (go: () => Promise<unknown>): Promise<string[]> => {
        const printed: string[] = []
        page.removeAllListeners('console')
        const twoLines = new Promise<void>((resolve) => {
          page.on('console', (message) => {
            if (message.type() === 'log' && printed.push(message.text()) === 2) resolve()
          })
        })
        await go()
        await Promise.race([twoLines, failed])
        return printed
      }
      const [address = ''] = server.resolvedUrls?.local ?? []
      const first = await visit(() => page.goto(address))
      const second = await visit(() => page.reload())
      expect(errors).toEqual([])
      expect(first).toEqual(['true', expect.stringMatching(/^[0-9a-f-]{36}$/)])
      expect(second).toEqual(first)
    } finally {
      await browser.close()
      await server.close()
      project.remove()
    }
  },
)
