// Files as they come in, by what is in them, and the names of those that go out.
import { SxError } from 'sx-agent/simple'
import { isJson } from '../page/json.ts'
import { isAgentDocument } from '../page/links.ts'

/** The limit of agreements, in bytes. */
const LARGEST = 32 << 20

/** What somebody has sent. */
export interface Received {
  readonly kind: 'agent' | 'agreement'
  readonly text: string
}

/**
 * Reads a file as what it is, whatever its name says.
 *
 * @throws SxError `InvalidAgreement`, which names the file
 */
export async function read(file: File): Promise<Received> {
  const named = `“${file.name}”`
  if (file.size > LARGEST) throw refusal(`${named} is larger than any agreement.`)
  const text = textOf(await file.arrayBuffer())
  if (text === undefined || !text.trimStart().startsWith('{')) {
    throw refusal(`${named} is neither an agreement nor an agent document.`)
  }
  if (!isJson(text)) throw refusal(`${named} is damaged or incomplete.`)
  if (isAgentDocument(text)) return { kind: 'agent', text }
  if (!isAgreement(text)) throw refusal(`${named} is neither an agreement nor an agent document.`)
  return { kind: 'agreement', text }
}

const refusal = (found: string): SxError => new SxError('InvalidAgreement', found)

function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether it has the members of an agreement. Whether they are sound, the library says. */
function isAgreement(text: string): boolean {
  const { terms, events } = JSON.parse(text) as { terms?: unknown; events?: unknown }
  return typeof terms === 'object' && Array.isArray(events)
}

/** A name of a file that every system takes. */
export function fileName(text: string, otherwise: string): string {
  const name = text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '')
  return name === '' ? otherwise : name.toLowerCase()
}
