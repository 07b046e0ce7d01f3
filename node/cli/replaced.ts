/** The signature of somebody else that an image carried until it was signed. */

import { extractMediaSignature, SxError, stripImageSignature } from '../../src/simple.ts'
import { equalBytes } from './bytes.ts'
import { type Row, shorten } from './output.ts'

/** What is known of it: nothing is verified. */
export interface Replaced {
  /** The agent that it named as its signer; '' if it named none in a form that can be read. */
  readonly claimedSignerId: string
}

/** Columns for an id that anybody may have made up; a whole one has 36. */
const ID_COLUMNS = 36

/**
 * What signing an image replaces, unless it named the same agent.
 *
 * @param robust whether its pixels are signed, too
 */
export async function replacedIn(bytes: Uint8Array, robust: boolean, agentId: string): Promise<Replaced | undefined> {
  const bare = await stripImageSignature(bytes, null, { force: true })
  // In the pixels it stays, if these are not signed.
  if (!robust && equalBytes(bytes, bare)) return undefined
  const claimedSignerId = await claimIn(bytes)
  return claimedSignerId === undefined || claimedSignerId === agentId ? undefined : { claimedSignerId }
}

/** Whom the signature of an image names; `undefined` if there is none. */
async function claimIn(bytes: Uint8Array): Promise<string | undefined> {
  try {
    const document = await extractMediaSignature(bytes, { rawPayload: false })
    const signature = memberOf(document, 'sxSignature')
    const id = memberOf(signature, 'agentID')
    return typeof id === 'string' ? id : ''
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    return error.code === 'MissingSignature' ? undefined : ''
  }
}

const memberOf = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
    ? (Reflect.get(holder, name) as unknown)
    : undefined

/** The row that says so. */
export function rowsOfReplaced(replaced: Replaced | undefined): Row[] {
  if (replaced === undefined) return []
  const { claimedSignerId: id } = replaced
  return [
    ['replaced', id === '' ? 'a signature that named nobody' : `a signature that named ${shorten(id, ID_COLUMNS)}`],
  ]
}
