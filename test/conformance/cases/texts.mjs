// Signed texts: the vectors, the forms in which texts are passed, and every small change that is made at random.
import agents from '../../vectors/agents.json' with { type: 'json' }
import vectors from '../../vectors/texts.json' with { type: 'json' }
import { equal, ok, outcome, refused } from '../assert.mjs'
import { mutate, SAMPLES } from '../mutations.mjs'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const BEGIN = '-----BEGIN SX SIGNATURE-----'
const keys = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))
const agentOf = (algorithm) => agents.agents.find((agent) => agent.algorithm === algorithm)

const signersOf = ({ signers }) =>
  signers.map(({ signerId, status, code }) => ({ signerId, status, code: code ?? null }))
const withoutUndefined = (value) => JSON.parse(JSON.stringify(value))

/** What signatures vouch for: all but blanks at the end, after the last block. */
const vouched = (bytes) =>
  decoder.decode(bytes).replace(/(?<=SIGNATURE-----)[ \t\r\n]*$/, (blanks) => (/^[^\r\n]/.test(blanks) ? blanks : ''))

export function texts({ SxError, verifier, open }) {
  let opened
  const verifying = async () => {
    opened ??= verifier()
    return (await opened).agent
  }
  return [
    ...vectors.cases.map((vector) => [
      `text: ${vector.name}`,
      async () => {
        const agent = await verifying()
        const result = await agent.verifyText({ text: vector.text })
        const { status, valid, length, code, errors, warnings } = result
        equal([status, valid, length], [vector.status, vector.valid, vector.length], errors.join())
        equal(code ?? null, vector.code, 'code')
        equal(signersOf(result), vector.signers, 'signers')
        equal(withoutUndefined(warnings), vector.warnings, 'warnings')
        equal(errors.length === 0, valid, 'errors say why')
        for (const part of [result, errors, warnings, result.signers, ...result.signers, ...warnings])
          ok(Object.isFrozen(part), 'frozen')
        for (const signer of result.signers) {
          const isValid = signer.status === 'valid'
          equal(signer.trusted, isValid, 'trusted')
          const known = agents.agents.find(({ agentId }) => agentId === signer.signerId)
          if (isValid) equal([signer.keyId, signer.algorithm], [known.keyId, known.algorithm])
          else
            ok(signer.message.length > 0 && signer.algorithm === '' && signer.signedAt === '', 'nothing is vouched for')
        }
        equal(await agent.verifyText(encoder.encode(vector.text)), result, 'of bytes')
        const strict = await outcome(SxError, () => agent.verifyText({ text: vector.text }, { strict: true }))
        if (status === 'missing_signature') equal(strict.code, 'MissingSignature', 'strict')
        else equal(strict.value, result, 'strict')
      },
    ]),
    ...vectors.refusals.map(({ name, text, code }) => [
      `text: not signed is ${name}`,
      async () => {
        const { agent } = await open('ed25519', 'Author')
        await refused(SxError, code, () => agent.signText({ text }))
      },
    ]),
    [
      'text: keys that are named count beside those that are known',
      async () => {
        const { agent } = await open('ed25519', 'Reader')
        const [{ text, algorithm }] = vectors.texts
        const { agentId, publicKey } = agentOf(algorithm)
        const statusWith = async (options) => {
          const { signers } = await agent.verifyText({ text }, options)
          return [signers[0].status, signers[0].trusted]
        }
        equal(await statusWith(), ['unknown_key', false])
        equal(await statusWith({ keys }), ['valid', false])
        equal(await statusWith({ keyDir: keys }), ['valid', false])
        equal(await statusWith(), ['unknown_key', false], 'for one call only')
        equal(await statusWith({ keys: { [agentId]: agent.getPublicKey() } }), ['invalid', false])
        agent.trustAgent(agentOf(algorithm).raw)
        equal(await statusWith(), ['valid', true])
        equal(await statusWith({ keys: { [agentId]: publicKey } }), ['valid', true])
        equal(await statusWith({ keys: { [agentId]: agent.getPublicKey() } }), ['key_conflict', false], 'T06')
        equal(await statusWith(), ['valid', true], 'and nothing stays')
        await refused(SxError, 'InvalidOption', () => agent.verifyText({ text }, { keys, keyDir: keys }))
        await refused(SxError, 'InvalidOption', () => agent.verifyText({ text }, { strict: 1 }))
        await refused(SxError, 'InvalidOption', () => agent.verifyText({ text }, { key: keys }))
        await refused(SxError, 'InvalidOption', () => agent.verifyText({ text }, { keys: { [agentId]: 7 } }))
      },
    ],
    [
      'text: is taken in every form, and what is passed stays as it is',
      async () => {
        const { agent, agentId } = await open('pq2025', 'Author')
        const text = '\ufeff# Zoë\r\nno end'
        const bytes = encoder.encode(text)
        const given = bytes.slice()
        const forms = [
          { text },
          given,
          new Blob([bytes]),
          new Blob([given.subarray(0, 5), given.subarray(5)]),
          new Response(bytes.slice()),
        ]
        for (const form of forms) {
          const signing = agent.signText(form)
          if (form === given) given.fill(0) // what the caller does meanwhile changes nothing
          const signed = await signing
          ok(signed instanceof Uint8Array && decoder.decode(signed).startsWith(`${text}\n${BEGIN}\n`), 'text and block')
          for (const again of [signed, new Blob([signed]), new Response(signed), { text: decoder.decode(signed) }]) {
            const { valid, length, signers } = await agent.verifyText(again)
            equal([valid, length, signers[0]?.signerId], [true, bytes.length, agentId])
          }
          given.set(bytes)
        }
        const other = await open('ed25519', 'Reader')
        const both = await other.agent.signText(await agent.signText({ text }))
        equal(
          (await other.agent.verifyText(both)).signers.map(({ status }) => status),
          ['unknown_key', 'valid'],
        )
        const again = await other.agent.signText(both)
        equal((await other.agent.verifyText(again)).signers.length, 2)
        equal(decoder.decode(again).split(BEGIN)[1], decoder.decode(both).split(BEGIN)[1], "another's block")
      },
    ],
    [
      'text: what is none is refused before anything is done',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        for (const form of ['signText', 'verifyText']) {
          for (const bad of [
            undefined,
            null,
            17,
            '',
            {},
            [],
            { text: 1 },
            new ArrayBuffer(1),
            new Date(0),
            { size: 1 },
          ]) {
            await refused(SxError, 'InvalidOption', () => agent[form](bad), `${form} of ${typeof bad}`)
          }
          await refused(SxError, 'NotText', () => agent[form]({ text: '\ud800' }))
          for (const bad of [
            Response.error(),
            new Response('gone', { status: 404 }),
            new Response(null, { status: 204 }),
          ]) {
            await refused(SxError, 'Unverifiable', () => agent[form](bad), bad.status)
          }
          await refused(SxError, 'InvalidOption', () => agent[form](new URL('file:///text.md')))
        }
        for (const bytes of [[0xff, 0xfe, 0x61, 0], [0x61, 0], [0xc3], [0xed, 0xa0, 0x80]]) {
          await refused(SxError, 'NotText', () => agent.signText(Uint8Array.from(bytes)))
          const { status, code } = await agent.verifyText(Uint8Array.from(bytes))
          equal([status, code], ['malformed', 'NotText'])
        }
        const reader = await open('ed25519', 'Author', { verifyOnly: true })
        await refused(SxError, 'PasswordRequired', () => reader.agent.signText({ text: '' }))
      },
    ],
    [
      'text: limits hold for what is passed and for what is signed',
      async () => {
        const { agent } = await open('ed25519', 'Author', { limits: { bytes: 4096 } })
        for (const form of ['signText', 'verifyText']) {
          for (const make of [
            (size) => new Uint8Array(size).fill(97),
            (size) => ({ text: 'a'.repeat(size) }),
            (size) => new Blob(['a'.repeat(size)]),
            (size) => new Response('a'.repeat(size)),
          ]) {
            await refused(SxError, 'LimitExceeded', () => agent[form](make(4097)), form)
          }
        }
        await refused(SxError, 'LimitExceeded', () => agent.signText({ text: 'a'.repeat(4096) }))
        equal((await agent.verifyText({ text: 'a'.repeat(4096) })).status, 'missing_signature')
        ok((await agent.verifyText(await agent.signText({ text: 'a'.repeat(2048) }))).valid, 'what is within them')
        const large = await open('ed25519', 'Author')
        const signed = await large.agent.signText(new Uint8Array(2 ** 25 - 4096).fill(97))
        equal((await large.agent.verifyText(signed)).length, 2 ** 25 - 4096)
        await refused(SxError, 'LimitExceeded', () => large.agent.verifyText(new Uint8Array(2 ** 25 + 1)))
      },
    ],
    [
      'text: a program is needed for files where there are none',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const { code } = await outcome(SxError, () => agent.signText('./nowhere/text.md'))
        const { code: verified } = await outcome(SxError, () => agent.verifyText('./nowhere/text.md'))
        equal(verified, code)
        ok(['NotFound', 'InvalidOption'].includes(code), code)
      },
    ],
    ...['ed25519', 'pq2025'].map((algorithm, at) => [
      `text: none of ${SAMPLES} small changes goes unnoticed, ${algorithm}`,
      async () => {
        const agent = await verifying()
        const names = [`${algorithm} markdown`, `${algorithm} CRLF and a byte order mark`]
        const signed = names.map((name) => encoder.encode(vectors.texts.find((text) => text.name === name).text))
        let unnoticed = 0
        await mutate(signed, 7 + at, async (changed, file) => {
          const { valid, status, signers } = await agent.verifyText(changed)
          if (!valid) {
            ok(status !== 'missing_signature', 'damage is no missing signature')
            ok(
              signers.every(({ status }) => status !== 'valid'),
              'no signer',
            )
            return
          }
          equal(vouched(changed), vouched(file))
          unnoticed++
        })
        ok(unnoticed < SAMPLES / 20, `${unnoticed} changes of blanks`)
      },
    ]),
  ]
}
