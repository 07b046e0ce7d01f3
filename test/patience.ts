/**
 * The library gives a worker some seconds to start, and goes on without it then. A busy machine can take longer. Tests of
 * workers load this, and so does every test in a page, so that only a worker that hangs is given up.
 */
import { LONGEST_START, LONGEST_START_TO_DERIVE } from '../src/worker/starts.ts'
import { WAITING } from './pace.ts'

/** Milliseconds: what the library waits for a worker that derives keys, and for any other one. */
export const STARTS: readonly number[] = [LONGEST_START_TO_DERIVE, LONGEST_START]

const shared = globalThis as { patience?: { isGiven: boolean } }

/**
 * Whether workers have more time than the library gives them. A test of one that hangs takes it away. In a page, the
 * test has another copy of this module than the one that was loaded before it.
 */
export const patience: { isGiven: boolean } = (shared.patience ??= { isGiven: true })

const { setTimeout } = globalThis
globalThis.setTimeout = Object.assign(
  (back: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]) =>
    setTimeout(back, patience.isGiven && STARTS.includes(milliseconds) ? WAITING : milliseconds, ...given),
  setTimeout, // Node.js has a form of it for promises there
) as typeof setTimeout
