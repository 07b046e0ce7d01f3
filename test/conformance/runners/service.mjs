// A service worker, bundled into one classic script, which does not know its address: it names the modules.
import { main, report } from './report.mjs'

async function run(port) {
  try {
    await main.init({ core: '/core.wasm', media: '/media.wasm', pixels: '/pixels.wasm', schema: '/schema.wasm' })
    port.postMessage(await report({ place: 'service', short: true }))
  } catch (error) {
    port.postMessage(`FAILED: ${error?.stack ?? error}`)
  }
}

globalThis.addEventListener('install', () => globalThis.skipWaiting())
globalThis.addEventListener('message', (event) => {
  if (event.data === 'run') event.waitUntil(run(event.ports[0]))
})
