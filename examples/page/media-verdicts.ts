// What verdicts on pictures and texts are called: the steps and titles are those of documents.
import type { SxErrorCode, TextSigner, VerifyImageResult, VerifyTextResult } from 'sx-agent/simple'
import { card, fact, factsOf, type Known, signer } from './card.ts'
import { type Reasons, say, reasons as shared, steps, type Wording, withGivenKey, withoutCode } from './verdicts.ts'
import { show } from './view.ts'

/** What is spoken of: what somebody should have signed, and what a signature of it is about. */
interface What {
  readonly kind: 'picture' | 'text'
  readonly signed: 'picture' | 'text' | 'file'
}

const TEXT: What = { kind: 'text', signed: 'text' }
const ORIGINAL = 'Do not rely on it. Ask the signer for the original file.'

/** What a picture can lose that is no name of metadata. */
const KINDS: Readonly<Record<string, string>> = {
  transparent: 'colours of invisible pixels',
  depth: '16 bits per sample (now 8)',
}

/** Codes that documents do not have, or that are about something else there. */
function reasonOf({ kind, signed }: What, code: SxErrorCode): readonly [reason: string, advice: string] | undefined {
  const own: Readonly<Partial<Record<SxErrorCode, readonly [string, string]>>> = {
    MissingSignature: [
      `This ${kind} has no signature, or its signature was removed.`,
      'If it should be signed, ask the sender for the original file.',
    ],
    HashMismatch: [`The ${signed} was changed after it was signed.`, ORIGINAL],
    BadSignature: [
      `The ${signed} or its signature was changed after it was signed, or another key signed it.`,
      ORIGINAL,
    ],
    DisplayMetadataChanged: [
      'Metadata that changes how the picture looks was added or changed after it was signed.',
      ORIGINAL,
    ],
    MalformedText: ['Something was added after the signatures, or a signature is damaged.', ORIGINAL],
    NotText: ['This is neither a supported picture (PNG, JPEG, WebP) nor a text.', 'Choose another file.'],
  }
  return own[code] ?? (code === 'UnknownSigner' ? shared[code] : undefined)
}

/** Why something is not valid. */
function refusal(what: What, { code, errors }: Reasons, isGiven = false): Wording {
  const other = isGiven ? withGivenKey(code) : undefined
  if (other !== undefined) return other
  const step = code === 'NotText' ? 'unchecked' : (steps[code] ?? 'invalid')
  const [reason, advice] = reasonOf(what, code) ?? [withoutCode({ code, errors }), '']
  return say(step, reason, advice)
}

/**
 * The verdict on a picture, as a card.
 *
 * @param isGiven whether it was checked with a key that was given
 */
export function cardOfPicture(result: VerifyImageResult, isGiven: boolean): HTMLElement {
  const { coverage, unsignedRegions, valid: isValid, code, errors, lost, signatures } = result
  const facts = factsOf({ ...result, isValid })
  const [, second] = signatures
  const inPixels =
    second === undefined ? [] : [fact('Signature in the pixels', (value) => show(value, wordsOf(second)))]
  if (code !== undefined) {
    const what: What = { kind: 'picture', signed: coverage === 'pixels' ? 'picture' : 'file' }
    return card(refusal(what, { code, errors }, isGiven), { facts: [...facts, ...inPixels], isValid })
  }
  const covered =
    coverage === 'pixels' ? 'Only the pixels. Title, location and date in the file are not signed.' : 'The whole file.'
  facts.push(fact('Signed part', (value) => show(value, covered)))
  if (unsignedRegions.length > 0) {
    facts.push(fact('Unsigned part', (value) => show(value, 'A C2PA manifest, which was added later.')))
  }
  if (lost.length > 0) {
    const kinds = lost.map((kind) => KINDS[kind] ?? kind).join(', ')
    facts.push(
      fact('Lost metadata', (value) =>
        show(value, `${kinds}. The picture may look different from when it was signed.`),
      ),
    )
  }
  facts.push(...inPixels)
  const subject = coverage === 'pixels' ? 'The picture, but not its metadata, is unchanged' : 'It is unchanged'
  return card(validWords(subject, result.trusted), { facts, isValid })
}

