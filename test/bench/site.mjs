// Pages in which something is measured, built as a user's, and the browser that visits them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'

/** How Vite is called, for the build and for the server of it. */
function settings(name, outDir) {
  const root = fileURLToPath(new URL(name, import.meta.url))
  return { root, configFile: false, logLevel: 'error', build: { outDir, target: 'es2022', emptyOutDir: true } }
}

/** Builds the page of a folder, and serves it for as long as `work` takes, which is told the address and the folder. */
export async function withSite(name, work) {
  const folder = mkdtempSync(join(tmpdir(), 'sx-bench-'))
  try {
    await build(settings(name, folder))
    const server = await preview({ ...settings(name, folder), preview: { port: 0, host: '127.0.0.1' } })
    try {
      return await work(server.resolvedUrls.local[0], folder)
    } finally {
      await server.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A browser for as long as `work` takes. */
export async function withBrowser(work) {
  const executablePath = findBrowser('chromium')
  if (executablePath === undefined) throw new Error('Chromium is missing: run `node scripts/setup.mjs --browsers`.')
  const browser = await chromium.launch({ executablePath, args: chromiumArgs })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}

/**
 * What a function gives in a page, in a profile of its own.
 *
 * @param onRequest is told the address of everything that the function loads
 */
export async function visit(browser, address, work, given, onRequest) {
  const profile = await browser.newContext()
  try {
    const tab = await profile.newPage()
    await tab.goto(address)
    if (onRequest !== undefined) profile.on('request', (request) => onRequest(request.url()))
    return await tab.evaluate(work, given)
  } finally {
    await profile.close()
  }
}
