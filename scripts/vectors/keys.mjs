import { core, drawn, entropy, hex, made, making, moment, must, outcome, verify } from './core.mjs'
import { encryptedKey, pem } from './der.mjs'

// Everything before the seed in the PKCS#8 file of a seed (RFC 8410 section 7, RFC 9881 section 6).
const seedFile = {
  ed25519: '302e020100300506032b657004220420',
  pq2025: '3034020100300b060960864801650304031304228020',
}
// Everything before the raw key in its SPKI (RFC 8410 section 4, RFC 9881 section 4).
const publicFile = {
  ed25519: '302a300506032b6570032100',
  pq2025: '30820a32300b060960864801650304031303820a2100',
}

/** The seeds: 32 counting bytes, another range for each algorithm. */
const seeds = {
  ed25519: Uint8Array.from({ length: 32 }, (_, at) => at),
  pq2025: Uint8Array.from({ length: 32 }, (_, at) => 32 + at),
}
const password = 'correct horse battery staple'
const messages = ['', 'abc', 'Grüße an 世界 🌍\n']

export const publicPem = (algorithm, raw) =>
  pem('PUBLIC KEY', Buffer.concat([Buffer.from(publicFile[algorithm], 'hex'), raw]))

function open(algorithm, seed) {
  const der = Buffer.concat([Buffer.from(seedFile[algorithm], 'hex'), seed])
  const handle = core.secretRestore(der)
  return { der, handle, ...JSON.parse(core.publicOf(handle)) }
}

/** The key of the vectors, open in the core. */
export const key = { ed25519: open('ed25519', seeds.ed25519), pq2025: open('pq2025', seeds.pq2025) }
/** Another key of the algorithm: a stranger's. */
export const otherKey = {
  ed25519: open('ed25519', new Uint8Array(32).fill(7)),
  pq2025: open('pq2025', new Uint8Array(32).fill(7)),
}

/** What signs with a key for an agent, whose document is this. */
export const signerOf = ({ handle, pem: publicKey }, agentDocument) =>
  core.signerNew(handle, agentDocument, publicKey, '')

function anySigner(of) {
  const profile = JSON.stringify({ name: 'Anyone' })
  const { id, raw } = made(core.agentCreate(of.handle, profile, moment(0, 'anyone')))
  return { id, signer: signerOf(of, raw) }
}

/** Agents of the keys that no vector shows: for texts of which only the signature or the content counts. */
const anyone = { ed25519: anySigner(key.ed25519), pq2025: anySigner(key.pq2025) }

/** A message with this JSON text as its content, and who signed it. */
export function anyMessage(text) {
  const { id, signer } = anyone.ed25519
  return { id, raw: made(core.documentCreate(signer, text, making(true), undefined, moment(0, 'any'))).raw }
}

/** The key that is derived from a password for a key file. */
const derived = (parameters, password) => core.deriveKey(parameters, Buffer.from(password))

function encrypted({ handle }, name, password) {
  const parameters = core.newKeyDerivation(entropy(name))
  return core.secretEncrypt(handle, parameters, derived(parameters, password), entropy(name))
}

/** Opens a key file as the library does. */
function openedHandle(privateKey, password) {
  const parameters = core.keyDerivation(privateKey)
  return core.secretOpen(privateKey, parameters === undefined ? Buffer.alloc(32) : derived(parameters, password))
}

function rawOf({ algorithm, pem: text }) {
  const der = Buffer.from(text.replace(/-----[^-]+-----/g, ''), 'base64')
  must(hex(der).startsWith(publicFile[algorithm]), 'the SPKI is not the one of the standard')
  return der.subarray(publicFile[algorithm].length / 2)
}

function jwk({ algorithm, ...rest }) {
  const bytes = rawOf({ algorithm, ...rest }).toString('base64url')
  return algorithm === 'ed25519'
    ? { crv: 'Ed25519', kty: 'OKP', x: bytes }
    : { alg: 'ML-DSA-87', kty: 'AKP', pub: bytes }
}

function describe(algorithm) {
  const { der, keyId, pem: publicKey } = key[algorithm]
  const name = `${algorithm} key file`
  const isHedged = algorithm === 'pq2025'
  return {
    algorithm,
    seed: hex(seeds[algorithm]),
    privateKey: pem('PRIVATE KEY', der),
    publicKey,
    publicKeyRaw: rawOf(key[algorithm]).toString('base64'),
    jwk: jwk(key[algorithm]),
    keyId,
    signatures: messages.map((message) => ({
      message,
      ...(isHedged && { rnd: hex(drawn(message, 'hedge')) }),
      signature: core.signString(anyone[algorithm].signer, message, entropy(message)),
    })),
    encrypted: {
      password,
      salt: hex(drawn(name, 'salt').subarray(0, 16)),
      iv: hex(drawn(name, 'iv').subarray(0, 16)),
      privateKey: encrypted(key[algorithm], name, password),
    },
  }
}

