// Requests over real HTTP, to a server of `node:http`.
import { createServer, type IncomingMessage, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import type { SxAgent } from 'sx-agent'
import { memoryReplayStore, verifyRequest } from 'sx-agent/http'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WAITING } from '../pace.ts'
import { newAgent } from './agents.ts'

const publicOrigin = 'https://api.example.com'
const url = `${publicOrigin}/orders?b=2&a=1`
const body = '{"qty":1}'

let shop: SxAgent
let server: Server
let port: number
/** What requests could not be verified for. */
const errors: unknown[] = []
let before: ((request: IncomingMessage) => Promise<unknown>) | undefined

beforeAll(async () => {
  shop = await newAgent('Shop')
  const agent = await newAgent('API')
  agent.trustAgent(shop.exportAgent())
  const options = { agent, publicOrigin, replayStore: memoryReplayStore(), maxBody: 100_000 }
  server = createServer((request, response) => {
    const { method = '', url: target = '', headersDistinct: headers } = request
    const answer = async (): Promise<void> => {
      await before?.(request)
      const result = await verifyRequest({ method, url: target, headers, body: request }, options)
      const status = result.ok ? 200 : result.status
      response.writeHead(status, { connection: 'close' }).end(result.ok ? Buffer.from(result.body) : result.code)
    }
    answer().catch((error: unknown) => {
      errors.push(error)
      response.destroy()
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  ;({ port } = server.address() as AddressInfo)
})

afterAll(async () => {
  await new Promise((closed) => server.close(closed))
})

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

/** Sends a request whose target is not looked at before. */
async function sent(
  path: string,
  headers: Record<string, string | string[]>,
  pieces: readonly (string | Buffer)[],
  method = 'POST',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() }))
    })
    request.on('error', reject)
    for (const piece of pieces) request.write(piece)
    request.end()
  })
}

const header = (text: string | Uint8Array = body, method = 'POST'): Promise<string> =>
  shop.buildRequestAuthHeader(method, url, text, publicOrigin)

it('is accepted, with a body of known length and a chunked one', async () => {
  const whole = { authorization: await header(), 'content-length': `${body.length}` }
  expect(await sent('/orders?b=2&a=1', whole, [body])).toEqual({ status: 200, text: body })
  const chunked = { authorization: await header(), 'transfer-encoding': 'chunked' }
  expect(await sent('/orders?b=2&a=1', chunked, body.split(''))).toEqual({ status: 200, text: body })
})

it('is accepted without a body', async () => {
  const authorization = await header('', 'GET')
  expect(await sent('/orders?b=2&a=1', { authorization }, [], 'GET')).toEqual({ status: 200, text: '' })
})

it('R09, R10 a target that a server might take for another one is refused', async () => {
  for (const target of ['/x/../orders?b=2&a=1', '/%2e/orders?b=2&a=1', '//orders?b=2&a=1', '/orders?b=2&a=1#x']) {
    expect(await sent(target, { authorization: await header() }, [body])).toEqual({ status: 401, text: 'UrlMismatch' })
  }
})

it('R14 a body that was compressed on its way is refused', async () => {
  const { gzipSync } = await import('node:zlib')
  const headers = { authorization: await header(), 'content-encoding': 'gzip' }
  expect(await sent('/orders?b=2&a=1', headers, [gzipSync(body)])).toEqual({ status: 401, text: 'BodyMismatch' })
})

it('R26 the second of two headers is not hidden', async () => {
  const authorization = await header()
  const lines = [
    'POST /orders?b=2&a=1 HTTP/1.1',
    'Host: x',
    `Authorization: ${authorization}`,
    `Authorization: ${authorization}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body,
  ]
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(lines.join('\r\n')))
    socket.on('data', (part: Buffer) => {
      text += part.toString()
    })
    socket.on('close', () => resolve(text))
  })
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
  expect(answer).toContain('Malformed')
})

it('R38 a body without end is not read to its end, and is answered', async () => {
  const authorization = await header()
  const answer = await new Promise<string>((resolve) => {
    let [text, written] = ['', 0]
    const socket = connect(port, '127.0.0.1', () => {
      const lines = ['POST /orders?b=2&a=1 HTTP/1.1', 'Host: x', `Authorization: ${authorization}`]
      socket.write([...lines, 'Transfer-Encoding: chunked', '', ''].join('\r\n'))
      const chunk = `2710\r\n${'x'.repeat(10_000)}\r\n`
      const more = (): void => {
        while (written < 50_000_000 && !socket.destroyed) {
          written += 10_000
          if (!socket.write(chunk)) {
            socket.once('drain', more)
            return
          }
        }
      }
      more()
    })
    socket.on('data', (part: Buffer) => {
      text += part.toString()
      socket.destroy()
    })
    socket.on('error', () => {}) // the server has closed it
    socket.on('close', () => resolve(text))
  })
  expect(answer).toMatch(/^HTTP\/1.1 413 /)
})

it('a client that hangs up in the middle of its body is an error that can be caught', async () => {
  const authorization = await header('hi')
  errors.length = 0
  const socket = connect(port, '127.0.0.1', () => {
    const lines = ['POST /orders?b=2&a=1 HTTP/1.1', 'Host: x', `Authorization: ${authorization}`, 'Content-Length: 2']
    socket.write([...lines, '', 'h'].join('\r\n'), () => setTimeout(() => socket.destroy(), 50))
  })
  await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'ECONNRESET' }]), WAITING)
})

it('a body that another one has read is a mistake of the server', async () => {
  before = async (request) => {
    for await (const _ of request) continue
  }
  const answer = await sent('/orders?b=2&a=1', { authorization: await header() }, [body])
  before = undefined
  expect(answer).toEqual({ status: 500, text: 'BodyAlreadyConsumed' })
})
