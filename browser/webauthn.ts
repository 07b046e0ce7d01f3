/**
 * Asking a person for a passkey. What counts is its pseudo-random function (PRF extension of WebAuthn level 3): the
 * authenticator makes the same 32 bytes of the same salt each time, and nobody else can. Its signature is for servers,
 * of which there is none here.
 *
 * @module
 */
import { encode } from '../src/bytes.ts'
import { SxError } from '../src/errors.ts'

/** Which passkey it is, and what its secret is made of. It is no secret itself. */
export interface Passkey {
  /** Its credential id, base64url. */
  readonly id: string
  readonly salt: Uint8Array<ArrayBuffer>
  /** How its authenticator can be reached, as that has said. */
  readonly transports: readonly string[]
}

/** A passkey that was given, with the password that comes of it. */
export interface Given {
  readonly passkey: Passkey
  readonly password: string
}

/** Context of the derivation: the PRF of a passkey is good for one thing only. */
const CONTEXT = 'sx-agent:passkey:1'
/** Of the PRF's output, the salt and the password, in bytes. */
const SIZE = 32
/** ES256, EdDSA, RS256 (RFC 9053): an authenticator has one of them. Nothing is ever verified with it. */
const ALGORITHMS = [-7, -8, -257]

/**
 * Whether people can be asked for a passkey here.
 *
 * @throws SxError `InvalidOption`, `Unsupported` for a browser without WebAuthn
 */
export function checkPasskeys(): void {
  if (typeof document === 'undefined') {
    throw new SxError('InvalidOption', 'A worker cannot request a passkey. Load the agent in the page.')
  }
  if (!isSecureContext) {
    throw new SxError('InvalidOption', 'Only a secure page (https or localhost) can request a passkey.')
  }
  if (typeof PublicKeyCredential === 'undefined') {
    throw new SxError('Unsupported', 'This browser does not support passkeys (WebAuthn). Pass a `password`.')
  }
}

/**
 * Has the person make a passkey. Some authenticators say the secret of a new one only when they are asked again.
 *
 * @param name what it is called where people see their passkeys
 * @throws SxError `PasskeyUnavailable`, `Unsupported`, `Busy`
 */
export async function makePasskey(name: string): Promise<Given> {
  const salt = random()
  const credential = await ceremony('No passkey was created: the request timed out or was refused.', () =>
    navigator.credentials.create({
      publicKey: {
        challenge: random(),
        rp: { name: location.hostname },
        // Another one each time: a passkey of the same user would take the place of one that opens a key.
        user: { id: random(), name, displayName: name },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        extensions: { prf: { eval: { first: salt } } },
      },
    }),
  )
  const id = base64url(new Uint8Array(credential.rawId))
  const { prf } = credential.getClientExtensionResults()
  const response = credential.response as Partial<AuthenticatorAttestationResponse>
  const passkey = { id, salt, transports: response.getTransports?.() ?? [] }
  try {
    if (prf?.results !== undefined) return { passkey, password: await derive(prf.results.first) }
    if (prf?.enabled === true) return await askForPasskey([passkey])
    throw noPrf()
  } catch (error) {
    await forgetPasskey(id)
    throw error
  }
}

/**
 * Asks the person for one of these passkeys.
 *
 * @param passkeys the likeliest first; at least one
 * @throws SxError `PasskeyUnavailable`, `Unsupported`, `Busy`
 */
export async function askForPasskey(passkeys: readonly Passkey[]): Promise<Given> {
  const [likeliest] = passkeys
  const credential = await ceremony(undefined, () =>
    navigator.credentials.get({
      publicKey: {
        challenge: random(),
        allowCredentials: passkeys.map(({ id, transports }) => ({
          type: 'public-key',
          id: bytesOf(id),
          transports: transports as AuthenticatorTransport[],
        })),
        userVerification: 'required', // without it the secret would be another one
        extensions: {
          prf: {
            ...(likeliest && { eval: { first: likeliest.salt } }), // for what knows only this
            evalByCredential: Object.fromEntries(passkeys.map(({ id, salt }) => [id, { first: salt }])),
          },
        },
      },
    }),
  )
  const id = base64url(new Uint8Array(credential.rawId))
  const passkey = passkeys.find((one) => one.id === id)
  if (passkey === undefined) throw new SxError('PasskeyUnavailable', 'A different passkey was used.')
  const { prf } = credential.getClientExtensionResults()
  if (prf?.results === undefined) throw noPrf()
  return { passkey, password: await derive(prf.results.first) }
}

/** Tells who keeps passkeys that this one is of no use any more, where the browser can. */
export async function forgetPasskey(credentialId: string): Promise<void> {
  try {
    await PublicKeyCredential.signalUnknownCredential?.({ rpId: location.hostname, credentialId })
  } catch {
    // Then it stays in the list until its owner removes it. It opens nothing.
  }
}

/** @param refusal what is said where the person, or the browser, says no */
async function ceremony(
  refusal: string | undefined,
  work: () => Promise<Credential | null>,
): Promise<PublicKeyCredential> {
  let credential: Credential | null
  try {
    credential = await work()
  } catch (cause) {
    throw failure(cause, refusal)
  }
  if (credential instanceof PublicKeyCredential) return credential
  throw new SxError('PasskeyUnavailable', refusal)
}

/** Browsers do not tell a passkey that is gone from a person who says no. */
function failure(cause: unknown, refusal: string | undefined): SxError {
  switch (cause instanceof DOMException ? cause.name : '') {
    case 'OperationError':
      return new SxError('Busy', 'The browser is already requesting another passkey.', { cause })
    case 'SecurityError':
      return new SxError('Unsupported', 'Passkeys require a page on a host name, such as example.com.', {
        cause,
      })
    case 'ConstraintError':
    case 'NotSupportedError':
      return new SxError('Unsupported', 'No available authenticator can create such a passkey. Pass a `password`.', {
        cause,
      })
    default:
      return new SxError('PasskeyUnavailable', refusal, { cause })
  }
}

function noPrf(): SxError {
  return new SxError(
    'Unsupported',
    'This authenticator or browser cannot encrypt with a passkey (PRF extension). Use another one, or pass a `password`.',
  )
}

/** The password that comes of what a passkey has said, which is overwritten. */
async function derive(output: BufferSource): Promise<string> {
  const secret = ArrayBuffer.isView(output)
    ? new Uint8Array(output.buffer, output.byteOffset, output.byteLength)
    : new Uint8Array(output)
  if (secret.length < SIZE) throw noPrf()
  try {
    const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
    const info = new Uint8Array(encode(CONTEXT))
    const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
    const bits = new Uint8Array(await crypto.subtle.deriveBits(parameters, key, SIZE * 8))
    const password = base64url(bits)
    bits.fill(0)
    return password
  } finally {
    secret.fill(0)
  }
}

function random(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(SIZE))
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function bytesOf(id: string): Uint8Array<ArrayBuffer> {
  const text = atob(id.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