/** The encodings of the points whose order divides 8: the eight canonical ones, then the six others. */
const smallOrder = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
]

function refusedPublicKeys() {
  const good = rawOf(key.pq2025)
  const noT1 = Buffer.concat([good.subarray(0, 32), Buffer.alloc(2560)])
  const cases = [
    ...smallOrder.map((bytes, at) => ({
      name: `Ed25519: small order, encoding ${at + 1}${at < 8 ? '' : ', not canonical'}`,
      algorithm: 'ed25519',
      raw: Buffer.from(bytes, 'hex'),
      code: 'WeakPublicKey',
    })),
    {
      name: 'Ed25519: y = 2^255 - 19 + 3, not canonical',
      algorithm: 'ed25519',
      raw: Buffer.from(`f0${'ff'.repeat(30)}7f`, 'hex'),
      code: 'InvalidKey',
    },
    {
      name: 'Ed25519: y = 2, on no point',
      algorithm: 'ed25519',
      raw: Buffer.from(`02${'00'.repeat(31)}`, 'hex'),
      code: 'InvalidKey',
    },
    { name: 'ML-DSA-87 key with t1 = 0', algorithm: 'pq2025', raw: noT1, code: 'WeakPublicKey' },
  ]
  return cases.map(({ raw, ...rest }) => {
    const publicKey = publicPem(rest.algorithm, raw)
    must(codeOfPublicKey(publicKey) === rest.code, `${rest.name} is ${codeOfPublicKey(publicKey)}`)
    return { ...rest, raw: raw.toString('base64'), publicKey }
  })
}

/** The code with which a key in a key directory is refused. */
function codeOfPublicKey(publicKey) {
  const { id: agentId, raw } = anyMessage('1')
  return verify(raw, [{ agentId, source: 'directory', bytes: publicKey }]).code
}

/** Private keys of kinds that are not supported: what stands before 32, 56 or 57 bytes of the key. */
const otherKinds = {
  'elliptic curve P-256': ['3041020100301306072a8648ce3d020106082a8648ce3d0301070427302502010104' + '20', 32],
  X25519: ['302e020100300506032b656e04220420', 32],
  X448: ['3046020100300506032b656f043a0438', 56],
  Ed448: ['3047020100300506032b6571043b0439', 57],
  'ML-DSA-44': ['3034020100300b060960864801650304031104228020', 32],
  'ML-DSA-65': ['3034020100300b060960864801650304031204228020', 32],
}
const ofOtherKind = ([head, length]) => Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(length, 7)])

/** A file in DER with one byte changed, counted from its start. */
const withByte = (at, change) => (der) =>
  Buffer.concat([der.subarray(0, at), Buffer.of(change(der[at])), der.subarray(at + 1)])
const edits = {
  ciphertext: (der) => withByte(der.length - 64, (byte) => byte ^ 1)(der),
  overrun: withByte(4, (length) => length + 1), // of the outer AlgorithmIdentifier
  longer: (der) => Buffer.concat([Buffer.of(0x30, 0x81, der[2] + 1, 0x30, 0x81), der.subarray(4)]),
  trailing: (der) => Buffer.concat([der, Buffer.of(0)]),
}

