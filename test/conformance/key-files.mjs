// Keys of one's own for agents of the cases, in files whose derivation is the cheapest that the library opens: a fifth of
// what it writes.

export const password = 'a password for tests'

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (digits) => Number.parseInt(digits, 16))

/** Everything before the seed in the PKCS#8 file of a seed (RFC 8410 section 7, RFC 9881 section 6). */
const beforeSeed = {
  ed25519: bytesOf('302e020100300506032b657004220420'),
  pq2025: bytesOf('3034020100300b060960864801650304031304228020'),
}

const iv = bytesOf('0ab306823035661bb8dba21cc2535231')
/** Everything before the 64 bytes of ciphertext: PBES2 with scrypt (N = 2^14, r = 8, p = 1) and AES-256-CBC. */
const beforeCiphertext = bytesOf(
  '30819b305706092a864886f70d01050d304a302906092b06010401da47040b301c041063479ad69a090b258277ec8fba6f9941' +
    '02024000020108020101301d060960864801650304012a04100ab306823035661bb8dba21cc25352310440',
)
/** What scrypt derives from the password with the salt that stands there. */
const derivedKey = bytesOf('a9b5359fc8db26b12e2a82e180ff6a639f4460fdebbfb36c901e4b68e608dfe0')

function pem(label, ...parts) {
  const bytes = Uint8Array.from(parts.flatMap((part) => [...part]))
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g)
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** The key of a name, as it is and as the password opens it. */
export async function keyFiles(algorithm, name) {
  const seed = new TextEncoder().encode(name.padEnd(32, '.'))
  const plain = Uint8Array.of(...beforeSeed[algorithm], ...seed)
  const { subtle } = globalThis.crypto
  const key = await subtle.importKey('raw', derivedKey, 'AES-CBC', false, ['encrypt'])
  const ciphertext = new Uint8Array(await subtle.encrypt({ name: 'AES-CBC', iv }, key, plain))
  return { plain: pem('PRIVATE KEY', plain), encrypted: pem('ENCRYPTED PRIVATE KEY', beforeCiphertext, ciphertext) }
}
