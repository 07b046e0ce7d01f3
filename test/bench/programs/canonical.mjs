const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Verifies the signature that is a member of a document, over the canonical text of the others. */
export async function verifyCanonical({ document, key }, canonicalize, scheme) {
  const { signature, ...signed } = JSON.parse(document)
  const text = new TextEncoder().encode(canonicalize(signed))
  if (!scheme.verify(bytesOf(signature), text, bytesOf(key))) throw new Error('The signature is refused.')
}
