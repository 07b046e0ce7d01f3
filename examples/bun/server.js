// Signs and verifies over HTTP, on this machine only; the agent stands in this folder and is there again the next time.
import { hashString, SxError } from 'sx-agent'
import { createDocument, exportAgent, quickstart, verify } from 'sx-agent/simple'

await quickstart({ name: 'Bun', domain: 'example.com' }) // the password is SX_PRIVATE_KEY_PASSWORD
const { PORT = '8000', SIGN_TOKEN } = process.env

/** Any page in a browser here can send requests, so whoever signs has a token; comparing hashes tells nothing of it. */
const maySign = (request) =>
  Boolean(SIGN_TOKEN) && hashString(request.headers.get('Authorization') ?? '') === hashString(`Bearer ${SIGN_TOKEN}`)

const routes = {
  'GET /agent': () => exportAgent(),
  'POST /sign': (text) => createDocument(text),
  'POST /verify': async (text) => JSON.stringify(await verify(text)),
}

async function answer(request) {
  const name = `${request.method} ${new URL(request.url).pathname}`
  if (!Object.hasOwn(routes, name)) return new Response('Not found', { status: 404 })
  if (name === 'POST /sign' && !maySign(request)) return new Response('Unauthorized', { status: 401 })
  try {
    const body = await routes[name](await request.text())
    return new Response(body, { headers: { 'Content-Type': 'application/json' } })
  } catch (error) {
    if (error instanceof SxError) return Response.json({ code: error.code }, { status: 400 })
    throw error
  }
}

const { url } = Bun.serve({ hostname: '127.0.0.1', port: Number(PORT), fetch: answer })
console.log(`Listening on ${url}`)
