// A function for Vercel's edge runtime: verifies the document in the body by the keys in the variable SX_KEYS,
// {"<agent id>": "<public key, PEM>"}, and by no others.
import { init } from 'sx-agent'
import core from 'sx-agent/core.wasm?module'
import { verifyStandalone } from 'sx-agent/simple'

export const config = { runtime: 'edge' }

export default async function handler(request) {
  if (request.method !== 'POST') return new Response('POST a document', { status: 405 })
  await init({ core })
  const keys = JSON.parse(process.env.SX_KEYS ?? '{}')
  const result = verifyStandalone(await request.text(), { keys })
  if (!result.valid) return Response.json({ valid: false, code: result.code }, { status: 422 })
  const { signerId, data } = result
  return Response.json({ valid: true, signerId, data })
}
