import type { Connection, Post } from '../src/worker/connection.ts'
import { HELLO } from '../src/worker/remote.ts'

/** Serves a connection in this thread. */
export function serve<Theirs>(connect: (post: Post) => Connection<Theirs>): void {
  const port = process.getBuiltinModule('node:worker_threads').parentPort
  if (port === null) throw new Error('Only the package can run this file, in a worker thread.')
  const connection = connect((message, moved) => port.postMessage(message, moved))
  port.on('message', (message: unknown) => connection.receive(message))
  port.postMessage(HELLO)
}
