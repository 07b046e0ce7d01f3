/** How writes come to their end, and agents. */
import { runAsync } from '../effects.ts'
import type { SxError } from '../errors.ts'
import { type Loaded, type Session, wipe, wipeSigning } from '../session.ts'
import { storageError } from '../storage/contract.ts'
import { confirmBehind } from './current-key.ts'

/**
 * Resolves when everything written so far is as durable as the storage makes it. It rejects with the first failure; what
 * the rest has to tell is left to the next call, unless the agent is being closed.
 *
 * @param isEnding whether the agent is being closed
 * @throws SxError what has made a write behind fail; `KeyRevoked`, `Busy`
 */
export async function flush(loaded: Loaded, isEnding = false): Promise<void> {
  let failure: SxError | undefined
  for (const step of [() => judgeBefore(loaded), () => flushOwn(loaded, isEnding)]) {
    try {
      await step()
    } catch (error) {
      failure ??= storageError(error)
      if (!isEnding) break
    }
  }
  if (failure !== undefined) throw failure
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
      if (!former.loaded.own.isBehind && before.delete(former)) former.end()
    }
  }
}

async function flushOwn(loaded: Loaded, isEnding: boolean): Promise<void> {
  const { trust, place } = loaded
  const { behind } = loaded.own
  await trust.flush()
  await place.directories.flush()
  if (behind.size > 0) await runAsync(() => confirmBehind(loaded, behind, isEnding))
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
    for (const leaving of session.leaving ?? []) leaving.wipe()
    session.leaving?.clear()
    session.closing = release(loaded, session.closing)
  }
  const { closing } = session
  try {
    await closing
  } finally {
    if (session.closing === closing) session.closing = undefined
  }
}

async function release(loaded: Loaded, before: Promise<void> | undefined): Promise<void> {
  let failure: SxError | undefined
  const steps = [
    () => before,
    () => flush(loaded, true),
    async () => wipe(loaded), // what was written behind is judged once more
    async () => loaded.before.forEach(({ loaded: former }) => wipe(former)),
    () => loaded.trust.close(),
    () => loaded.place.directories.close(),
  ]
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failure ??= storageError(error)
    }
  }
  if (failure !== undefined) throw failure
}
