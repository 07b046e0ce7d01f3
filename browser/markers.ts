import { type EffectOf, kind } from '../src/effects.ts'
import type { Marker, Markers } from '../src/platform.ts'
import { soon } from './soon.ts'
import { nameOf } from './vault-store.ts'

/** Workers have no `localStorage`, and pages share agents with them. */
const CACHE = 'sx-agent-markers'
/** How long a browser may take, in milliseconds: what it does not say in time is not known. */
const PATIENCE = 2000

/** What is noted, if it is that: every script of this origin can write there. */
function markerOf(text: string | null | undefined): Marker | undefined {
  try {
    const { agentId, keyId } = JSON.parse(text ?? '{}') as Partial<Marker>
    const isMarker = /^[\da-f-]{36}$/.test(agentId ?? '') && /^[\w-]{43}$/.test(keyId ?? '')
    return isMarker ? ({ agentId, keyId } as Marker) : undefined
  } catch {
    return undefined
  }
}

const textOf = ({ agentId, keyId }: Marker): string => JSON.stringify({ agentId, keyId })
const nameAt = (configPath: string): string => `sx-agent ${nameOf('agent', configPath)}`

/** `localStorage`; `undefined` where there is none, or it is not allowed. */
function local(): globalThis.Storage | undefined {
  try {
    return (globalThis as { localStorage?: globalThis.Storage }).localStorage
  } catch {
    return undefined
  }
}

function readLocal(configPath: string): Marker | undefined {
  try {
    return markerOf(local()?.getItem(nameAt(configPath)))
  } catch {
    return undefined
  }
}

function writeLocal(configPath: string, text: string): void {
  try {
    local()?.setItem(nameAt(configPath), text)
  } catch {
    // It is full, or not allowed.
  }
}

/** An address of this site that nobody asks for. */
const addressOf = (configPath: string): string =>
  new URL(`/${encodeURIComponent(nameAt(configPath))}`, globalThis.origin).href

/** Works in the cache. Where there is none, as in an insecure page, or it is not allowed, there is nothing in it. */
async function inCache<T>(
  configPath: string,
  work: (cache: Cache, address: string) => Promise<T>,
): Promise<T | undefined> {
  const working = async (): Promise<T | undefined> => {
    try {
      const { caches } = globalThis as { caches?: CacheStorage }
      return caches && (await work(await caches.open(CACHE), addressOf(configPath)))
    } catch {
      return undefined
    }
  }
  return soon(working(), PATIENCE)
}

const textIn = async (cache: Cache, address: string): Promise<string | undefined> =>
  (await cache.match(address))?.text()

async function writeCache(configPath: string, text: string): Promise<void> {
  await inCache(configPath, async (cache, address) => {
    if ((await textIn(cache, address)) !== text) await cache.put(address, new Response(text))
  })
}

const READ = /* @__PURE__ */ kind('readMarker', {
  async: async ({ configPath }) => markerOf(await inCache(configPath, textIn)) ?? readLocal(configPath),
  sync: ({ configPath }) => readLocal(configPath),
})

const WRITE = /* @__PURE__ */ kind('writeMarker', {
  async: async ({ configPath, marker }) => {
    writeLocal(configPath, textOf(marker))
    await writeCache(configPath, textOf(marker))
  },
  sync: ({ configPath, marker }) => {
    writeLocal(configPath, textOf(marker))
    void writeCache(configPath, textOf(marker))
  },
})

/**
 * Notes outside of IndexedDB, which browsers lose and users clear by itself. Workers have the Cache API alone; a page has
 * `localStorage` as well, which needs no secure address and has a synchronous form.
 */
export const markers: Markers = {
  read: (configPath): EffectOf<'readMarker'> => ({ kind: READ, configPath }),
  write: (configPath, marker): EffectOf<'writeMarker'> => ({ kind: WRITE, configPath, marker }),
}
