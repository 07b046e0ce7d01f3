// The verdict on what is pasted.
import { init, isLoaded, type VerificationResult, verify, verifyStandalone } from 'sx-agent/simple'
import { card, factsOf, type Known } from './card.ts'
import { unchecked, wording } from './verdicts.ts'
import { element, onSubmit } from './view.ts'

const form = element('verify', HTMLFormElement)
const input = element('verify-text', HTMLTextAreaElement)
const publicKey = element('verify-key', HTMLTextAreaElement)
const place = element('verdict', HTMLElement)

/** Grows with whatever may change the verdict, so that one that is overtaken is never shown. */
let changes = 0

/** A line that a signature of a text begins with, and no document has. */
const TEXT_SIGNATURE = /^-----BEGIN .*-----\s*$/m

/**
 * Starts the form.
 *
 * @param checkText takes a text with its signature in it, and checks it where texts are
 */
export function startVerifying(checkText: (text: string) => Promise<void>): void {
  onSubmit(form, element('verify-problem', HTMLElement), async () => {
    if (TEXT_SIGNATURE.test(input.value)) {
      place.replaceChildren()
      return checkText(input.value)
    }
    for (let at = -1; at !== changes; ) {
      at = changes
      const card = await judge(input.value, publicKey.value)
      if (at === changes) place.replaceChildren(card)
    }
  })
  const forget = (): void => {
    changes++
    place.replaceChildren()
  }
  input.addEventListener('input', forget)
  publicKey.addEventListener('input', forget)
}

/** Puts a document into the form and checks it. */
export function verifyHere(document: string): void {
  changes++
  input.value = document
  publicKey.value = '' // it was for another one
  form.requestSubmit()
}

/** Checks again what a verdict is shown for, because something it rests on has changed. */
export function verifyAgain(): void {
  changes++
  if (place.hasChildNodes()) form.requestSubmit()
}

async function judge(document: string, pem: string): Promise<HTMLElement> {
  try {
    const { result, isGiven } = await check(document, pem)
    return card(wording(result, isGiven), known(result))
  } catch (error) {
    return card(unchecked(error), { isValid: false })
  }
}

interface Checked {
  readonly result: VerificationResult
  /** Whether it was checked with the key that was given. */
  readonly isGiven: boolean
}

async function check(document: string, pem: string): Promise<Checked> {
  await init()
  const known = isLoaded() ? await verify(document) : verifyStandalone(document)
  if (known.valid || known.code !== 'UnknownSigner' || pem.trim() === '') return { result: known, isGiven: false }
  return { result: verifyStandalone(document, { keyDirectory: { [known.signerId]: pem } }), isGiven: true }
}

/** What is known of a document, for its card. */
function known(result: VerificationResult): Known {
  const { signerId, keyId, valid: isValid, trusted } = result
  if (!isValid) return { facts: factsOf({ signerId, keyId, signedAt: '', isValid, trusted }), isValid }
  const { data, timestamp: signedAt } = result
  const content = typeof data === 'string' ? data : JSON.stringify(data, null, 2)
  return { facts: factsOf({ signerId, keyId, signedAt, isValid, trusted }), content, isValid }
}
