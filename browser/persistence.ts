import { soon } from './soon.ts'

let answer: boolean | undefined

/** Whether the browser has promised to keep what this origin has; `undefined` as long as it has not said. */
export function isPersisted(): boolean | undefined {
  return answer
}

/** How long opening a storage waits for the browser to say it, in milliseconds. */
const PATIENCE = 200

/** Learns what the browser has promised, without asking for anything. Never fails, and never takes long. */
export async function learnPersisted(): Promise<void> {
  await soon(look(), PATIENCE)
}

async function look(): Promise<void> {
  try {
    const { storage } = navigator as { storage?: Partial<StorageManager> }
    answer = await storage?.persisted?.()
  } catch {
    answer = undefined // it may not say
  }
}

/** Asks the browser not to clear what this origin keeps when room gets short. Never fails: without it all works. */
export async function askToPersist(): Promise<void> {
  await look()
  if (answer !== false) return
  try {
    const { storage } = navigator as { storage?: Partial<StorageManager> }
    answer = (await storage?.persist?.()) ?? false
  } catch {
    // It is the browser's to refuse.
  }
}
