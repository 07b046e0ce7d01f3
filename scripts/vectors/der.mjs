// Key files as an attacker would write them: the derivation that they name is not the one they were made with.
import { createCipheriv, scryptSync } from 'node:crypto'
import { sha256 } from './core.mjs'

export function pem(label, der) {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

function tlv(tag, ...parts) {
  const body = Buffer.concat(parts)
  const long = body.length > 255 ? [0x82, body.length >> 8, body.length & 255] : [0x81, body.length]
  return Buffer.concat([Buffer.from([tag, ...(body.length < 128 ? [body.length] : long)]), body])
}
const sequence = (...parts) => tlv(0x30, ...parts)
const octets = (bytes) => tlv(0x04, bytes)
const oid = (body) => tlv(0x06, Buffer.from(body, 'hex'))
function integer(value) {
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return tlv(0x02, bytes[0] > 127 ? Buffer.from([0]) : Buffer.alloc(0), bytes)
}

/**
 * PBES2 (RFC 8018) with scrypt (RFC 7914 section 7) and AES-256-CBC. What is `claimed` stands in the file in place of
 * what it was made with; `edit` changes its DER.
 */
export function encryptedKey({ plain, password, saltLength = 16, claimed = {}, keyLength, edit = (der) => der }) {
  const iv = sha256('iv').subarray(0, 16)
  const salt = Buffer.concat([sha256('salt'), sha256('more salt'), sha256('yet more')]).subarray(0, saltLength)
  const cipher = createCipheriv('aes-256-cbc', scryptSync(password, salt, 32, { N: 16384, r: 8, p: 5 }), iv)
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()])
  const { n = 16384, r = 8, p = 5, cipherId = '60864801650304012a' } = claimed
  const costs = [n, r, p, ...(keyLength === undefined ? [] : [keyLength])].map(integer)
  const scrypt = sequence(oid('2b06010401da47040b'), sequence(octets(salt), ...costs))
  const aes = sequence(oid(cipherId), octets(iv))
  const pbes2 = sequence(oid('2a864886f70d01050d'), sequence(scrypt, aes))
  return pem('ENCRYPTED PRIVATE KEY', edit(sequence(pbes2, octets(ciphertext))))
}
