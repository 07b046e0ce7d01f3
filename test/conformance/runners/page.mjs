// A page: runs the suite in itself and in one worker of each kind, and sends each report to the server it came from.
import { main, report } from './report.mjs'

const send = (place, text) => fetch(`/report/${place}`, { method: 'POST', body: text })

/** The first message of a worker. */
const answerOf = (port, worker) =>
  new Promise((resolve, reject) => {
    port.onmessage = ({ data }) => resolve(data)
    worker.onerror = (event) => reject(new Error(`the worker does not start: ${event.message}`))
  })

async function service() {
  await navigator.serviceWorker.register('/service.js')
  const { active } = await navigator.serviceWorker.ready
  const { port1, port2 } = new MessageChannel()
  active.postMessage('run', [port2])
  const awake = setInterval(() => active.postMessage('stay'), 5_000) // else the browser may stop it in the middle
  return answerOf(port1, active).finally(() => clearInterval(awake))
}

const places = {
  page: async () => {
    await main.init()
    return report({ place: 'page' })
  },
  dedicated: () => {
    const worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' })
    return answerOf(worker, worker)
  },
  shared: () => {
    if (typeof SharedWorker === 'undefined') return 'absent'
    const worker = new SharedWorker(new URL('./worker.mjs', import.meta.url), { type: 'module' })
    return answerOf(worker.port, worker)
  },
  service,
}

for (const [place, run] of Object.entries(places)) {
  try {
    await send(place, await run())
  } catch (error) {
    await send(place, `FAILED: ${error?.stack ?? error}`)
  }
}
