// Where a place of a browser is, so that one that stands still says at which case.
const SECONDS = 2
const { fetch } = globalThis // cases replace what is global
const now = performance.now.bind(performance)

/** Tells the server which case begins, at most every two seconds. */
export function progressOf(place) {
  let told = Number.NEGATIVE_INFINITY
  return (name) => {
    if (now() - told < SECONDS * 1000) return
    told = now()
    fetch(`/at/${place}`, { method: 'POST', body: name }).catch(() => {}) // a report says more
  }
}
