import { pae as frame, hex, sha256 } from './core.mjs'

/** The table of contexts (protocol, section 2). */
const contexts = {
  'sx-document-v1': 'signature of a document',
  'sx-registration-v1': "countersignature of another agent's document",
  'sx-key-proof-v1': 'a key of an agent with several shows that it is its own',
  'sx-key-rotation-v1': 'the old key vouches for the new key',
  'sx-key-revocation-v1': 'a key states in advance that it is revoked',
  'sx-former-keys-v1': 'hash over the keys that an agent document no longer holds',
  'sx-agreement-v1': 'legacy agreement: hash of what is agreed',
  'sx-agreement-v1-sign': "legacy agreement: a party's signature",
  'sx-agreement-v2': 'standalone agreement: hash of the terms',
  'sx-agreement-event-id': 'standalone agreement: id of an event',
  'sx-agreement-event-v2': 'standalone agreement: signature of an event',
  'sx-request-v2': 'request header',
  'sx-response-v2': 'response and event envelope',
  'sx-mcp-v1': 'MCP message',
}

/** Payloads whose length in bytes is not that in characters, or that look like framing themselves. */
const payloads = ['', '{}', '{"a":"ü€😀"}', '14 sx-document-v1 2 {}', 'x'.repeat(1000)]

function statement(context, payload) {
  const bytes = frame(context, payload)
  return { context, payload, length: bytes.length, bytes: hex(bytes), sha256: hex(sha256(bytes)) }
}

export const pae = () => ({
  description: 'The bytes that signatures of the library are over.',
  about: [
    'PAE(context, payload) = "SXv2 " len(context) " " context " " len(payload) " " payload; lengths are decimal numbers of UTF-8 bytes.',
    '`contexts` is the whole table. `statements`: `bytes` (hex) of each, their `length` and SHA-256.',
  ],
  contexts: Object.entries(contexts).map(([context, use]) => ({ context, use })),
  statements: Object.keys(contexts).flatMap((context) => payloads.map((payload) => statement(context, payload))),
})
