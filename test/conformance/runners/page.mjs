// A page: runs the suite in itself and in one worker of each kind, or in the places that its address names (`#shared`),
// and sends each report to the server it came from.
import { progressOf } from './progress.mjs'
import { main, report } from './report.mjs'

const send = (place, text) => fetch(`/report/${place}`, { method: 'POST', body: text })

/** The first message of a worker. */
const answerOf = (port, worker) =>
  new Promise((resolve, reject) => {
    port.onmessage = ({ data }) => resolve(data)
    worker.onerror = (event) => reject(new Error(`the worker does not start: ${event.message}`))
  })

/** Runs the suite in a service worker, anew where the browser has stopped that in the middle. */
async function service() {
  await navigator.serviceWorker.register('/service.js')
  const { active } = await navigator.serviceWorker.ready
  const post = (words, answer) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => answer(data)
    active.postMessage(words, [port2])
  }
  const starts = new Set()
  let awake
  const reported = new Promise((resolve) => {
    const run = () => post('run', resolve)
    run()
    // Who is asked stays awake.
    const ask = ({ isAsked, start }) => {
      if (isAsked || starts.has(start)) return
      starts.add(start)
      if (starts.size < 3) run()
      else resolve('FAILED: the browser stopped the service worker three times')
    }
    awake = setInterval(() => post('asked?', ask), 5_000)
  })
  return reported.finally(() => clearInterval(awake))
}

const places = {
  page: async () => {
    await main.init()
    return report({ place: 'page', begin: progressOf('page') })
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

const wanted = location.hash === '' ? Object.keys(places) : location.hash.slice(1).split(',')
for (const place of wanted) {
  try {
    await send(place, await places[place]())
  } catch (error) {
    await send(place, `FAILED: ${error?.stack ?? error}`)
  }
}
