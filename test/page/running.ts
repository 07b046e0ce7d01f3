// A browser process of its own, which a test can kill.
import { type BrowserContext, chromium } from 'playwright'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { HANGING } from '../pace.ts'

/** Has the pages of a browser do without BroadcastChannel, or not. */
export function silence(context: BrowserContext, hasChannel: boolean): Promise<unknown> {
  return context.addInitScript((hasChannel) => {
    if (!hasChannel) Reflect.deleteProperty(globalThis, 'BroadcastChannel')
  }, hasChannel)
}

/** What work ends with that can only fail. */
export const failing = (work: Promise<void>): Promise<string> => work.then(() => 'nothing', String)

/** A browser process with a profile on disk. */
export class Running {
  readonly context: BrowserContext
  readonly #pid: number

  private constructor(context: BrowserContext, pid: number) {
    this.context = context
    this.#pid = pid
  }

  static async start(profile: string, hasChannel = true): Promise<Running> {
    const executablePath = findBrowser('chromium') ?? ''
    const context = await chromium.launchPersistentContext(profile, { executablePath, args: chromiumArgs })
    context.setDefaultTimeout(HANGING)
    const session = await context.browser()?.newBrowserCDPSession()
    const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {}
    const pid = processInfo.find(({ type }) => type === 'browser')?.id
    if (pid === undefined) throw new Error('The browser does not say which process it is.')
    await silence(context, hasChannel)
    return new Running(context, pid)
  }

  /** SIGKILL: nothing is flushed, closed or said goodbye to. */
  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.context.once('close', resolve))
    process.kill(this.#pid, 'SIGKILL')
    await gone
  }
}
