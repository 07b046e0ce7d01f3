import { isBelated } from '../belated.ts'
import { encode } from '../bytes.ts'
import { ensureReady, isReady, LONGEST_TEXT } from '../core.ts'
import { type Operation, runAsync } from '../effects.ts'
import { defaultLimits } from '../limits.ts'
import { manyOptions } from '../many-options.ts'
import { copyOfList } from '../options.ts'
import { agentClosed, atClose, beginOperation, type Loaded, requireLoaded, type Session } from '../session.ts'
import { Turns } from '../turns.ts'
import type { VerificationResult, VerifyManyOptions } from '../types.ts'
import { readVerdict } from '../verification/decide.ts'
import { beginBatch, endBatch, type KeysOf, leaveWorkers, takeWorkers, usualCount } from '../worker/pool.ts'
import { knownKeys, ofOwn, verdict } from './verify.ts'

/**
 * What is handed to a worker at once: at most so many documents, no more than one beyond so many characters, and of
 * what is left no more than one of so many parts for each worker, so that all end at about the same time.
 */
const SHARE = { documents: 32, characters: 1 << 20, parts: 4 }

/** So few documents, with so few characters, take less time than a worker takes to start. */
const FEW = { documents: 16, characters: 1 << 18 }

/** Verdicts after which other work gets its turn in any case: not every clock goes on while a program works. */
const TURN_VERDICTS = 256

/** `verifyMany` */
export async function verifyAll(
  session: Session,
  signedDocuments: readonly unknown[],
  options: VerifyManyOptions = {},
): Promise<VerificationResult[]> {
  const loaded = requireLoaded(session)
  const { concurrency = usualCount(), signal, onProgress } = manyOptions(options)
  const job = new Job(loaded, copyOfList('signedDocuments', signedDocuments), onProgress)
  if (signal?.aborted === true) throw signal.reason
  const abort = (): void => job.stop(signal?.reason)
  signal?.addEventListener('abort', abort)
  const stay = atClose(session, () => job.stop(agentClosed()))
  const end = beginOperation(session)
  try {
    return await Promise.race([job.stopped, perform(job, session, concurrency)])
  } finally {
    end()
    job.stop()
    stay()
    signal?.removeEventListener('abort', abort)
  }
}

async function perform(job: Job, session: Session, concurrency: number): Promise<VerificationResult[]> {
  if (!isReady()) await ensureReady()
  const { here, shares } = job.divide(concurrency)
  await job.verifyHere(here)
  if (shares.length > 0 && !job.isOver) await byWorkers(job, session, shares, concurrency)
  return job.results
}

/** A call: its documents and their verdicts so far. */
class Job {
  readonly loaded: Loaded
  readonly documents: readonly unknown[]
  readonly results: VerificationResult[]
  readonly #onProgress: VerifyManyOptions['onProgress']
  readonly #turns = new Turns()
  #reading: Promise<void> = Promise.resolve()
  #done = 0
  #isOver = false
  #reject: (reason: unknown) => void = () => {}
  /** Rejects when the call has to end early. */
  readonly stopped: Promise<never>

  constructor(loaded: Loaded, documents: readonly unknown[], onProgress: VerifyManyOptions['onProgress']) {
    this.loaded = loaded
    this.documents = documents
    this.results = Array.from<VerificationResult>({ length: documents.length })
    this.#onProgress = onProgress
    this.stopped = new Promise((_, reject) => {
      this.#reject = reject
    })
    this.stopped.catch(() => {})
  }

  /** Whether nothing more is to be done. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Ends the call. */
  stop(reason?: unknown): void {
    this.#isOver = true
    this.#reject(reason)
  }

  /** Which documents are for this thread, and what is handed to so many workers: shares of positions. */
  divide(workers: number): { here: number[]; shares: number[][] } {
    const longest = Math.min(this.loaded.options.limits?.bytes ?? defaultLimits().bytes, LONGEST_TEXT)
    const here: number[] = []
    const shares: number[][] = []
    let share: number[] = []
    let characters = 0
    let total = 0
    for (const [at, document] of this.documents.entries()) {
      // What is refused unread need not be copied.
      if (typeof document !== 'string' || document.length > longest) {
        here.push(at)
        continue
      }
      const left = this.documents.length - at + share.length
      const most = Math.min(SHARE.documents, Math.ceil(left / (SHARE.parts * workers)))
      if (share.length >= most || characters > SHARE.characters) {
        shares.push(share)
        share = []
        characters = 0
      }
      share.push(at)
      characters += document.length
      total += document.length
    }
    if (share.length > 0) shares.push(share)
    const isFew = this.documents.length <= FEW.documents && total <= FEW.characters
    return isFew ? { here: [...this.documents.keys()], shares: [] } : { here, shares }
  }

