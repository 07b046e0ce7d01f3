// Signing what is typed in.
import { type SignedDocument, SxError, type SxErrorCode, signMessage, verifyOrThrow } from 'sx-agent/simple'
import { isJson } from './json.ts'
import { copies, element, onPress, onSubmit } from './view.ts'

const input = element('sign-text', HTMLTextAreaElement)
const output = element('signed-text', HTMLTextAreaElement)
const signed = element('signed', HTMLElement)
const problem = element('sign-problem', HTMLElement)

/**
 * @param pass takes a signed document to the other side of the page
 * @param signText takes a text that is no JSON, and signs it where texts are
 */
export function startSigning(pass: (document: string) => void, signText: (text: string) => Promise<void>): void {
  onSubmit(element('sign', HTMLFormElement), problem, async () => {
    if (!isJson(input.value)) return signText(input.value)
    const { raw } = await sign(input.value)
    output.value = raw
    signed.hidden = false
  })
  input.addEventListener('input', () => {
    element('sign-kind', HTMLElement).textContent = describe(input.value)
    signed.hidden = true // it is no longer what the text above says
  })
  copies('copy-signed', () => output.value)
  onPress(element('try-signed', HTMLButtonElement), problem, () => pass(output.value))
}

/** What `JSON.parse` takes although readers may understand it differently; the library does not. */
const ambiguous: readonly SxErrorCode[] = ['DuplicateKey', 'LossyNumber', 'LimitExceeded']

/** Signs JSON as data. */
async function sign(text: string): Promise<SignedDocument> {
  try {
    await verifyOrThrow(text) // reads it strictly, which is all that is wanted here
  } catch (error) {
    if (!(error instanceof SxError) || ambiguous.includes(error.code)) throw error
  }
  return signMessage(JSON.parse(text))
}

function describe(text: string): string {
  if (text.trim() === '') return ''
  if (isJson(text)) return 'It will be signed as JSON data.'
  return /^\s*[{[]/.test(text)
    ? 'This starts like JSON but is not valid JSON. It will be signed as a text, above.'
    : 'It will be signed as a text, above.'
}
