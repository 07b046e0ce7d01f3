// A dedicated or shared worker, a module.
import { progressOf } from './progress.mjs'
import { main, report } from './report.mjs'

async function run(port, place) {
  try {
    await main.init()
    port.postMessage(await report({ place, short: true, begin: progressOf(place) }))
  } catch (error) {
    port.postMessage(`FAILED: ${error?.stack ?? error}`)
  }
}

if ('onconnect' in globalThis) globalThis.onconnect = ({ ports: [port] }) => run(port, 'shared')
else void run(globalThis, 'dedicated')
