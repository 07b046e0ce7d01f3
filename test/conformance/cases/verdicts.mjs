// One verdict on each document of the vectors, whichever operation is asked.
import agents from '../../vectors/agents.json' with { type: 'json' }
import documents from '../../vectors/documents.json' with { type: 'json' }
import vectors from '../../vectors/verdicts.json' with { type: 'json' }
import { equal, ok, outcome } from '../assert.mjs'
import { replaced } from '../world.mjs'

const raws = new Map(documents.documents.map(({ name, raw }) => [name, raw]))
const keyDirectory = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))

/** The text of a case, as `about` of the file describes it. */
export function textOf({ text, document, before, edits, after }) {
  if (text !== undefined) return text
  return before + edits.reduce((present, [found, put]) => present.replace(found, () => put), raws.get(document)) + after
}

function checkResult(result, text, { code, data }) {
  equal(result.valid, code === null, `valid (${result.errors})`)
  equal(result.code ?? null, code, 'code')
  equal(result.data, data, 'data')
  ok(Object.isFrozen(result) && Object.isFrozen(result.errors) && Object.isFrozen(result.attachments), 'it is frozen')
  ok('data' in result, 'data is there, if only as undefined')
  equal(result.attachments, [], 'attachments')
  if (code === null) {
    equal(result.errors, [], 'errors')
    const signer = agents.agents.find(({ agentId }) => agentId === result.signerId)
    equal([result.keyId, result.algorithm], [signer.keyId, signer.algorithm], 'key of the signer')
    const { sxId, sxVersion, sxType, sxSignature } = JSON.parse(text)
    equal([result.documentId, result.version, result.type], [sxId, sxVersion, sxType], 'which document it was')
    equal(result.signerName, result.trusted ? JSON.parse(signer.raw).name : '', 'name of the signer')
    equal(result.timestamp, sxSignature.date, 'timestamp')
  } else {
    ok(result.errors.length > 0 && result.errors[0].startsWith(`${code}: `), 'errors say why')
    const { documentId, version, type, signerName, algorithm, timestamp } = result
    equal(
      [documentId, version, type, signerName, algorithm, timestamp],
      ['', '', '', '', '', ''],
      'nothing is said of it',
    )
    equal(result.trusted, false, 'not trusted')
  }
}

export function verdicts({ SxError, simple, verifier }) {
  let opened
  const agent = async () => {
    opened ??= verifier()
    return (await opened).agent
  }
  const asked = (name, text, expected) => [
    `verdict: ${name}`,
    async () => {
      const verifying = await agent()
      const valid = expected.code === null
      equal(await verifying.verifyDocument(text), valid, 'verifyDocument')
      equal(verifying.verifyDocumentSync(text), valid, 'verifyDocumentSync')
      const thrown = await outcome(SxError, () => verifying.verifyOrThrow(text))
      equal(thrown.code ?? null, expected.code, 'verifyOrThrow')
      if (valid) {
        checkResult(thrown.value, text, expected)
        equal(thrown.value.trusted, true, 'trusted')
        equal(verifying.verifySignatureSync(text), true, 'verifySignature')
      }
      const alone = simple.verifyStandalone(text, { keyResolution: 'local', keyDirectory })
      checkResult(alone, text, expected)
      equal(alone.trusted, false, 'trusted, where there is no trust store')
    },
  ]
  return [
    ...documents.documents.map(({ name, raw, data }) => asked(name, raw, { code: null, data })),
    ...vectors.cases.map((vector) => asked(vector.name, textOf(vector), vector)),
    ...vectors.registrations.map(({ name, text, verifies }) => [
      `registration: ${name}`,
      async () => {
        const verifying = await agent()
        equal(await verifying.verifySignature(text, 'sxRegistration'), verifies, 'verifySignature')
        equal(verifying.verifySignatureSync(text, 'sxRegistration'), verifies, 'verifySignatureSync')
      },
    ]),
    [
      'T07 no key is fetched from anywhere',
      async () => {
        let calls = 0
        const fetching = vectors.cases.filter(({ name }) => name.includes('T07'))
        ok(fetching.length >= 20, 'there are cases')
        const verifying = await agent()
        const refuse = () => {
          calls++
          throw new Error('no network')
        }
        await replaced(globalThis, 'fetch', refuse, async () => {
          for (const vector of fetching) equal(await verifying.verifyDocument(textOf(vector)), false, vector.name)
        })
        equal(calls, 0, 'calls of fetch')
      },
    ],
    [
      'T03 a copied signature is no registration',
      async () => {
        const verifying = await agent()
        for (const [name, raw] of raws) {
          const document = JSON.parse(raw)
          const text = JSON.stringify({ ...document, sxRegistration: document.sxSignature })
          equal(await verifying.verifySignature(text, 'sxRegistration'), false, name)
          equal(await verifying.verifySignature(raw, 'sxRegistration'), false, name)
        }
      },
    ],
    [
      'what is no text is an invalid document, not an error',
      async () => {
        const verifying = await agent()
        for (const value of [
          undefined,
          null,
          17,
          {},
          [],
          '\ud800',
          Symbol.iterator,
          JSON.parse(raws.get('ed25519 text')),
        ]) {
          const { code } = await outcome(SxError, () => verifying.verifyOrThrow(value))
          equal(code, 'NotJson', typeof value)
          checkResult(simple.verifyStandalone(value, { keyDirectory }), value, { code: 'NotJson', data: undefined })
        }
      },
    ],
  ]
}
