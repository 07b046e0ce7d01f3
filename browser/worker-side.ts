import type { Connection, Post } from '../src/worker/connection.ts'
import { HELLO } from '../src/worker/remote.ts'

/** Serves a connection in this worker. The first message names the lock that it holds for as long as it runs. */
export function serve<Theirs>(connect: (post: Post) => Connection<Theirs>): void {
  const connection = connect((message, transfer) => self.postMessage(message, { transfer }))
  self.onmessage = ({ data: lock }: MessageEvent<string | undefined>) => {
    self.onmessage = ({ data }: MessageEvent<unknown>) => connection.receive(data)
    const begin = (): void => self.postMessage(HELLO)
    if (lock === undefined) begin()
    else holdLock(lock, begin)
  }
}

function holdLock(lock: string, held: () => void): void {
  const hold = (): Promise<never> => {
    held()
    return new Promise<never>(() => {})
  }
  // Where locks are not allowed it runs without one.
  navigator.locks.request(lock, hold).catch(held)
}
