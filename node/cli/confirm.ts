/** Questions before something that cannot be undone, and what calling a key compromised takes back. */
import type { SxAgent } from '../../src/index.ts'
import { SxError } from '../../src/simple.ts'
import { infoOf } from './command.ts'
import { usage } from './exit.ts'
import type { PromptOptions } from './files.ts'
import { escapeText, type Row } from './output.ts'
import { askAloud } from './terminal.ts'

/** The options of a command that asks before it goes on. */
export interface ConfirmOptions extends PromptOptions {
  readonly yes?: boolean
}

/** The stored documents of the agent that a key has signed. */
export interface Lost {
  /** Those whose latest version it has signed, as far as they were counted. */
  readonly count: number
  /** False where counting took too long, or a document could not be read: there may be more. */
  readonly isComplete: boolean
}

/** Counting ends after so long, in milliseconds. */
const PATIENCE = 2_000
/** So many documents are listed at once. */
const PAGE = 200

/** Counts the stored documents whose latest version the agent has signed with a key. */
export async function countLost(agent: SxAgent, keyId: string): Promise<Lost> {
  const { agentId } = infoOf(agent)
  const end = Date.now() + PATIENCE
  let [count, isComplete] = [0, true]
  for (let after: string | undefined; ; ) {
    const keys = await agent.listDocuments({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const key of keys) {
      if (Date.now() > end) return { count, isComplete: false }
      const signer = await signerOf(agent, key)
      if (signer === undefined) isComplete = false
      else if (signer.agentID === agentId && signer.keyId === keyId && !key.startsWith(`${agentId}:`)) count += 1
    }
    after = keys.at(-1)
    if (keys.length < PAGE) return { count, isComplete }
  }
}

interface Signer {
  readonly agentID: string
  readonly keyId: string
}

/** Who has signed a stored document, as it says itself; `undefined` of one that cannot be read. */
async function signerOf(agent: SxAgent, key: string): Promise<Signer | undefined> {
  try {
    return (JSON.parse(await agent.getDocument(key)) as { readonly sxSignature: Signer }).sxSignature
  } catch (error) {
    if (error instanceof SxError) return undefined
    throw error
  }
}

function countOf({ count, isComplete }: Lost): string {
  return `${isComplete ? '' : 'at least '}${count} stored document${count === 1 && isComplete ? '' : 's'}`
}

/** The row of a result that says what is valid no longer. */
export function rowOfLost(lost: Lost): Row {
  const how = 'see "A compromised key" in docs/keys.md'
  return ['documents', `signatures of that key are no longer valid (${countOf(lost)}); ${how}`]
}

/**
 * Asks whether everything that a key has signed may become invalid. Where nobody can be asked, that is taken for a yes.
 *
 * @throws Stop for any answer but yes
 */
export async function confirmLoss(keyId: string, lost: Lost, options: ConfirmOptions): Promise<void> {
  const what = `Everything signed with the key ${keyId} becomes invalid: ${countOf(lost)}.`
  const how =
    'To keep a document, answer no. Run `sx agent rotate`, sign its next version (`sx update`), then revoke this key ' +
    '(`sx agent revoke`).'
  await confirm(`${escapeText(what)}\n${how}\nContinue? (y/N): `, options)
}

/** Whether {@link confirm} asks, if there is somebody to ask. */
export const asks = ({ yes = false, input }: ConfirmOptions): boolean => !yes && input

/**
 * Asks whether to go on. Where nobody can be asked, that is taken for a yes.
 *
 * @param question what to show, escaped already
 * @throws Stop for any answer but yes
 */
export async function confirm(question: string, options: ConfirmOptions): Promise<void> {
  if (!asks(options)) return
  const answer = await askAloud(question)
  if (answer === undefined || /^\s*y(?:es)?\s*$/i.test(answer)) return
  throw usage('Nothing was changed. Answer y to continue, or pass --yes.')
}
