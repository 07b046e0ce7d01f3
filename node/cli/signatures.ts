/** What the command line says of a text and its signatures, and of a signed image. */
import type { TextSigner, TextWarning, VerifyImageResult, VerifyTextResult } from '../../src/simple.ts'
import { reworded } from './advice.ts'
import { EXIT, exitOf, type Failure, worst } from './exit.ts'
import { type Outcome, type Report, type Row, shorten, type Tone } from './output.ts'
import {
  basisOf,
  briefOf,
  type Checked,
  isPinned,
  KEY_ID,
  knownOf,
  refused,
  rowsOf,
  titleOf,
  untrusted,
} from './verdict.ts'

/** What decided whom to trust. */
type Basis = Checked['by']

/** What there is to say of an input alone, and of one among others. */
export interface Said {
  readonly whole: Outcome
  readonly among: (file: string) => Outcome
}

/** What is known of a signature of a text or an image. */
type Signature = Pick<TextSigner, 'signerId' | 'signerName' | 'keyId' | 'algorithm' | 'signedAt' | 'trusted'> & {
  readonly failure: Failure | undefined
  readonly isValid: boolean
}

/** Neither texts nor images bring keys along: one that cannot be used is one of those that are known here. */
const isOfKeyFile = (code: string): boolean => code === 'InvalidKey' || code === 'WeakPublicKey'

const asSignature = (
  known: Pick<Signature, 'signerId' | 'signerName' | 'keyId' | 'algorithm' | 'signedAt' | 'trusted'>,
  { code, errors }: Pick<VerifyImageResult, 'code' | 'errors'>,
  by: Basis,
): Signature => {
  const { signerId, trusted } = known
  const isValid = code === undefined
  const failure = isValid ? untrusted(trusted, by) : refused({ signerId, code, errors }, by, () => isOfKeyFile(code))
  return { ...known, failure, isValid }
}

function stateOf({ failure, isValid, trusted }: Signature): string {
  if (isValid) return failure === undefined ? (trusted ? 'valid, trusted' : 'valid') : 'valid, NOT TRUSTED'
  return failure?.exit === EXIT.unchecked ? 'COULD NOT BE CHECKED' : 'NOT VALID'
}

/** The one signature that there is: what cannot be chosen comes before what can. */
function rowsOfOnly(signature: Signature): Row[] {
  const { signerId, keyId, algorithm, signedAt, isValid } = signature
  if (!isValid) return rowsAmong(signature)
  const rows: Row[] = [
    ['signed at', signedAt],
    ['algorithm', algorithm],
  ]
  return [['key id', keyId], ['signer', signerId, stateOf(signature)], ...calledOf(signature), ...rows]
}

/** A signature among others: its key and its signer, with what is said of it, and below what else is known. */
function rowsAmong(signature: Signature): Row[] {
  const { signerId, keyId, signedAt, isValid } = signature
  const state = stateOf(signature)
  if (isValid) return [['key id', keyId], ['signer', signerId, state], ...calledOf(signature), ['signed at', signedAt]]
  const named: Row[] = KEY_ID.test(keyId) ? [['claimed key id', keyId]] : []
  return [['claimed signer', signerId || 'none', state], ...named]
}

const calledOf = ({ signerName, trusted }: Signature): Row[] =>
  trusted && signerName !== '' ? [['signer name', shorten(signerName)]] : []

const reasonOf = ({ code, message }: Failure): Row => ['reason', `${code}: ${message}`]

/** In `--quiet`, and on a line among others. */
const briefly = (signature: Signature): string => `signer: ${signature.signerId || 'none'} ${stateOf(signature)}`

const known = (signatures: readonly Signature[]): string[] =>
  signatures
    .filter(({ isValid }) => isValid)
    .flatMap(({ signerId, keyId, signerName, trusted }) => knownOf(keyId, signerId, trusted ? signerName : ''))

