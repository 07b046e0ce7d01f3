import { get, update } from 'idb-keyval'
import { type EffectOf, kind } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { KnownPasskey, OpenedByPasskey, Passkeys } from '../src/platform.ts'
import type { IdbStore } from './storage/idb-store.ts'
import { inVault, nameOf, refusing } from './vault-store.ts'
import { askForPasskey, checkPasskeys, forgetPasskey, type Given, makePasskey, type Passkey } from './webauthn.ts'

/** A passkey, and which private key it opens. */
type Kept = Passkey & KnownPasskey

/** What is kept as passkeys, if it is that. */
function keptOf(value: unknown): readonly Kept[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every(isKept)) return value as Kept[]
  throw new SxError('CorruptStore', 'The stored list of passkeys was overwritten.')
}

function isKept(one: Partial<Kept> | null): boolean {
  return (
    typeof one?.agentId === 'string' &&
    typeof one.encryption === 'string' &&
    typeof one.id === 'string' &&
    /^[\w-]+$/.test(one.id) &&
    one.salt instanceof Uint8Array &&
    Array.isArray(one.transports)
  )
}

async function read(store: IdbStore, place: string): Promise<readonly Kept[]> {
  return keptOf(await get<unknown>(place, store))
}

function opened({ passkey, password }: Given): OpenedByPasskey {
  return { id: passkey.id, password }
}

async function make(
  store: IdbStore,
  place: string,
  owner: Omit<KnownPasskey, 'id'>,
  name: string,
): Promise<OpenedByPasskey> {
  keptOf(await get<unknown>(place, store)) // what is damaged is told before anybody is asked
  const given = await makePasskey(name)
  try {
    await update<unknown>(place, (known) => [{ ...owner, ...given.passkey }, ...keptOf(known)], store)
  } catch (error) {
    await forgetPasskey(given.passkey.id)
    throw error
  }
  return opened(given)
}

async function ask(store: IdbStore, place: string, ids: readonly string[]): Promise<OpenedByPasskey> {
  const own = (await read(store, place)).filter(({ id }) => ids.includes(id))
  if (own.length === 0) throw new SxError('PasswordRequired', 'The passkey was just removed from this browser.')
  return opened(await askForPasskey(own))
}

async function drop(store: IdbStore, place: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await update<unknown>(place, (known) => keptOf(known).filter(({ id }) => !ids.includes(id)), store)
  for (const id of ids) await forgetPasskey(id)
}

const onlyAsync = refusing('A passkey can only be requested asynchronously.')
const place = (configPath: string): string => nameOf('passkeys', configPath)

const MAKE = /* @__PURE__ */ kind('makePasskey', {
  async: ({ configPath, owner, name }) => inVault((store) => make(store, place(configPath), owner, name)),
  sync: onlyAsync,
})
const ASK = /* @__PURE__ */ kind('askForPasskey', {
  async: ({ configPath, ids }) => inVault((store) => ask(store, place(configPath), ids)),
  sync: onlyAsync,
})
const LIST = /* @__PURE__ */ kind('listPasskeys', {
  async: ({ configPath }) => inVault((store) => read(store, place(configPath))),
  sync: onlyAsync,
})
const DROP = /* @__PURE__ */ kind('dropPasskeys', {
  async: ({ configPath, ids }) => inVault((store) => drop(store, place(configPath), ids)),
  sync: onlyAsync,
})

/** Passkeys of a page, whose secrets only their authenticators have. */
export const passkeys: Passkeys = {
  check: checkPasskeys,
  make: (configPath, owner, name): EffectOf<'makePasskey'> => ({ kind: MAKE, configPath, owner, name }),
  ask: (configPath, ids): EffectOf<'askForPasskey'> => ({ kind: ASK, configPath, ids }),
  list: (configPath): EffectOf<'listPasskeys'> => ({ kind: LIST, configPath }),
  drop: (configPath, ids): EffectOf<'dropPasskeys'> => ({ kind: DROP, configPath, ids }),
}
