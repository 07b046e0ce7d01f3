import { agent, other, revoke, version, weak } from './agents.mjs'
import { edited, hex, isRegistered, must, sha256, signedAt, verify } from './core.mjs'
import { signed, trusted } from './documents.mjs'
import { key, otherKey } from './keys.mjs'
import { registered, resigned, texts } from './sign.mjs'

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

/** Documents that their signer signed as they are: only their own members decide. */
function wellSigned(algorithm) {
  const { first, second } = agent[algorithm]
  const stranger = otherKey[algorithm]
  const message = signed[`${algorithm} message`].raw
  const later = signed[`${algorithm} update`].raw
  const set = (members) => (document) => Object.assign(document, members)
  const drop = (name) => (document) => delete document[name]
  const entry =
    (members) =>
    ({ sxPublicKeys: [carried] }) =>
      Object.assign(carried, members)
  const beside = ({ sxPublicKeys }) => sxPublicKeys.push({ ...sxPublicKeys[0], ...theirs })
  const before = ({ sxPublicKeys }) => sxPublicKeys.unshift({ ...sxPublicKeys[0], ...theirs })
  const theirs = { keyId: stranger.keyId, publicKey: stranger.pem }
  const registration = { ...JSON.parse(message).sxSignature, agentID: anyone, date: '2030-01-01T00:00:00.000Z' }
  const { sxOriginalVersion, sxOriginalDate } = JSON.parse(later)
  const dated = (date) => (document) => {
    document.sxVersionDate = date
    document.sxSignature.date = date
  }
  const of = (raw) => (change, code) => [raw, change, code]
  const inMessage = of(message)
  const inUpdate = of(later)
  const inAgent = of(first.raw)
  return {
    'a custom schema': inMessage(set({ $schema: 'https://example.com/order.schema.json' }), null),
    "the library's schemas without one": inMessage(set({ $schema: 'urn:sx-agent:schemas' }), 'UnsupportedFormat'),
    'a schema that is no string': inMessage(set({ $schema: 7 }), 'InvalidDocument'),
    'a type of 64 characters': inMessage(set({ sxType: `${'a'.repeat(62)}-_` }), null),
    'a type of 65 characters': inMessage(set({ sxType: 'a'.repeat(65) }), 'InvalidDocument'),
    'an empty type': inMessage(set({ sxType: '' }), 'InvalidDocument'),
    'the level of agent documents': inMessage(set({ sxLevel: 'config' }), null),
    'a name that begins like those of the library': inMessage(set({ sxlater: 1, sx: 2, SxLater: 3 }), null),
    'a registration of the right shape': inMessage(set({ sxRegistration: registration }), null),
    'a registration of an unknown algorithm': inMessage(
      set({ sxRegistration: { ...registration, signingAlgorithm: 'rot13' } }),
      null,
    ),
    'a registration with a further member': inMessage(
      set({ sxRegistration: { ...registration, by: 'me' } }),
      'InvalidDocument',
    ),
    'a registration that is null': inMessage(set({ sxRegistration: null }), 'InvalidDocument'),
    'a later version': inUpdate(() => {}, null),
    'a later version of the first date': inUpdate(dated(sxOriginalDate), null),
    'a later version of an earlier date': inUpdate(dated('2026-01-02T03:04:05.677Z'), 'InvalidDocument'),
    'a later version without its predecessor': inUpdate(drop('sxPreviousVersion'), 'InvalidDocument'),
    'a later version with the identifier of the first': inUpdate(
      set({ sxVersion: sxOriginalVersion }),
      'InvalidDocument',
    ),
    'a later version that is its own predecessor': inUpdate(
      (document) => set({ sxPreviousVersion: document.sxVersion })(document),
      'InvalidDocument',
    ),
    'a first version of another date than the original': inMessage(
      set({ sxOriginalDate: '2026-01-01T00:00:00.000Z' }),
      'InvalidDocument',
    ),

    'an agent document': inAgent(() => {}, null),
    'a later version of an agent document': of(second.raw)(() => {}, null),
    "an agent document with a stranger's key beside its own": inAgent(beside, 'InvalidAgent'),
    "an agent document with a stranger's key before its own": inAgent(before, 'InvalidAgent'),
    'an agent document without a key': inAgent(set({ sxPublicKeys: [] }), 'InvalidAgent'),
    "T07 an agent document with a stranger's key instead": inAgent(entry(theirs), 'KeyMismatch'),
    'an agent document with a weak key instead': inAgent(entry({ publicKey: weak[algorithm] }), 'WeakPublicKey'),
    'an agent document with a key that is none': inAgent(entry({ publicKey: 'a key' }), 'InvalidKey'),
    'an agent document whose key is compromised': inAgent(revoke('compromised', signedAt + 1), 'KeyRevoked'),
    'an agent document whose key ends as it is signed': inAgent(revoke('superseded', signedAt), 'KeyRevoked'),
    'an agent document whose key ends after it was signed': inAgent(revoke('superseded', signedAt + 1), null),
    'an agent document that names another version of its agent': inAgent(
      (document) => Object.assign(document.sxSignature, { agentVersion: anyone }),
      'InvalidAgent',
    ),
    'an agent document of another agent': inAgent(set({ sxId: anyone }), 'InvalidAgent'),
    'an agent document without a name': inAgent(drop('name'), 'InvalidAgent'),
    'an agent document of another type': inAgent(set({ sxType: 'document' }), 'InvalidDocument'),
  }
}