interface Saying {
  readonly title: readonly [Tone, string]
  readonly failure: Failure | undefined
  readonly by: Basis
  readonly json: Readonly<Record<string, unknown>>
  readonly signatures: readonly Signature[]
  /** Rows after those of the signatures. */
  readonly more: readonly Row[]
  /** What is said after all else where there is one line for all. */
  readonly aside: readonly string[]
}

function saying({ title, failure, by, json, signatures, more, aside }: Saying): Said {
  const isOne = signatures.length === 1
  const own = ({ failure: why, isValid }: Signature): Row[] => (why === undefined || isValid ? [] : [reasonOf(why)])
  const signers = signatures.flatMap((one) => (isOne ? rowsOfOnly(one) : [...rowsAmong(one), ...own(one)]))
  const isSaid = signatures.length > 1 && signatures.some((one) => !one.isValid)
  const reason = failure === undefined || isSaid ? [] : [reasonOf(failure)]
  const brief = [title[1], ...signatures.map(briefly), briefOf(by).join(': '), ...aside].join('; ')
  const result: Report = { title, rows: [...signers, ...more, ...reason, ...rowsOf(by)], brief }
  const whole = { json: { ...json, ...basisOf(by) }, result, ...(failure && { failure }) }
  const why = failure === undefined || failure.exit === EXIT.untrusted ? [] : [`${failure.code}: ${failure.message}`]
  return {
    whole,
    among: (file) => ({
      ...whole,
      json: { file, ...whole.json },
      line: [title[1], file, ...known(signatures), ...aside, ...why],
    }),
  }
}

const NO_SIGNATURE = ['bad', 'NO SIGNATURE'] as const

/** A failure that is about no signature: there is none, or none that counts. */
function failureOfWhole({ code, errors }: Pick<VerifyImageResult, 'code' | 'errors'>): Failure | undefined {
  if (code === undefined) return undefined
  const message = errors.map((error) => reworded(code, error).replace(`${code}: `, '')).join(' ')
  return { exit: exitOf(code), code, message }
}

/** What is no text may be what a document has attached. */
function ofAnyFile(failure: Failure | undefined): Failure | undefined {
  if (failure?.code !== 'NotText') return failure
  const both = 'To compare a file with the document that it is attached to, pass both: `sx verify <document> <file>`.'
  return { ...failure, message: `${failure.message} ${both}` }
}

/** The worst of the failures of some signatures. */
function worstOf(signatures: readonly Signature[]): Failure | undefined {
  const failures = signatures.flatMap(({ failure }) => failure ?? [])
  const exit = worst(failures.map((failure) => failure.exit))
  return failures.find((failure) => failure.exit === exit)
}

function titleOfText(failure: Failure | undefined, { signers }: VerifyTextResult, by: Basis): Saying['title'] {
  const count = signers.length
  if (count > 1 && failure === undefined && !isPinned(by)) return ['good', `VALID, signed by ${count} trusted agents`]
  if (count > 1 && failure?.exit === EXIT.untrusted) return ['doubtful', 'VALID, but a signer is NOT TRUSTED']
  return failure?.code === 'MissingSignature' ? NO_SIGNATURE : titleOf(failure, by)
}

/** A signature beside one with the key that was named. It may well be good: nobody has looked. */
function besidePinned(signature: Signature): Signature {
  const { failure } = signature
  if (failure?.code !== 'KeyMismatch') return signature
  const message =
    'Another agent signed with a different key than --key. To verify all signers, pass --key-directory with a ' +
    'folder that contains the key of each signer as <agentId>.public.pem.'
  return { ...signature, failure: { ...failure, exit: EXIT.unchecked, message } }
}

