import { agent } from './agents.mjs'
import { core, drawn, hex, made, making, moment, must, pae, sha256, signedAt, verify } from './core.mjs'
import { key, signerOf } from './keys.mjs'
import { texts } from './sign.mjs'

const inputs = {
  message:
    '{"items":[{"name":"café","price":4.50},{"price":1E30,"name":"世界 🌍"}], "amount":1, "to":"Bob", "paid":false}',
  text: '"Just a text.\\n"',
  document: '{"title":"Invoice 7","sxType":"invoice","sxLevel":"artifact","total":12.5,"lines":["a","b"]}',
  update: '{"title":"Invoice 7, corrected","total":13,"lines":["a"]}',
  content: '{"content":{"n":1}}',
  payload: '{"sxType":"message","sxId":"no identifier","n":2}',
}

/** The keys with which documents of these agents are verified. */
export const trusted = Object.values(agent).map(({ first }) => ({
  agentId: first.id,
  source: 'trust',
  bytes: first.raw,
}))

function sign(algorithm, name, at, work) {
  const signer = signerOf(key[algorithm], agent[algorithm].first.raw)
  const { raw } = made(work(signer, inputs[name], moment(at, name)))
  const document = JSON.parse(raw)
  const { hashed, signed } = texts(document)
  const statement = pae('sx-document-v1', signed)
  const { valid, data, errors } = verify(raw, trusted)
  must(valid, `${algorithm} ${name} is ${errors}`)
  must(document.sxSha256 === hex(sha256(hashed)), `hash of ${algorithm} ${name}`)
  return {
    name: `${algorithm} ${name}`,
    algorithm,
    input: inputs[name],
    signedAt: at,
    ...(algorithm === 'pq2025' && { rnd: hex(drawn(name, 'hedge')) }),
    hashed,
    sxSha256: document.sxSha256,
    signed,
    statement: { length: statement.length, sha256: hex(sha256(statement)) },
    signature: document.sxSignature.signature,
    raw,
    data,
  }
}

function documentsOf(algorithm) {
  const create = (isMessage) => (signer, text, at) =>
    core.documentCreate(signer, text, making(isMessage), undefined, at)
  const message = sign(algorithm, 'message', signedAt, create(true))
  const text = sign(algorithm, 'text', signedAt, create(true))
  const document = sign(algorithm, 'document', signedAt, create(false))
  const next = (current) => (signer, change, at) =>
    core.documentUpdate(signer, current.raw, change, making(false), undefined, at)
  const update = sign(algorithm, 'update', signedAt + 3_600_000, next(document))
  const content = sign(algorithm, 'content', signedAt, create(false))
  const payload = sign(algorithm, 'payload', signedAt + 3_600_000, next(text))
  return [message, text, document, update, content, payload]
}

/** Every signed document by its name: the algorithm, then what `about` explains. */
export const signed = Object.fromEntries(
  Object.keys(agent).flatMap((algorithm) => documentsOf(algorithm).map((one) => [one.name, one])),
)

export const documents = () => ({
  description: 'Signed documents with everything that lies between what was signed and the signature.',
  about: [
    'The signers are those of agents.json, under the keys of keys.json.',
    '`input` is the JSON text that was signed at `signedAt` (Unix milliseconds): "message" and "text" as the payload of signMessage, "document" by createDocument, "update" as the next version of "document", "content" by createDocument too (the member is one like any other), "payload" as the next version of "text" (a payload may look like a header).',
    '`hashed` is the text whose SHA-256 is `sxSha256`; `signed` is the payload of PAE("sx-document-v1", …), whose length and SHA-256 are in `statement`; `signature` (base64) is over that statement.',
    'For pq2025 `rnd` (hex) is the random input of FIPS 204 algorithm 7. Ids, versions and nonces are random in use; here they are as they stand in `raw`.',
    '`raw` is the document, `data` is what verifying it gives.',
  ],
  documents: Object.values(signed),
})
