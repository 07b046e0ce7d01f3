// The example page and a page of bare library calls, built as a user builds them and served with their headers.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { type PreviewServer, preview } from 'vite'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { builtPages, configFile } from './built.ts'
import type { Probe } from './probe/probe.ts'

const executablePath = findBrowser('chromium')

/** Whether there is no browser to test in; vite.config.ts says so, and refuses it in CI. */
export const hasNoBrowser: boolean = executablePath === undefined

/** What a page complained about while it was open. */
export interface Complaints {
  /** Breaches of the Content-Security-Policy. */
  readonly violations: string[]
  /** Uncaught errors, and errors and warnings on the console. */
  readonly errors: string[]
}

/** The built pages on a local address, and a browser. */
export class Site {
  readonly #folder: string
  readonly #browser: Browser
  readonly #servers: PreviewServer[] = []
  /** Address of the example, with the headers that vite.config.ts gives it. */
  readonly url: string

  private constructor(folder: string, browser: Browser, server: PreviewServer) {
    this.#folder = folder
    this.#browser = browser
    this.#servers.push(server)
    this.url = addressOf(server)
  }

  static async open(): Promise<Site> {
    const folder = await builtPages()
    const browser = await chromium.launch({ executablePath: executablePath ?? '', args: chromiumArgs })
    return new Site(folder, browser, await serve(folder))
  }

  /** Address of the same pages under another Content-Security-Policy. */
  async under(policy: string): Promise<string> {
    const server = await serve(this.#folder, { 'Content-Security-Policy': policy })
    this.#servers.push(server)
    return addressOf(server)
  }

  /** A browser profile of its own: nothing is stored yet. */
  profile(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    return this.#browser.newContext(options)
  }

  /** A tab with the example. */
  async example(context: BrowserContext, url: string = this.url): Promise<Page> {
    return opened(context, url)
  }

  /** A tab where `window.sx` is the library. */
  async probe(context: BrowserContext, url: string = this.url): Promise<Page> {
    const page = await opened(context, `${url}probe/`)
    await page.waitForFunction(() => 'sx' in window)
    return page
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await Promise.all(this.#servers.map((server) => server.close()))
  }
}

function serve(outDir: string, headers?: Record<string, string>): Promise<PreviewServer> {
  const options = { port: 0, host: '127.0.0.1', ...(headers && { headers }) }
  return preview({ configFile, mode: 'production', logLevel: 'error', build: { outDir }, preview: options })
}

function addressOf(server: PreviewServer): string {
  const [url] = server.resolvedUrls?.local ?? []
  if (url === undefined) throw new Error('The preview server has no address.')
  return url.replace('127.0.0.1', 'localhost')
}

const heard = new WeakMap<Page, Complaints>()

/** What a page has complained about so far. */
export function complaintsOf(page: Page): Complaints {
  const complaints = heard.get(page)
  if (complaints === undefined) throw new Error('This page was not opened here.')
  return complaints
}

async function opened(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  const complaints: Complaints = { violations: [], errors: [] }
  heard.set(page, complaints)
  page.on('pageerror', (error) => complaints.errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.errors.push(message.text())
  })
  await page.exposeFunction('onViolation', (text: string) => complaints.violations.push(text))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      void (window as unknown as { onViolation(text: string): Promise<void> }).onViolation(
        `${effectiveDirective} ${blockedURI}`,
      )
    })
  })
  await page.goto(url)
  return page
}

declare global {
  interface Window {
    readonly sx: Probe
  }
}