/** What there is to say of a text. */
export function sayOfText(result: VerifyTextResult, by: Basis): Said {
  const { status, signers, warnings } = result
  const all = signers.map((signer) => {
    const { code, message } = signer
    return asSignature(signer, { code, errors: message === undefined ? [] : [message] }, by)
  })
  const signatures = isPinned(by) && all.some(({ isValid }) => isValid) ? all.map(besidePinned) : all
  const failure = status === 'signed' ? worstOf(signatures) : ofAnyFile(failureOfWhole(result))
  const spoken = signers.map((signer) =>
    signer.code === undefined || signer.message === undefined
      ? signer
      : { ...signer, message: reworded(signer.code, signer.message) },
  )
  const [first] = warnings
  const aside = first === undefined ? [] : [`warnings: ${warnings.length}, ${placeOf(first)}: ${nameOf(first)}`]
  return saying({
    title: titleOfText(failure, result, by),
    failure,
    by,
    json: { kind: 'text', ...result, signers: spoken, errors: result.errors.map((text) => rewordedAny(text, result)) },
    signatures,
    more: warnings.map((warning): Row => ['warning', placeOf(warning), nameOf(warning)]),
    aside,
  })
}

/** A reason, whichever signature it is about. */
function rewordedAny(text: string, { signers, code }: VerifyTextResult): string {
  const codes = [code, ...signers.map((signer) => signer.code)].filter((one) => one !== undefined)
  const own = codes.find((one) => text.startsWith(`${one}: `))
  return own === undefined ? text : reworded(own, text)
}

const placeOf = ({ line, column }: TextWarning): string => `line ${line}, column ${column}`

const nameOf = ({ code, character }: TextWarning): string => (character === undefined ? code : `${code} ${character}`)

/** What a picture can lose that is no name of metadata. */
const KINDS: Readonly<Record<string, string>> = {
  transparent: 'transparent (colours of invisible pixels)',
  depth: 'depth (16 bits per sample, now 8)',
}

/** What was recorded of a picture and is lost; it may look different for that. */
function lostOf(lost: readonly string[]): Row[] {
  if (lost.length === 0) return []
  const kinds = lost.map((kind) => KINDS[kind] ?? kind).join(', ')
  return [['lost', `${kinds}: the picture may look different from when it was signed`]]
}

/** The signature in the pixels of an image that has one in its metadata, which is told before. */
function secondOf(signatures: VerifyImageResult['signatures'], by: Basis): Row[] {
  return signatures.slice(1).flatMap((one): Row[] => {
    const { signerId, keyId, signerName, trusted, lost, code } = one
    const signature = asSignature(one, one, by)
    const state = code === undefined ? stateOf(signature) : `${stateOf(signature)}, ${code}`
    const known: Row[] = one.valid ? [['key id', keyId]] : []
    const called: Row[] = trusted && signerName !== '' ? [['signer name', shorten(signerName)]] : []
    return [['in the pixels', signerId || 'none', state], ...known, ...called, ...lostOf(lost)]
  })
}

/** What the signature of an image is about, in words; of one that is not valid, nothing is covered. */
function coverageOf({ valid, coverage, unsignedRegions }: VerifyImageResult): Row[] {
  switch (valid ? coverage : undefined) {
    case undefined:
      return []
    case 'pixels':
      return [['coverage', 'pixels: only the pixels; titles, locations and dates in metadata are not signed']]
    case 'file':
      return [
        [
          'coverage',
          unsignedRegions.length === 0 ? 'file: every byte' : `file: everything except ${unsignedRegions.join(', ')}`,
        ],
      ]
  }
}

/** What there is to say of an image. */
export function sayOfImage(result: VerifyImageResult, by: Basis): Said {
  const { status, valid, coverage, code, errors, lost, signatures } = result
  const isMissing = status === 'missing_signature'
  const signature = asSignature(result, result, by)
  const failure = isMissing ? failureOfWhole(result) : signature.failure
  const spoken = code === undefined ? errors : errors.map((error) => reworded(code, error))
  return saying({
    title: isMissing ? NO_SIGNATURE : titleOf(failure, by),
    failure,
    by,
    json: { kind: 'image', ...result, errors: spoken },
    signatures: isMissing ? [] : [signature],
    more: [...coverageOf(result), ...lostOf(lost), ...secondOf(signatures, by)],
    aside: [
      ...(!valid || coverage === undefined ? [] : [`coverage: ${coverage}`]),
      ...(lost.length === 0 ? [] : [`lost: ${lost.join(', ')}`]),
    ],
  })
}
