// A server that answers well and badly, for what is signed and verified from an address.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** What a server sends. */
type Content = string | Uint8Array

/** So many bytes a server goes on to send after those that nobody may read. */
const ENDLESS = 64 << 20

/** In so many pieces something comes slowly, after so many milliseconds each. */
const SLOW_PIECES = 8
export const SLOW_PAUSE = 200

const answers: Readonly<Record<string, (answer: ServerResponse, content: Content) => unknown>> = {
  '/whole': (answer, content) => answer.end(content),
  '/zipped': (answer, content) => answer.setHeader('Content-Encoding', 'gzip').end(gzipSync(content)),
  '/pieces': async (answer, content) => {
    for (const piece of Buffer.from(content)
      .toString('latin1')
      .match(/[^]{1,100}/g) ?? []) {
      answer.write(Buffer.from(piece, 'latin1'))
      await new Promise(setImmediate)
    }
    answer.end()
  },
  '/moved': (answer) => answer.writeHead(302, { Location: '/whole' }).end(),
  '/circle': (answer) => answer.writeHead(302, { Location: '/circle' }).end(),
  // The content comes with them all the same: what counts is that the server does not call it the content.
  '/missing': (answer, content) => answer.writeHead(404).end(content),
  '/broken': (answer, content) => answer.writeHead(503).end(content),
  '/part': (answer, content) => answer.writeHead(206, { 'Content-Range': 'bytes 0-9/*' }).end(content),
  '/none': (answer) => answer.writeHead(204).end(),
  '/silent': () => {},
  '/halting': (answer, content) => answer.write(Buffer.from(content).subarray(0, 10)),
  '/slow': async (answer, content) => {
    const bytes = Buffer.from(content)
    const step = Math.ceil(bytes.length / SLOW_PIECES)
    for (let at = 0; at < bytes.length; at += step) {
      await setTimeout(SLOW_PAUSE)
      answer.write(bytes.subarray(at, at + step))
    }
    answer.end()
  },
  '/cut': (answer, content) => {
    answer.writeHead(200, { 'Content-Length': content.length + 10 }).write(content, () => answer.destroy())
  },
  '/declared': (answer) => answer.writeHead(200, { 'Content-Length': 5_000_000_000 }).flushHeaders(),
  '/endless': (answer) => {
    let sent = 0
    const more = (): void => {
      for (let flows = true; flows && sent < ENDLESS; sent += 1 << 16) flows = answer.write(Buffer.alloc(1 << 16, 97))
      if (sent >= ENDLESS) answer.end()
    }
    answer.on('drain', more)
    more()
  },
}

/** A server with one content, at `/whole` and, in other words, at other paths. */
export class Answering {
  readonly #server = createServer(({ url = '' }, answer) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (searchParams.has('open')) answer.setHeader('Access-Control-Allow-Origin', '*')
    this.asked.push(pathname)
    answer.on('close', () => this.closed.push(pathname))
    const send = answers[pathname]
    if (send === undefined) answer.writeHead(500).end()
    else void send(answer, this.content)
  })
  /** Paths that were asked for, and those whose answer has ended, in that order. */
  readonly asked: string[] = []
  readonly closed: string[] = []
  content: Content = ''

  static async start(): Promise<Answering> {
    const answering = new Answering()
    // It would end a connection after 5 idle seconds: on a busy machine, while somebody begins to use it again.
    answering.#server.keepAliveTimeout = 0
    answering.#server.listen(0, '127.0.0.1')
    await once(answering.#server, 'listening')
    return answering
  }

  /** Host and port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  url(path: string): URL {
    return new URL(path, `http://${this.host}`)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