/** What is said of a signature beside the one that the card is about. */
function wordsOf({ valid, trusted, signerId, signerName, code }: VerifyImageResult['signatures'][number]): string {
  if (!valid) return `Not valid (${code})${signerId === '' ? '' : `; it names ${signerId}`}.`
  const who = trusted && signerName !== '' ? `${signerName} (${signerId})` : signerId
  return `Valid: the picture is unchanged since ${who} signed it${trusted ? '' : ', whom you do not trust yet'}.`
}

function validWords(subject: string, isTrusted: boolean): ReturnType<typeof say> {
  if (isTrusted) return say('trusted', `${subject} since an agent you trust signed it.`, '')
  return say(
    'untrusted',
    `${subject} since it was signed with the key you entered.`,
    'To trust the signer, confirm the key id with them and add their agent document below.',
  )
}

/**
 * The verdict on a text and each of its signers, as a card.
 *
 * @param given the signers that were checked with a key that was given
 */
export function cardOfText(result: VerifyTextResult, bytes: Uint8Array, given: readonly string[]): HTMLElement {
  const { valid: isValid, code, errors, signers } = result
  const facts = signers.length === 1 ? signers.flatMap(factsOfSigner) : []
  facts.push(...unseen(result))
  const all = signers.map((one) => ({ one, words: wordingOf(one, given.includes(one.signerId)) }))
  const items = signers.length > 1 ? all.map(({ one, words }) => item(one, words)) : []
  const known: Known = { facts, signers: items, isValid }
  if (code !== undefined) {
    const whole = result.status === 'signed' ? wordingOfAll(all.map(({ words }) => words)) : undefined
    return card(whole ?? refusal(TEXT, { code, errors }), known)
  }
  const content = new TextDecoder().decode(bytes.subarray(0, result.length))
  if (signers.length === 1) return card(validWords('It is unchanged', signers.every(isTrusted)), { ...known, content })
  const others = signers.filter((one) => !isTrusted(one)).length
  const words =
    others === 0
      ? say('trusted', `It is unchanged since ${signers.length} agents you trust signed it.`, '')
      : say(
          'untrusted',
          `It is unchanged, but ${others} of its ${signers.length} signers ${others === 1 ? 'is' : 'are'} not in your trust list.`,
          '',
        )
  return card(words, { ...known, content })
}

const isTrusted = ({ trusted }: TextSigner): boolean => trusted

function factsOfSigner(one: TextSigner): HTMLElement[] {
  return factsOf({ ...one, isValid: one.status === 'valid' })
}

/** What is said of one signer beside others. */
function wordingOf({ code, message = '', trusted }: TextSigner, isGiven: boolean): Wording {
  if (code === undefined) return say(trusted ? 'trusted' : 'untrusted', '', '')
  return refusal(TEXT, { code, errors: [message] }, isGiven)
}

/** What is said of all signers, if not all of their signatures are valid. */
function wordingOfAll(all: readonly Wording[]): Wording | undefined {
  const invalid = all.find(({ step }) => step === 'invalid')
  if (invalid !== undefined) return invalid
  const open = all.filter(({ step }) => step !== 'trusted' && step !== 'untrusted')
  const [first] = open
  const valid = all.length - open.length
  if (first === undefined || valid === 0) return open.find(({ step }) => step === 'unchecked') ?? first
  const found = `${valid} of its ${all.length} signatures ${valid === 1 ? 'is' : 'are'} valid`
  const reason = `${found}; ${open.length} could not be checked.`
  return { ...say('unchecked', reason, first.advice), title: 'Could not check all signatures' }
}

function item(one: TextSigner, { step, title, reason }: Wording): HTMLElement {
  return signer(step, title, reason, factsOfSigner(one))
}

/** So many warnings are shown. */
const SHOWN = 5

function unseen({ warnings }: VerifyTextResult): HTMLElement[] {
  if (warnings.length === 0) return []
  const places = warnings.slice(0, SHOWN).map(({ line, column, character }) => {
    const where = `line ${line}, column ${column}`
    return character === undefined ? where : `${where}: ${character}`
  })
  if (warnings.length > SHOWN) places.push('and more')
  return [fact('Invisible or misleading characters', (value) => show(value, places.join('; ')))]
}