/** Countersignatures by the other agent, and whether they verify. */
function registrations(algorithm) {
  const name = `${algorithm} message`
  const { raw } = signed[name]
  const registrar = agent[other[algorithm]].first
  const own = key[other[algorithm]]
  const by = (members) => {
    const { signature: _, ...rest } = JSON.parse(raw).sxSignature
    const { id: agentID, version: agentVersion } = registrar
    return { ...rest, agentID, agentVersion, keyId: own.keyId, signingAlgorithm: own.algorithm, ...members }
  }
  const good = registered(raw, own, by({ date: '2030-01-01T00:00:00.000Z' }))
  return [
    ['a countersignature', good, true],
    ['no countersignature', raw, false],
    ['the signature of the document as its countersignature', unregistered(good, JSON.parse(raw).sxSignature), false],
    ['a countersignature in the context of documents', registered(raw, own, by(), 'sx-document-v1'), false],
    ["a stranger's countersignature", registered(raw, otherKey[own.algorithm], by()), false],
    ['a countersignature by an unknown agent', registered(raw, own, by({ agentID: anyone })), false],
    ["a countersignature with another key's id", registered(raw, own, by({ keyId: key[algorithm].keyId })), false],
    ['a countersignature of an unknown algorithm', registered(raw, own, by({ signingAlgorithm: 'rot13' })), false],
    ['a countersignature of a further member', registered(raw, own, by({ by: 'me' })), false],
    ['a countersigned document changed', edited(good, [['"amount":1', '"amount":2']]), false],
    [
      'the countersignature of a document that is not valid itself',
      registered(edited(raw, [['"amount":1', '"amount":2']]), own, by()),
      true,
    ],
    ['a countersigned document with text after it', `${good}{}`, false],
    ['a countersigned document with a header field of a later version', good.replace('{', '{"sxLater":1,'), false],
    ['a countersigned document without a type', edited(good, [['"sxType":"message",', '']]), false],
  ].map(([what, text, verifies]) => {
    must(isRegistered(text, trusted) === verifies, `${name}: ${what}`)
    return { name: `${name}: ${what}`, text, verifies }
  })
}

function unregistered(text, registration) {
  return JSON.stringify({ ...JSON.parse(text), sxRegistration: registration })
}