function keyFiles() {
  const plain = key.ed25519.der
  const file = (changes) => encryptedKey({ plain, password, ...changes })
  const opened = [
    { name: 'salt of 8 bytes', privateKey: file({ saltLength: 8 }) },
    { name: 'salt of 64 bytes', privateKey: file({ saltLength: 64 }) },
    { name: 'key length of 32', privateKey: file({ keyLength: 32 }) },
  ].map(({ name, privateKey }) => {
    const { keyId } = JSON.parse(core.publicOf(openedHandle(privateKey, password)))
    must(keyId === key.ed25519.keyId, `${name} opens`)
    return { name, privateKey, password, keyId }
  })
  const good = file({})
  const cases = [
    { name: 'T46 scrypt N = 1', privateKey: file({ claimed: { n: 1 } }), code: 'KdfOutOfRange' },
    { name: 'T46 scrypt N = 2', privateKey: file({ claimed: { n: 2 } }), code: 'KdfOutOfRange' },
    { name: 'T46 scrypt N = 2^31', privateKey: file({ claimed: { n: 2 ** 31 } }), code: 'KdfOutOfRange' },
    { name: 'T46 scrypt r = 2^30', privateKey: file({ claimed: { r: 2 ** 30 } }), code: 'KdfOutOfRange' },
    { name: 'T46 scrypt p = 2^30', privateKey: file({ claimed: { p: 2 ** 30 } }), code: 'KdfOutOfRange' },
    { name: 'T46 wrong password', privateKey: good, password: 'wrong', code: 'WrongPassword' },
    {
      name: 'T46 one bit of the ciphertext flipped',
      privateKey: file({ edit: edits.ciphertext }),
      code: 'WrongPassword',
    },
    { name: 'empty password', privateKey: good, password: '', code: 'PasswordRequired' },
    { name: 'not encrypted', privateKey: pem('PRIVATE KEY', plain), code: 'InvalidKey' },
    { name: 'salt of 7 bytes', privateKey: file({ saltLength: 7 }), code: 'KdfOutOfRange' },
    { name: 'salt of 65 bytes', privateKey: file({ saltLength: 65 }), code: 'KdfOutOfRange' },
    { name: 'key length of 16', privateKey: file({ keyLength: 16 }), code: 'InvalidKey' },
    {
      name: 'AES-128 and scrypt N = 2',
      privateKey: file({ claimed: { n: 2, cipherId: '608648016503040102' } }),
      code: 'InvalidKey',
    },
    {
      name: 'an AlgorithmIdentifier that overruns its end',
      privateKey: file({ edit: edits.overrun }),
      code: 'InvalidKey',
    },
    { name: 'a byte after the end', privateKey: file({ edit: edits.trailing }), code: 'InvalidKey' },
    { name: 'a length in a longer form', privateKey: file({ edit: edits.longer }), code: 'InvalidKey' },
    ...Object.entries(otherKinds).map(([kind, parts]) => ({
      name: `a key of the kind ${kind}`,
      privateKey: file({ plain: ofOtherKind(parts) }),
      code: 'InvalidKey',
    })),
    {
      name: 'a key of the kind X25519, not whole',
      privateKey: file({ plain: ofOtherKind(otherKinds.X25519).subarray(1) }),
      code: 'WrongPassword',
    },
  ]
  const refused = cases.map((one) => {
    const file = { ...one, password: one.password ?? password }
    const { code } = outcome(() => openedHandle(file.privateKey, file.password))
    must(code === file.code, `${file.name} is ${code}`)
    return file
  })
  return { opened, refused }
}

export const keys = () => {
  const { opened, refused } = keyFiles()
  return {
    description: 'Keys of both algorithms, their encodings, signatures of plain texts, and keys that are refused.',
    about: [
      'Each key follows from `seed` (hex): RFC 8032 section 5.1.5 for ed25519, FIPS 204 algorithm 6 (ML-DSA.KeyGen_internal) for pq2025, which is ML-DSA-87.',
      '`privateKey` is PKCS#8 (RFC 8410, RFC 9881 seed form), `publicKey` SPKI; `jwk` holds the members that RFC 7638 hashes, `keyId` is their thumbprint (SHA-256, base64url).',
      '`signatures` are those of `signString`: over the UTF-8 bytes of `message` as they are, in base64. ed25519 is deterministic. pq2025 is hedged: `rnd` (hex) is the input of that name to FIPS 204 algorithm 7; the context string is empty.',
      '`encrypted` is the same private key under PBES2: scrypt N = 16384, r = 8, p = 5 with `salt`, then AES-256-CBC with `iv`.',
      '`strangers` are keys of nobody in particular; some vectors of other files are signed with them.',
      '`refusedPublicKeys`: base64 `raw` and the SPKI made of it; importing it fails with `code`, and no signature verifies under it.',
      '`openedKeyFiles`: opening `privateKey` with `password` gives the key with `keyId`.',
      '`refusedKeyFiles`: opening `privateKey` with `password` fails with `code`; those with KdfOutOfRange before any derivation.',
    ],
    keys: [describe('ed25519'), describe('pq2025')],
    strangers: Object.values(otherKey).map(({ algorithm, keyId, pem: publicKey }) => ({ algorithm, keyId, publicKey })),
    refusedPublicKeys: refusedPublicKeys(),
    openedKeyFiles: opened,
    refusedKeyFiles: refused,
  }
}
