// Keys, bare signatures and key files.
import vectors from '../../vectors/keys.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'
import { password } from '../world.mjs'

const encoder = new TextEncoder()
const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes))
const rawOf = ({ publicKeyRaw }) => fromBase64(publicKeyRaw)
const derOf = (pem) => fromBase64(pem.replace(/-----[^-]+-----|\n/g, ''))

/** The order of the group of Ed25519 (RFC 8032 section 5.1). */
const L = 2n ** 252n + 27742317777372353535851937790883648493n

/** A signature of Ed25519 with S + L in place of S: the same equation, another encoding. */
function withSPlusL(signature) {
  const bytes = fromBase64(signature)
  const s = bytes.subarray(32).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + L
  for (let at = 0; at < 32; at++) bytes[32 + at] = Number((s >> BigInt(8 * at)) & 255n)
  return toBase64(bytes)
}

const [ed25519] = vectors.keys
const smallOrder = vectors.refusedPublicKeys.filter(({ name }) => name.startsWith('Ed25519: small order'))
const labels = { ed25519: ['ed25519', 'ring-Ed25519'], pq2025: ['pq2025'] }

export function keys({ main, SxError, simple, storage, stored, open }) {
  let opened
  const agentOf = async () => {
    opened ??= open('ed25519', 'Checker')
    return (await opened).agent
  }
  const verifies = async (message, signature, key, label) => {
    const agent = await agentOf()
    const answer = await agent.verifyString(message, signature, key, label)
    equal(agent.verifyStringSync(message, signature, key, label), answer, 'verifyStringSync')
    return answer
  }
  const importing = async (importKey) => {
    const store = storage.memoryStorage()
    const info = await simple.create({ name: 'Importer', password, storage: store, importKey })
    return { store, info }
  }
  const holders = new Map()
  /** An agent with a key of the vectors. */
  const holderOf = ({ algorithm, privateKey: pem }) => {
    const open = async () => {
      const agent = new main.SxAgent({ storage: (await importing({ pem })).store, password })
      await agent.load()
      return agent
    }
    if (!holders.has(algorithm)) holders.set(algorithm, open())
    return holders.get(algorithm)
  }
  return [
    ...vectors.keys.flatMap((key) => [
      [
        `keys: ${key.algorithm}: the private key gives the public key, its id and the signatures`,
        async () => {
          const { privateKey: pem, password: given } = key.encrypted
          const { info } = await importing({ pem, password: given })
          const agent = await holderOf(key)
          equal([info.algorithm, info.keyId, simple.getPublicKey()], [key.algorithm, key.keyId, key.publicKey])
          equal([agent.getAgentInfo().keyId, agent.getPublicKey()], [key.keyId, key.publicKey])
          for (const { message, signature } of key.signatures) {
            const own = await agent.signString(message)
            equal(await verifies(message, own, rawOf(key), key.algorithm), true, 'own signature')
            if (key.algorithm === 'ed25519') equal(own, signature, 'it is deterministic')
            else ok(own !== signature && own !== agent.signStringSync(message), 'it is hedged')
          }
        },
      ],
      [
        `keys: ${key.algorithm}: verifyString takes PEM, DER and raw keys, and no other message, label or signature`,
        async () => {
          for (const { message, signature } of key.signatures) {
            for (const form of [encoder.encode(key.publicKey), derOf(key.publicKey), rawOf(key)]) {
              for (const label of labels[key.algorithm])
                equal(await verifies(message, signature, form, label), true, label)
              for (const label of [
                '',
                'ED25519',
                'PQ2025',
                'none',
                ...labels[key.algorithm === 'ed25519' ? 'pq2025' : 'ed25519'],
              ]) {
                equal(await verifies(message, signature, form, label), false, label)
              }
              equal(await verifies(`${message} `, signature, form, key.algorithm), false, 'another message')
              for (const bad of [`${signature}\n`, ` ${signature}`, signature.replace(/=+$/, ''), '', '*']) {
                equal(await verifies(message, bad, form, key.algorithm), false, 'a signature spelt otherwise')
              }
              equal(await verifies(message, signature, form.subarray(1), key.algorithm), false, 'a key cut short')
            }
          }
        },
      ],
      [
        `T10 ${key.algorithm}: a signature of another length is none`,
        async () => {
          const [{ message, signature }] = key.signatures
          const bytes = fromBase64(signature)
          for (const other of [
            bytes.subarray(1),
            bytes.subarray(0, -1),
            Uint8Array.of(...bytes, 0),
            new Uint8Array(0),
          ]) {
            equal(await verifies(message, toBase64(other), rawOf(key), key.algorithm), false, `${other.length} bytes`)
          }
        },
      ],
      [
        `T44 ${key.algorithm}: a text that could be a statement is neither signed nor verified`,
        async () => {
          const agent = await holderOf(key)
          for (const text of ['SXv2 ', 'SXv2 14 sx-document-v1 2 {}', 'SXv2 9 sx-mcp-v1 0 ']) {
            await refused(SxError, 'ReservedPrefix', () => agent.signString(text), text)
            await refused(SxError, 'ReservedPrefix', async () => agent.signStringSync(text), text)
          }
          // The signature of a document is one of its statement, but never one of a string.
          const raw = await agent.createDocument('{"a":1}', null, null, true)
          const { sxSignature, ...rest } = JSON.parse(raw)
          const { signature, ...head } = sxSignature
          const members = Object.entries({ ...rest, sxSignature: head }).sort(([a], [b]) => (a < b ? -1 : 1))
          const payload = JSON.stringify(Object.fromEntries(members))
          const statement = `SXv2 14 sx-document-v1 ${payload.length} ${payload}`
          equal(await verifies(statement, signature, rawOf(key), key.algorithm), false, 'statement as a string')
          equal(await verifies(payload, signature, rawOf(key), key.algorithm), false, 'payload as a string')
          const bare = await agent.signString(payload)
          const forged = raw.replace(signature, () => bare)
          equal(
            (await agent.verifyDocument(raw)) && !(await agent.verifyDocument(forged)),
            true,
            'string as a document',
          )
        },
      ],
    ]),
    [
      'T08 the universal forgery is none',
      async () => {
        const weak = Uint8Array.of(1, ...new Uint8Array(31))
        const forgery = toBase64(Uint8Array.of(...weak, ...new Uint8Array(32)))
        for (const message of ['', 'anything', '{"amount":1}']) {
          for (const label of labels.ed25519) equal(await verifies(message, forgery, weak, label), false, message)
        }
      },
    ],
    [
      'T09 no encoding of small order is a key, whatever the signature',
      async () => {
        equal(smallOrder.length, 14, 'encodings')
        for (const { raw: a } of smallOrder) {
          for (const { raw: r } of smallOrder) {
            const signature = toBase64(Uint8Array.of(...fromBase64(r), ...new Uint8Array(32)))
            for (const message of ['', 'a', 'b']) {
              equal(await verifies(message, signature, fromBase64(a), 'ed25519'), false, `A ${a}, R ${r}`)
            }
          }
        }
      },
    ],
    [
      'T09 no encoding of small order is the R of a signature, and S + L is no S',
      async () => {
        for (const { message, signature } of ed25519.signatures) {
          equal(await verifies(message, signature, rawOf(ed25519), 'ed25519'), true, 'the good one')
          equal(await verifies(message, withSPlusL(signature), rawOf(ed25519), 'ed25519'), false, 'S + L')
          for (const { raw } of smallOrder) {
            const r = fromBase64(raw)
            for (const s of [new Uint8Array(32), fromBase64(signature).subarray(32)]) {
              const forged = toBase64(Uint8Array.of(...r, ...s))
              equal(await verifies(message, forged, rawOf(ed25519), 'ed25519'), false, raw)
            }
          }
        }
      },
    ],
    ...vectors.refusedPublicKeys.map(({ name, algorithm, raw, publicKey, code }) => [
      `${algorithm === 'ed25519' ? 'T09' : 'T10'} ${name} is ${code}`,
      async () => {
        const agent = await agentOf()
        for (const form of [fromBase64(raw), encoder.encode(publicKey)]) {
          equal(
            await verifies('', toBase64(new Uint8Array(algorithm === 'ed25519' ? 64 : 4627)), form, algorithm),
            false,
          )
        }
        const signer = JSON.parse(agent.exportAgent()).sxId
        const raws = await agent.createDocument('{}', null, null, true)
        const { code: found } = simple.verifyStandalone(raws, { keyDirectory: { [signer]: publicKey } })
        equal(found, code, 'in a key directory')
      },
    ]),
    ...vectors.refusedKeyFiles.map(({ name, privateKey, password: given, code }) => [
      `key file: ${name} is ${code}`,
      async () => {
        const { store } = await stored('ed25519', 'Checker')
        store.putSync(['sx_keys', 'sx.private.pem'], encoder.encode(privateKey))
        for (const form of ['load', 'loadSync']) {
          const agent = new main.SxAgent({ storage: store, password: given })
          await refused(SxError, code, async () => agent[form](), form)
          equal(agent.isLoaded(), false, 'isLoaded')
        }
      },
    ]),
    [
      'T46 a wrong password and every flipped bit give one and the same error',
      async () => {
        const { store } = await stored('ed25519', 'Checker')
        const file = ['sx_keys', 'sx.private.pem']
        const pem = new TextDecoder().decode(store.getSync(file))
        const der = derOf(pem)
        const messages = new Set()
        const load = async (given) => {
          const agent = new main.SxAgent({ storage: store, password: given })
          messages.add(await refused(SxError, 'WrongPassword', () => agent.load()))
        }
        await load('wrong')
        for (const fromEnd of [1, 17, 33, 49]) {
          const damaged = new Uint8Array(der)
          damaged[der.length - fromEnd] ^= 4
          const lines = toBase64(damaged)
            .match(/.{1,64}/g)
            .join('\n')
          store.putSync(
            file,
            encoder.encode(`-----BEGIN ENCRYPTED PRIVATE KEY-----\n${lines}\n-----END ENCRYPTED PRIVATE KEY-----\n`),
          )
          await load(password)
        }
        equal(messages.size, 1, 'different messages')
      },
    ],
  ]
}
