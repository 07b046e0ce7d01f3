import { decode, encode } from '../bytes.ts'
import { call, text } from '../core.ts'
import { SxError } from '../errors.ts'
import { atOnce } from '../home.ts'
import { checkSize, limitsText } from '../limits.ts'
import { requireLoaded, type Session } from '../session.ts'
import { isId } from './ids.ts'
import { knownDocument } from './key-sources.ts'

/** An agent that the trust store took. */
export interface TrustedAgent {
  /** Its `sxId`. */
  readonly agentId: string
  /** What it calls itself, from its document. */
  readonly name: string
  /** RFC 7638 thumbprint of its public key, to compare with its owner. */
  readonly keyId: string
}

function key(agentId: unknown): [string] {
  if (typeof agentId !== 'string') throw new SxError('InvalidId')
  return [call((core) => core.trustFile(agentId))]
}

/** `trustAgent`: the core decides whether the document is taken. */
export function trustAgent(session: Session, json: unknown): TrustedAgent {
  const loaded = requireLoaded(session)
  const { trust } = loaded
  const { limits } = loaded.options
  const offered = checkSize(text(json, 'json'), limits)
  const { id } = JSON.parse(call((core) => core.agentVerify(offered, limitsText(limits)))) as { id: string }
  const known = knownDocument(loaded, id)
  const admitted = call((core) => core.trustAdmit(offered, known, limitsText(limits)))
  atOnce(() => trust.putSync(key(id), encode(offered)))
  const { name, keyId } = JSON.parse(admitted) as { name: string; keyId: string }
  return Object.freeze({ agentId: id, name, keyId })
}

/** `listTrustedAgents`, ascending. */
export function listTrustedAgents(session: Session): string[] {
  const { trust } = requireLoaded(session)
  const ids: string[] = []
  for (const [file = ''] of atOnce(() => [...trust.listSync([])])) {
    const id = file.replace(/\.json$/, '')
    if (id !== file && isId(id)) ids.push(id)
  }
  return ids
}

/** `untrustAgent`: says whether the agent was trusted. */
export function untrustAgent(session: Session, agentId: unknown): boolean {
  const { trust } = requireLoaded(session)
  const file = key(agentId)
  return atOnce(() => {
    const was = trust.getSync(file) !== undefined
    trust.deleteSync(file)
    return was
  })
}

/** `isTrusted` */
export function isTrusted(session: Session, agentId: unknown): boolean {
  const { trust } = requireLoaded(session)
  const file = key(agentId)
  return atOnce(() => trust.getSync(file)) !== undefined
}

/** `getTrustedAgent` */
export function getTrustedAgent(session: Session, agentId: unknown): string {
  const { trust } = requireLoaded(session)
  const file = key(agentId)
  const bytes = atOnce(() => trust.getSync(file))
  if (bytes === undefined) throw new SxError('NotFound', 'This agent is not in the trust store.')
  return decode(bytes, 'The trusted document')
}
