// The example page and a page of bare library calls, built as a user builds them and served with their headers.
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright'
import { loadConfigFromFile, type PreviewServer, preview } from 'vite'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { HANGING, WAITING } from '../pace.ts'
import { STARTS } from '../patience.ts'
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

/** How a tab differs from others. */
interface Look {
  readonly viewport?: { width: number; height: number }
  readonly colorScheme?: 'light' | 'dark'
  /** Runs in the page before its own scripts. */
  readonly script?: () => void
}

/** A profile that is used by one test after the other, and the session that empties it. */
interface Lent {
  readonly context: BrowserContext
  readonly keeper: Page
  readonly session: CDPSession
}

const permissions = ['clipboard-read', 'clipboard-write']

/** The built pages on a local address, and a browser. */
export class Site {
  readonly #folder: string
  readonly #browser: Browser
  readonly #servers: PreviewServer[] = []
  readonly #free: Lent[] = []
  readonly #lent = new Map<BrowserContext, Lent>()
  /** Address of the example, with the headers that vite.config.ts gives it. */
  readonly url: string

  private constructor(folder: string, browser: Browser, server: PreviewServer) {
    this.#folder = folder
    this.#browser = browser
    this.#servers.push(server)
    this.url = addressOf(server)
  }

  /**
   * @param tabs whether tabs share a process. Then it keeps the code of the core that it has compiled, and a test takes
   * half of the time; tests of several tabs want them to run at the same time.
   */
  static async open(tabs: 'together' | 'apart' = 'together'): Promise<Site> {
    const folder = await builtPages()
    const args = tabs === 'together' ? [...chromiumArgs, '--process-per-site'] : chromiumArgs
    const browser = await chromium.launch({ executablePath: executablePath ?? '', args })
    return new Site(folder, browser, await serve(folder))
  }

  /** Address of the same pages under another Content-Security-Policy. */
  async under(policy: string): Promise<string> {
    const server = await serve(this.#folder, { 'Content-Security-Policy': policy })
    this.#servers.push(server)
    return addressOf(server)
  }

  /** A new browser profile, for tests that change the profile itself. */
  async profile(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await this.#browser.newContext(options)
    context.setDefaultTimeout(HANGING) // Playwright gives up after 30 seconds, which a busy machine can need
    return context
  }

  /** A browser profile where nothing is stored, and which may use the clipboard. It is to be left with `leave`. */
  async emptied(): Promise<BrowserContext> {
    const lent = this.#free.pop() ?? (await this.#lend())
    this.#lent.set(lent.context, lent)
    return lent.context
  }

  async #lend(): Promise<Lent> {
    const context = await this.profile({ permissions })
    const keeper = await context.newPage()
    await keeper.goto(`${this.url}icon.svg`)
    return { context, keeper, session: await context.newCDPSession(keeper) }
  }

  /** Closes a profile. One of `emptied` is emptied instead. */
  async leave(context: BrowserContext | undefined): Promise<void> {
    const lent = context && this.#lent.get(context)
    if (lent === undefined) {
      await context?.close()
      return
    }
    this.#lent.delete(lent.context)
    const pages = lent.context.pages()
    const urls = [...this.#servers.map(addressOf), ...pages.map((page) => page.url())]
    await Promise.all(pages.filter((page) => page !== lent.keeper).map((page) => page.close()))
    for (const origin of new Set(urls.map((url) => new URL(url).origin))) {
      if (origin !== 'null') await lent.session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    }
    this.#free.push(lent)
  }

  /** A tab with the example. */
  async example(context: BrowserContext, url: string = this.url, look: Look = {}): Promise<Page> {
    return opened(context, url, look)
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

let loading: ReturnType<typeof loadConfigFromFile> | undefined

async function serve(outDir: string, headers?: Record<string, string>): Promise<PreviewServer> {
  loading ??= loadConfigFromFile({ command: 'serve', mode: 'production', isPreview: true }, configFile)
  const { config } = (await loading) ?? {}
  return preview({
    ...config,
    configFile: false,
    mode: 'production',
    logLevel: 'error',
    build: { outDir },
    preview: { ...config?.preview, port: 0, host: '127.0.0.1', ...(headers && { headers }) },
  })
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

async function opened(
  context: BrowserContext,
  url: string,
  { viewport, colorScheme, script }: Look = {},
): Promise<Page> {
  const page = await context.newPage()
  if (viewport) await page.setViewportSize(viewport)
  if (colorScheme) await page.emulateMedia({ colorScheme })
  if (script) await page.addInitScript(script)
  await page.addInitScript(
    ([starts, longest]) => {
      const setTimeout = window.setTimeout.bind(window)
      const patient = (back: TimerHandler, milliseconds = 0, ...given: unknown[]): number =>
        setTimeout(back, starts.includes(milliseconds) ? longest : milliseconds, ...given)
      Object.assign(window, { setTimeout: patient })
    },
    [STARTS, WAITING] as const,
  )
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