  /** Takes the core's answers from a worker, once those that came before are read, with pauses. */
  take(share: readonly number[], answers: readonly string[]): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(share, answers))
    return this.#reading
  }

  async #read(share: readonly number[], answers: readonly string[]): Promise<void> {
    for (const [index, at] of share.entries()) {
      if (this.#isOver) return
      this.results[at] = ofOwn(this.loaded, readVerdict(answers[index] as string, this.documents[at])).result
      if (this.#turns.isOver) await this.#turns.next()
    }
    this.#advance(share.length)
  }

  /** Makes verdicts in this thread, with pauses. */
  async verifyHere(share: readonly number[]): Promise<void> {
    let count = 0
    for (const at of share) {
      if (this.#isOver) return
      this.results[at] = (await runAsync(() => verdict(this.loaded, this.documents[at]))).result
      count += 1
      if (count < TURN_VERDICTS && !this.#turns.isOver) continue
      this.#advance(count)
      count = 0
      await this.#turns.next()
    }
    if (count > 0) this.#advance(count)
  }

  #advance(count: number): void {
    if (this.#isOver) return
    this.#done += count
    this.#onProgress?.(this.#done, this.documents.length)
  }
}

/** Has workers make the verdicts; what they don't is done here. */
async function byWorkers(job: Job, session: Session, shares: number[][], concurrency: number): Promise<void> {
  const { limits } = job.loaded.options
  const leave = leaving(session)
  const workers = takeWorkers(leave, Math.min(concurrency, shares.length))
  atClose(session, leave)
  const batch = beginBatch(keysFor(job))
  const left = shares.toReversed()
  const unanswered: number[][] = []
  /** Gives a worker one share after the other. Two of these for each let it work while an answer is read here. */
  const feed = async ({ begun, verify }: (typeof workers)[number]): Promise<void> => {
    if (!(await succeeds(begun))) return
    for (let share = left.pop(); share !== undefined && !job.isOver; share = left.pop()) {
      let answers: string[]
      try {
        answers = await verify(
          batch,
          limits,
          share.map((at) => job.documents[at] as string),
        )
      } catch {
        unanswered.push(share) // whatever it is, it shows here again, or not at all
        return
      }
      await job.take(share, answers)
    }
  }
  try {
    await Promise.all(workers.flatMap((worker) => [feed(worker), feed(worker)]))
    for (const share of [...unanswered, ...left.toReversed()]) await job.verifyHere(share)
  } finally {
    endBatch(batch)
    for (const { forget } of workers) forget(batch)
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch {
    return false
  }
}

const leavings = new WeakMap<Session, () => void>()

/** Lets go of a session's workers. It stands for the session in the pool, which must not keep a key in memory. */
function leaving(session: Session): () => void {
  const known = leavings.get(session)
  if (known !== undefined) return known
  const leave = (): void => leaveWorkers(leave)
  leavings.set(session, leave)
  return leave
}

/** Looks up the keys of each signer once, as the agent's own verdicts do. */
function keysFor(job: Job): KeysOf {
  const { loaded } = job
  const found = new Map<string, ReturnType<KeysOf>>()
  return (agentId) => {
    const known =
      found.get(agentId) ??
      (agentId === loaded.id ? runAsync(() => ownKeys(loaded)) : runAsync(() => knownKeys(loaded, agentId)))
    found.set(agentId, known)
    known.catch((error: unknown) => {
      if (isBelated(error)) job.stop(error) // of an earlier write, and told once: here it does not show again
    })
    return known
  }
}

function* ownKeys({ own }: Loaded): Operation<{ own: Uint8Array }> {
  yield* own.follow()
  return { own: encode(own.held) }
}
