/** Asks the browser not to clear what this origin keeps when room gets short. Never fails: without it all works. */
export async function askToPersist(): Promise<void> {
  try {
    const { storage } = navigator as { storage?: Partial<StorageManager> }
    if ((await storage?.persisted?.()) === false) await storage?.persist?.()
  } catch {
    // It is the browser's to refuse.
  }
}
