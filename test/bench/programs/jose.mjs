// The same with jose: it asks the runtime for the cryptography.
import { flattenedVerify, importJWK } from 'jose'

export async function verify({ document, key, alg }) {
  const { payload } = await flattenedVerify(JSON.parse(document), await importJWK(key, alg))
  JSON.parse(new TextDecoder().decode(payload))
}
