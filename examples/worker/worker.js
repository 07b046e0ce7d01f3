// Signs and verifies over HTTP. The agent is a backup in the binding SX_AGENT, in Base64; it is kept in the bucket STORE,
// or in memory where there is none.
import { hashString, SxError } from 'sx-agent'
import { createDocument, exportAgent, importStore, load, verify } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { bucketStorage } from './bucket.js'

let loading

/** Loads the agent, once in each isolate. */
async function open(env) {
  const storage = env.STORE ? bucketStorage(env.STORE) : memoryStorage()
  const options = { storage, env } // the password is the secret SX_PRIVATE_KEY_PASSWORD
  try {
    await load(options)
  } catch (error) {
    if (!(error instanceof SxError && error.code === 'NotFound')) throw error
    await importStore(
      Uint8Array.from(atob(env.SX_AGENT), (character) => character.charCodeAt(0)),
      { storage },
    )
    await load(options)
  }
}

/** Whoever may sign has this token; hashes, as comparing them tells nothing of it. */
const maySign = (request, { SIGN_TOKEN }) =>
  Boolean(SIGN_TOKEN) && hashString(request.headers.get('Authorization') ?? '') === hashString(`Bearer ${SIGN_TOKEN}`)

const routes = {
  'GET /agent': () => exportAgent(),
  'POST /sign': (text, env) => createDocument(text, { noSave: !env.STORE }),
  'POST /verify': async (text) => JSON.stringify(await verify(text)),
}

const json = (body, status = 200) => new Response(body, { status, headers: { 'Content-Type': 'application/json' } })
const failure = ({ code }, status) => json(JSON.stringify({ code }), status)

export default {
  async fetch(request, env) {
    const name = `${request.method} ${new URL(request.url).pathname}`
    if (!Object.hasOwn(routes, name)) return new Response('Not found', { status: 404 })
    if (name === 'POST /sign' && !maySign(request, env)) return new Response('Unauthorized', { status: 401 })
    try {
      loading ??= open(env)
      await loading
    } catch (error) {
      loading = undefined // the next request tries again
      console.error(error)
      return failure(error, 503)
    }
    try {
      return json(await routes[name](await request.text(), env))
    } catch (error) {
      if (error instanceof SxError) return failure(error, 400)
      throw error
    }
  },
}