/** What sources hold for a signer, and what then becomes of its document. */
function sources() {
  const { first, second, revoked } = agent.ed25519
  const { raw } = signed['ed25519 message']
  const pem = (of) => of.pem
  const from = (source, bytes, agentId = first.id) => ({ source, agentId, text: bytes })
  const own = pem(key.ed25519)
  const theirs = pem(otherKey.ed25519)
  const stolen = resigned(first.raw, otherKey.ed25519, (document) => {
    const { keyId, pem: publicKey } = otherKey.ed25519
    Object.assign(document.sxPublicKeys[0], { keyId, publicKey })
    document.sxSignature.keyId = keyId
  })
  const ends = (at) =>
    resigned(second.raw, key.ed25519, (document) => {
      version(60_000, { sxPreviousVersion: second.version })(document)
      revoke('superseded', at)(document)
    })
  const last = Date.UTC(2026, 5, 1)
  /** A message that the agent signed when it says. */
  const dated = (at) =>
    resigned(raw, key.ed25519, (document) => {
      const date = new Date(at).toISOString()
      Object.assign(document, { sxVersionDate: date, sxOriginalDate: date })
      document.sxSignature.date = date
    })
  const cut = first.raw.slice(0, 100)
  const padded = (bytes) => first.raw + ' '.repeat(bytes - Buffer.byteLength(first.raw))
  const tooLarge = { bytes: 4096 }
  return [
    ['no source', [], raw, 'UnknownSigner'],
    ['sources for another agent', [from('trust', agent.pq2025.first.raw, agent.pq2025.first.id)], raw, 'UnknownSigner'],
    ["the loaded agent's own document", [from('own', first.raw)], raw, null, true],
    ['the trust store', [from('trust', first.raw)], raw, null, true],
    ['a stored document', [from('document', first.raw)], raw, null, false],
    ['a key directory', [from('directory', own)], raw, null, false],
    ['the trust store and a key directory', [from('trust', first.raw), from('directory', own)], raw, null, true],
    ['two versions of the agent document', [from('trust', first.raw), from('document', second.raw)], raw, null, true],
    ['a stored document and a key directory', [from('document', first.raw), from('directory', own)], raw, null, false],
    ["a stranger's key in the key directory alone", [from('directory', theirs)], raw, 'KeyMismatch'],
    ['a key directory that disagrees', [from('trust', first.raw), from('directory', theirs)], raw, 'KeyConflict'],
    ['a stored document that disagrees', [from('trust', first.raw), from('document', stolen)], raw, 'KeyConflict'],
    [
      "the loaded agent's own document where all others disagree or are damaged",
      [from('own', first.raw), from('trust', stolen), from('document', cut), from('directory', theirs)],
      raw,
      null,
      true,
    ],
    ['an empty file in the key directory', [from('directory', '')], raw, 'InvalidKey'],
    ['a weak key in the key directory', [from('directory', weak.ed25519)], raw, 'WeakPublicKey'],
    [
      'a damaged key file beside a good document',
      [from('trust', first.raw), from('directory', 'x')],
      raw,
      'InvalidKey',
    ],
    ['a truncated document', [from('trust', cut)], raw, 'CorruptStore'],
    ['a document that was changed', [from('trust', first.raw.replace('vectors', 'victims'))], raw, 'CorruptStore'],
    ["another agent's document", [from('trust', agent.pq2025.first.raw)], raw, 'CorruptStore'],
    ['two damaged sources', [from('document', cut), from('directory', 'x')], raw, 'CorruptStore'],
    [
      'a damaged source and one that disagrees',
      [from('trust', stolen), from('document', cut), from('directory', own)],
      raw,
      'CorruptStore',
    ],
    ['a key that has ended, a document from before', [from('trust', revoked)], dated(last - 1), null, true],
    ['a key that has ended, a document from then on', [from('trust', revoked)], dated(last), 'KeyRevoked'],
    [
      'an end that only a stored document knows',
      [from('trust', first.raw), from('document', revoked)],
      dated(last),
      'KeyRevoked',
    ],
    [
      'an end that only the trust store knows',
      [from('trust', revoked), from('directory', own)],
      dated(last),
      'KeyRevoked',
    ],
    [
      'two ends, of which the earlier counts',
      [from('trust', revoked), from('document', ends(last - 1))],
      dated(last - 1),
      'KeyRevoked',
    ],
    [
      'two ends in the other order',
      [from('trust', ends(last - 1)), from('document', revoked)],
      dated(last - 1),
      'KeyRevoked',
    ],
    [
      'a document larger than the limits',
      [from('trust', first.raw)],
      `${raw}${' '.repeat(4096)}`,
      'LimitExceeded',
      false,
      tooLarge,
    ],
    ['a source larger than the limits for documents', [from('trust', padded(5000))], raw, null, true, tooLarge],
  ].map(([name, held, text, code, isTrusted = false, limits]) => {
    const keys = held.map(({ source, agentId, text }) => ({ source, agentId, bytes: text }))
    const found = verify(text, keys, limits && JSON.stringify(limits))
    must((found.code ?? null) === code && found.trusted === isTrusted, `${name}: ${found.code} ${found.trusted}`)
    return { name, ...(limits && { limits }), sources: held, text, code, trusted: isTrusted }
  })
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
  'a JACS document by its id alone': ['{"jacsId":"x"}', 'UnsupportedFormat'],
  'a JACS document by its signature alone': ['{"jacsSignature":{}}', 'UnsupportedFormat'],
  'a proof without a context': ['{"proof":{}}', 'MissingSignature'],
  'a context without a proof': ['{"@context":[]}', 'MissingSignature'],
  'a payload alone': ['{"payload":""}', 'MissingSignature'],
  'signatures without a payload': ['{"signatures":[],"protected":""}', 'MissingSignature'],
  'a JACS document with an id of ours': [`{"jacsId":"x","sxId":"${anyone}"}`, 'InvalidDocument'],
  'a JACS document with a signature of ours': ['{"jacsId":"x","sxSignature":{}}', 'InvalidDocument'],
  'another format with a header field of a later version': ['{"jacsId":"x","sxLater":1}', 'UnsupportedFormat'],
  'a header field of a later version without a mark of ours': ['{"sxLater":1}', 'MissingSignature'],
  'a later header schema and nothing else': ['{"$schema":"urn:sx-agent:schemas/v9"}', 'UnsupportedFormat'],
  'a schema that is no string and nothing else': ['{"$schema":7,"jacsId":"x"}', 'InvalidDocument'],
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

function own(algorithm, what, [raw, change, code]) {
  const name = `${algorithm}: ${what}`
  const text = resigned(raw, key[algorithm], change)
  const { data, ...found } = verify(text, trusted)
  must((found.code ?? null) === code, `${name}: ${found.code}`)
  return { name, text, code, ...(code === null && { data }) }
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
    '`registrations`: verified by the same; `verifies` says whether the countersignature (sxRegistration) does.',
    '`sources`: verified by someone whose `sources` hold these texts (own, trust, document, directory: the rows of the table of section 8) and who sets these `limits`, if any.',
  ],
  cases: [
    ...Object.keys(agent).flatMap((algorithm) =>
      Object.entries(alterations(algorithm)).map(([name, [how, code]]) =>
        altered(`${algorithm} message`, name, how, code),
      ),
    ),
    ...Object.entries(wellSigned('ed25519')).map(([name, how]) => own('ed25519', name, how)),
    ...Object.entries(foreign).map(strange),
  ],
  registrations: Object.keys(agent).flatMap(registrations),
  sources: sources(),
})
