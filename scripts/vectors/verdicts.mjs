import { agent } from './agents.mjs'
import { edited, hex, must, sha256, verify } from './core.mjs'
import { signed, trusted } from './documents.mjs'
import { key, otherKey } from './keys.mjs'
import { resigned, texts } from './sign.mjs'

const other = { ed25519: 'pq2025', pq2025: 'ed25519' }
const anyone = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
const insert = (member) => [['"content":', `${member},"content":`]]
const intoSignature = (member) => [['"sxSignature":{', `"sxSignature":{${member},`]]

/** Removes a member whose value is a string. */
function without(text, name) {
  const start = text.indexOf(`"${name}":"`)
  return [[text.slice(start, text.indexOf('",', start) + 2), '']]
}

/** Edits of a member, and of the hash as an attacker recomputes it. */
function rehashed(raw, edit) {
  const before = JSON.parse(raw)
  const after = JSON.parse(edited(raw, edit))
  return [...edit, [before.sxSha256, hex(sha256(texts(after).hashed))]]
}

/** How each document named `<algorithm> message` is altered, and the code of the verdict (null: valid). */
function alterations(algorithm) {
  const { raw, signature } = signed[`${algorithm} message`]
  const own = key[algorithm]
  const stranger = otherKey[algorithm]
  const { sxId, sxVersion, sxSha256, sxSignature } = JSON.parse(raw)
  const label = (text) => [[`"signingAlgorithm":"${algorithm}"`, `"signingAlgorithm":${text}`]]
  const flipped = signature.startsWith('A') ? 'B' : 'A'
  const forged = (change, signer = stranger) => ({ text: resigned(raw, signer, change) })
  const jwk = (document) => Object.assign(document.sxSignature, { keyId: stranger.keyId })
  return {
    'as it is': [{}, null],
    'T14 white space around it': [{ before: ' \t\r\n', after: '\n\n' }, null],
    'other white space, order and spelling of the same values': [
      {
        edits: [
          ['"amount":1,', ' "paid" : false , "amount" : 1.0e0 ,'],
          ['"paid":false,', ''],
          ['"to":"Bob"', '"to":"\\u0042ob"'],
        ],
      },
      null,
    ],

    'T01 a member added': [{ edits: insert('"b":2') }, 'BadSignature'],
    'T01 a member added to the payload': [{ edits: [['"content":{', '"content":{"b":2,']] }, 'BadSignature'],
    'T01 a header field added': [{ edits: insert('"sxFields":["content"]') }, 'UnsupportedFormat'],
    'T01 a member removed': [{ edits: [['"amount":1,', '']] }, 'BadSignature'],
    'T02 a list of signed fields': [{ edits: intoSignature('"fields":["content"]') }, 'InvalidDocument'],
    'T02 a list of signed fields by another name': [{ edits: intoSignature('"signedFields":[]') }, 'InvalidDocument'],
    'T02 a value changed and the hash recomputed': [
      { edits: rehashed(raw, [['"amount":1', '"amount":1000000']]) },
      'BadSignature',
    ],
    'T02 the type changed and the hash recomputed': [
      { edits: rehashed(raw, [['"sxType":"message"', '"sxType":"order"']]) },
      'BadSignature',
    ],
    'T02 the hash changed alone': [{ edits: [[sxSha256, '0'.repeat(64)]] }, 'BadSignature'],
    'T03 the document inside another': [{ before: '{"content":', after: '}' }, 'MissingSignature'],
    'T03 the document inside another with the same header': [
      { before: raw.replace(/"content":.*/, '"content":'), after: raw.replace(/.*,"sxId"/, ',"sxId"') },
      'BadSignature',
    ],
    'T03 a list of signatures': [
      {
        edits: [
          ['"sxSignature":{', '"sxSignature":[{'],
          ['},"sxType"', '}],"sxType"'],
        ],
      },
      'InvalidDocument',
    ],
    'T03 no signature': [{ edits: [[`"sxSignature":${JSON.stringify(sxSignature)},`, '']] }, 'MissingSignature'],
    'T03 null as signature': [{ edits: [[JSON.stringify(sxSignature), 'null']] }, 'InvalidDocument'],

    ...Object.fromEntries(
      ['"none"', '"HS256"', `" ${algorithm}"`, `"${algorithm.toUpperCase()}"`, `"${other[algorithm]}"`, '""'].map(
        (text) => [`T05 the algorithm ${text}`, [{ edits: label(text) }, 'KeyMismatch']],
      ),
    ),
    'T05 the algorithm 17': [{ edits: label('17') }, 'InvalidDocument'],
    ...(algorithm === 'ed25519' && { 'T05 the alias': [{ edits: label('"ring-Ed25519"') }, 'KeyMismatch'] }),
    ...Object.fromEntries(
      [
        '"jwk":{}',
        '"jku":"https://example.com/jwks.json"',
        '"x5u":"https://example.com/c.pem"',
        `"publicKey":${JSON.stringify(stranger.pem)}`,
      ].flatMap((member) => {
        const name = member.slice(1, member.indexOf('":'))
        return [
          [`T07 ${name} in the document`, [{ edits: insert(member) }, 'BadSignature']],
          [`T07 ${name} in the signature`, [{ edits: intoSignature(member) }, 'InvalidDocument']],
        ]
      }),
    ),
    "T07 a stranger's signature with the stranger's key id": [forged(jwk), 'KeyMismatch'],
    "T07 a stranger's signature with the signer's key id": [forged(), 'BadSignature'],
    'a stranger as the signer': [
      { edits: [[`"agentID":"${sxSignature.agentID}"`, `"agentID":"${anyone}"`]] },
      'UnknownSigner',
    ],
    'another agent of the same verifier as the signer': [
      { edits: [[`"agentID":"${sxSignature.agentID}"`, `"agentID":"${agent[other[algorithm]].first.id}"`]] },
      'KeyMismatch',
    ],

    'T12 a name twice': [{ edits: insert('"content":{}') }, 'DuplicateKey'],
    'T12 a name twice, once escaped': [{ edits: insert('"\\u0063ontent":{}') }, 'DuplicateKey'],
    'T12 a name twice at depth 5': [
      { edits: [['"to":"Bob"', '"to":{"a":{"a":{"a":{"a":1,"\\u0061":2}}}}']] },
      'DuplicateKey',
    ],
    'T13 2^53 + 1': [{ edits: [['"amount":1', '"amount":9007199254740993']] }, 'LossyNumber'],
    'T13 1e20': [{ edits: [['"amount":1', '"amount":1e20']] }, 'LossyNumber'],
    'T13 18 significant digits': [{ edits: [['"price":4.5', '"price":4.50000000000000001']] }, 'LossyNumber'],
    'T13 overflow': [{ edits: [['"amount":1', '"amount":1e400']] }, 'LossyNumber'],
    'T13 underflow': [{ edits: [['"amount":1', '"amount":1e-400']] }, 'LossyNumber'],
    'T14 byte order mark before': [{ before: '\ufeff' }, 'NotJson'],
    'T14 an object after': [{ after: '{}' }, 'NotJson'],
    'T14 NUL after': [{ after: '\0' }, 'NotJson'],
    'T14 itself twice': [{ after: raw }, 'NotJson'],
    'T15 __proto__ added': [{ edits: insert('"__proto__":{"polluted":true}') }, 'BadSignature'],
    'T17 a letter decomposed': [{ edits: [['café', 'cafe\u0301']] }, 'BadSignature'],

    ...Object.fromEntries(
      ['$schema', 'sxId', 'sxLevel', 'sxOriginalDate', 'sxOriginalVersion', 'sxSha256', 'sxType', 'sxVersion'].map(
        (name) => [`without ${name}`, [{ edits: without(raw, name) }, 'InvalidDocument']],
      ),
    ),
    ...Object.fromEntries(
      ['agentID', 'agentVersion', 'keyId', 'nonce'].map((name) => [
        `signature without ${name}`,
        [{ edits: without(raw, name) }, 'InvalidDocument'],
      ]),
    ),
    'an id in capitals': [{ edits: [[`"sxId":"${sxId}"`, `"sxId":"${sxId.toUpperCase()}"`]] }, 'InvalidDocument'],
    'an id of UUID version 1': [
      { edits: [[`"sxId":"${sxId}"`, '"sxId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"']] },
      'InvalidDocument',
    ],
    'an unknown level': [{ edits: [['"sxLevel":"raw"', '"sxLevel":"secret"']] }, 'InvalidDocument'],
    'a type with a space': [{ edits: [['"sxType":"message"', '"sxType":"a b"']] }, 'InvalidDocument'],
    'the hash in capitals': [{ edits: [[sxSha256, sxSha256.toUpperCase()]] }, 'InvalidDocument'],
    'another date of the signature': [
      { edits: [['"date":"2026-01-02T03:04:05.678Z"', '"date":"2026-01-02T03:04:05.679Z"']] },
      'InvalidDocument',
    ],
    'a date without milliseconds': [
      { edits: [['"date":"2026-01-02T03:04:05.678Z"', '"date":"2026-01-02T03:04:05Z"']] },
      'InvalidDocument',
    ],
    'a predecessor on a first version': [{ edits: insert(`"sxPreviousVersion":"${anyone}"`) }, 'InvalidDocument'],
    'itself as its predecessor': [{ edits: insert(`"sxPreviousVersion":"${sxVersion}"`) }, 'InvalidDocument'],
    'an agent field': [{ edits: insert('"sxAgentType":"ai"') }, 'InvalidDocument'],
    'an agent document in type alone': [{ edits: [['"sxType":"message"', '"sxType":"agent"']] }, 'BadSignature'],
    'an agent document in type alone, properly signed': [
      forged((document) => Object.assign(document, { sxType: 'agent' }), own),
      'InvalidAgent',
    ],
    'a later header schema': [{ edits: [['/header/v1/', '/header/v2/']] }, 'UnsupportedFormat'],
    'marks of other formats added': [
      { edits: insert('"jacsId":"x","proof":{},"@context":[],"payload":"","signatures":[]') },
      'BadSignature',
    ],
    'one bit of the signature flipped': [
      { edits: [[`"signature":"${signature[0]}`, `"signature":"${flipped}`]] },
      'BadSignature',
    ],
    'the signature cut by three bytes': [
      { edits: [[`"signature":"${signature.slice(0, 4)}`, '"signature":"']] },
      'BadSignature',
    ],
    'an empty signature': [{ edits: [[signature, '']] }, 'BadSignature'],
    'a signature that is no base64': [
      { edits: [[`"signature":"${signature.slice(0, 1)}`, '"signature":"*']] },
      'InvalidDocument',
    ],
    'a signature without padding': [{ edits: [[signature, signature.replace(/=+$/, '')]] }, 'InvalidDocument'],
    'the signature of another document': [
      { edits: [[signature, signed[`${algorithm} text`].signature]] },
      'BadSignature',
    ],
    'a hash that does not fit, properly signed': [
      {
        text: resigned(raw, own, (document) => Object.assign(document, { sxSha256: '0'.repeat(64) }), {
          keepHash: true,
        }),
      },
      'HashMismatch',
    ],
    'another member, properly signed': [forged((document) => Object.assign(document, { extra: 1 }), own), null],
  }
}

