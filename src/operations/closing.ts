/** How writes come to their end, and agents. */
import { isBelated } from '../belated.ts'
import { runAsync } from '../effects.ts'
import { SxError } from '../errors.ts'
import { wipeAll } from '../running.ts'
import { type Loaded, letGo, type Session, wipe, wipeSigning } from '../session.ts'
import { storageError } from '../storage/contract.ts'
import { confirmBehind } from './current-key.ts'

/**
 * Resolves when everything written so far is as durable as the storage makes it. It rejects with the first failure, and
 * leaves the others to the next call.
 *
 * @param isEnding whether the agent is being closed: what can still be done is, whatever has failed
 * @throws SxError what has made a write behind fail; `KeyRevoked`, `Busy`
 */
export async function flush(loaded: Loaded, isEnding = false): Promise<void> {
  const { trust, place } = loaded
  const behind = loaded.behind.snapshot
  // Note earlier failures before anything is awaited, because another call may throw them in the meantime. Remove them only
  // when this call throws: a call that begins in the meantime, and ends first, has to throw them, too.
  const earlier = trust.failures.take()
  const failures = new Steps()
  const stored = (): Promise<void> =>
    place.directories.flush().catch((error: unknown) => {
      if (!(error instanceof SxError && isBelated(error))) throw error
      trust.failures.note(error)
    })
  const written = Promise.allSettled([trust.settled(), stored()])
  await failures.attempt(() => judgeBefore(loaded))
  for (const one of await written) if (one.status === 'rejected') failures.note(one.reason)
  const rest = [
    stored, // with what decisions on trust have written
    async () => {
      const isToLook = behind.dates.size > 0 || (loaded.behind.isBlocked && !isEnding)
      if (isToLook) await runAsync(() => confirmBehind(loaded, behind, isEnding))
    },
  ]
  for (const step of rest) if (isEnding || !(failures.areAny || earlier.areAny)) await failures.attempt(step)
  failures.throw((other) => trust.failures.note(other))
  earlier.throw()
}

/** Judges what agents have written behind in whose place this one was loaded. */
async function judgeBefore({ before }: Loaded): Promise<void> {
  for (const former of before) {
    former.judging ??= flush(former.loaded, true)
    try {
      await former.judging
    } finally {
      former.judging = undefined
      // Of one that failed it may not be known yet: the next call asks again.
      if (former.loaded.behind.isEmpty && before.delete(former)) former.end()
    }
  }
}

/** Steps of which each is tried; the first failure is thrown at the end. */
class Steps {
  readonly #errors: SxError[] = []

  get areAny(): boolean {
    return this.#errors.length > 0
  }

  note(error: unknown): void {
    this.#errors.push(storageError(error))
  }

  async attempt(step: () => unknown): Promise<void> {
    try {
      await step()
    } catch (error) {
      this.note(error)
    }
  }

  /** @param leave is given what else would not be told again */
  throw(leave: (error: SxError) => void = () => {}): void {
    const [first, ...others] = this.#errors
    for (const other of others) if (other !== first && isBelated(other)) leave(other)
    if (first !== undefined) throw first
  }
}

/** Lets go of a loaded agent: all its keys are overwritten at once; pending writes end before the storage is closed. */
export async function close(session: Session): Promise<void> {
  const { loaded, endings } = session
  session.closings = (session.closings ?? 0) + 1
  if (loaded !== undefined) {
    for (const end of endings ?? []) end()
    endings?.clear()
    session.loaded = undefined
    if (session.isForgetful === true) session.options = {}
    if (loaded.signing !== undefined) wipeSigning(loaded.signing)
    wipeAll(session.running ?? [])
    session.closing = release(session, loaded, session.closing)
  }
  const { closing } = session
  try {
    await closing
  } finally {
    if (session.closing === closing) session.closing = undefined
  }
}

async function release(session: Session, loaded: Loaded, before: Promise<void> | undefined): Promise<void> {
  const failures = new Steps()
  const steps = [
    () => before,
    () => flush(loaded, true),
    // What was written behind is judged once more, here and by a flush that is still running.
    () => letGo(session, () => wipe(loaded)),
    () => loaded.before.forEach(({ loaded: former }) => letGo(session, () => wipe(former))),
    () => loaded.trust.close(),
    () => loaded.place.directories.close(),
  ]
  for (const step of steps) await failures.attempt(step)
  failures.throw()
}
