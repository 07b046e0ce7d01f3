import { compareKeys, type Key, type Storage } from '../../src/storage/contract.ts'
import type { MirroredStorage } from '../../src/storage/mirror.ts'

/** What a page is told when somebody leaves it or comes back. */
interface Moves {
  /** Called before any other listener of `pagehide`, except those that capture it and came first. */
  readonly left: () => void
  /** It is shown, is thawed, or comes from the back/forward cache. */
  readonly back: () => void
}

/**
 * Watches whether somebody leaves the page or comes back to it. In workers nothing of that happens.
 *
 * @returns what ends it
 */
export function watchPage({ left, back }: Moves): () => void {
  const { document } = globalThis as { document?: Document }
  if (document === undefined) return () => {}
  const watching = new AbortController()
  const { signal } = watching
  const seen = (): void => {
    if (document.visibilityState === 'visible') back()
  }
  addEventListener('pagehide', left, { signal, capture: true })
  addEventListener('pageshow', back, { signal })
  document.addEventListener('resume', back, { signal })
  document.addEventListener('visibilitychange', seen, { signal })
  return () => watching.abort()
}

/**
 * Has a mirror show what others have changed without its having heard of it: a page that ends right after it has written
 * tells nobody. Entries that never change are read only where they are new.
 */
export async function readAgain(
  inner: Storage,
  mirror: MirroredStorage,
  isImmutable: (key: Key) => boolean,
): Promise<void> {
  const shown = mirror.listSync([])[Symbol.iterator]()
  let known = shown.next()
  const changed: Key[] = []
  for await (const key of inner.list([])) {
    // Both lists are in order. What only the mirror has is gone, or waits to be written.
    while (known.done !== true && compareKeys(known.value, key) < 0) {
      changed.push(known.value)
      known = shown.next()
    }
    const isKnown = known.done !== true && compareKeys(known.value, key) === 0
    if (isKnown) known = shown.next()
    if (!isKnown || !isImmutable(key)) changed.push(key)
  }
  for (; known.done !== true; known = shown.next()) changed.push(known.value)
  await mirror.invalidate(changed)
}