/** Texts that were never a document of the library. */
const foreign = {
  'no text': ['', 'NotJson'],
  'half a document': ['{"$schema":"urn:sx-agent', 'NotJson'],
  'an array': ['[]', 'InvalidDocument'],
  'a string': ['"sxId"', 'InvalidDocument'],
  'an object that nobody signed': ['{"amount":1}', 'MissingSignature'],
  'an id alone': [`{"sxId":"${anyone}"}`, 'InvalidDocument'],
  'a JACS document': ['{"jacsId":"x","jacsSignature":{}}', 'UnsupportedFormat'],
  'a JSON Web Signature': ['{"payload":"","protected":"","signature":""}', 'UnsupportedFormat'],
  'a DSSE envelope': ['{"payload":"","payloadType":"","signatures":[]}', 'UnsupportedFormat'],
  'a Verifiable Credential': ['{"@context":[],"proof":{}}', 'UnsupportedFormat'],
}

function altered(document, name, { text, before = '', edits = [], after = '' }, code) {
  const { raw, data } = signed[document]
  const made = text ?? before + edited(raw, edits) + after
  const found = verify(made, trusted)
  must((found.code ?? null) === code, `${document}, ${name}: ${found.code}`)
  if (code === null) must(text !== undefined || JSON.stringify(found.data) === JSON.stringify(data), `data of ${name}`)
  const how = text === undefined ? { document, before, edits, after } : { text }
  return { name: `${document}: ${name}`, ...how, code, ...(code === null && { data: found.data }) }
}

function strange([name, [text, code]]) {
  must(verify(text, trusted).code === code, `${name}: ${verify(text, trusted).code}`)
  return { name, text, code }
}

export const verdicts = () => ({
  description: 'Documents as attackers, editors and other libraries leave them, and the verdict on each.',
  about: [
    'Verified by someone who trusts both agents of agents.json (their first versions) and nobody else.',
    'The text to verify is `text`, or else it is made of `raw` of `document` (its name in documents.json): each [found, put] of `edits` replaces the one place where `found` stands, then `before` and `after` are put around it.',
    '`code` is null where the document is valid, and `data` is what it then gives; else it is the reason of the refusal, and there is no data.',
    'Names that begin with T and a number are attack cases of the project.',
  ],
  cases: [
    ...Object.keys(agent).flatMap((algorithm) =>
      Object.entries(alterations(algorithm)).map(([name, [how, code]]) =>
        altered(`${algorithm} message`, name, how, code),
      ),
    ),
    ...Object.entries(foreign).map(strange),
  ],
})
