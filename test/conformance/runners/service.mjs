// A service worker, bundled into one classic script, which does not know its address: it names the modules.
import { modulesAt } from './modules.mjs'
import { progressOf } from './progress.mjs'
import { main, report } from './report.mjs'

/** Whether it has been asked to run since it started: a browser may stop it at any time, and start it anew. */
let isAsked = false

async function run(port) {
  isAsked = true
  try {
    await main.init(modulesAt((name) => `/${name}.wasm`))
    port.postMessage(await report({ place: 'service', short: true, begin: progressOf('service') }))
  } catch (error) {
    port.postMessage(`FAILED: ${error?.stack ?? error}`)
  }
}

globalThis.addEventListener('install', () => globalThis.skipWaiting())
globalThis.addEventListener('message', (event) => {
  if (event.data === 'run') event.waitUntil(run(event.ports[0]))
  else event.ports[0].postMessage({ isAsked, start: performance.timeOrigin })
})
