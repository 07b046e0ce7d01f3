// Where browsers are, and how they are started for tests.
import { existsSync } from 'node:fs'

const places = {
  chromium: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ],
  firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'],
  webkit: [
    '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
    '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  ],
}

/** Path of an installed browser, or undefined; SX_CHROMIUM, SX_FIREFOX and SX_WEBKIT name one elsewhere. */
export function findBrowser(name) {
  const chosen = process.env[`SX_${name.toUpperCase()}`]
  if (!chosen) return places[name].find((path) => existsSync(path))
  if (!existsSync(chosen)) throw new Error(`SX_${name.toUpperCase()} names ${chosen}, which does not exist.`)
  return chosen
}

/** Arguments for a test browser: in a container, without a sandbox, a GPU or calls home. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
