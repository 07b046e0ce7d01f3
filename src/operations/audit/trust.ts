import * as core from '#core'
import { decode } from '../../bytes.ts'
import { call } from '../../core.ts'
import { get } from '../../effects/entries.ts'
import { type Operation, perform } from '../../effects.ts'
import { SxError } from '../../errors.ts'
import { limitsText } from '../../limits.ts'
import { names, trustChain } from '../../names.ts'
import type { Loaded } from '../../session.ts'
import { admitDocument, readHeldAgent, verifyAgentDocument } from '../../state/agent-identity.ts'
import { isWitnessed, type TrustPlace } from '../../state/trust-witness.ts'
import { checkFolder, checkHints, eachChain, gapOf, type StoredChain } from './chains.ts'
import { checkRegistration } from './registration.ts'
import type { Report } from './report.ts'
import { auditWitnesses } from './witnesses.ts'

/** Whether all decisions about trust are whole, and still say what is known. */
export function* auditTrust(report: Report, loaded: Loaded): Operation<void> {
  yield* report.look('trust_store', 'All decisions about trust are complete and up to date.', function* () {
    const { keys, data: storage } = loaded.place.directories
    const place: TrustPlace = { keys, data: storage }
    yield* checkFolder(report, storage, [names().trust])
    const isNew = yield* isWitnessed(place)
    const witnessed = yield* auditWitnesses(report, place)
    /** Agents with a missing decision, whose trust status is unknown. */
    const broken = new Set([...witnessed].filter(([, { isWhole }]) => !isWhole).map(([id]) => id))
    let isOld = false
    yield* eachChain(storage, names().trust, trustChain, function* (chain) {
      isOld ||= !isNew
      yield* auditEntries(report, loaded, chain)
      if (broken.has(chain.id)) return
      const counting = isNew ? (witnessed.get(chain.id)?.counting ?? 0) : Number.POSITIVE_INFINITY
      reportUncounted(report, chain, counting)
      const isGone = yield* checkHints(report, storage, chain, trustChain(chain.id))
      if (hasGap(report, chain, counting) || isGone) broken.add(chain.id)
    })
    if (isOld) {
      const found =
        'Decisions about trust have no witnesses here. Anyone who can write to the data directory can change them.'
      report.absence(
        'the witnesses',
        'low',
        'UnwitnessedTrust',
        'trust',
        `${found} The next call of trustAgent or untrustAgent adds them.`,
      )
    }
    for (const agentId of yield* loaded.trust.list()) {
      report.counts.trustedAgents++
      if (!broken.has(agentId)) yield* auditTrusted(report, loaded, agentId)
    }
  })
}

/** Decisions after the one that counts. Those before it are history, and some of them lost a race. */
function reportUncounted(report: Report, { id, numbers }: StoredChain, counting: number): void {
  for (const number of numbers) {
    if (number <= counting) continue
    const name = trustChain(id).entry(number).join('/')
    const found = `${name} is a decision about trust without a witness in the key directory, so it does not count.`
    const why =
      'A process stopped while it wrote the decision, or someone without access to the key directory wrote it.'
    report.absence(
      'a witness',
      'medium',
      'UnwitnessedTrust',
      name,
      `${found} ${why} Repeat the decision if it should count.`,
    )
  }
}

function hasGap(report: Report, chain: StoredChain, counting: number): boolean {
  const gap = gapOf(chain)
  if (gap === undefined || gap > counting) return false
  const found = `Decision ${gap} about the agent ${chain.id} is missing, although a later one exists.`
  const entry = trustChain(chain.id).entry(gap).join('/')
  report.absence(entry, 'high', 'CorruptStore', chain.id, `${found} Restore it from a backup.`)
  return true
}

/** Each decision is an agent document or a tombstone. */
function* auditEntries(report: Report, loaded: Loaded, { id, numbers }: StoredChain): Operation<void> {
  const { documents, options } = loaded
  for (const number of numbers) {
    const key = trustChain(id).entry(number)
    const name = key.join('/')
    try {
      const bytes = yield* perform(get(documents.storage, key))
      if (bytes === undefined || call(() => core.isTrustMark(bytes))) continue
      const text = decode(bytes, name)
      if (readHeldAgent(text, limitsText(options.limits)).id !== id) {
        throw new SxError('CorruptStore', `${name} is the document of another agent.`)
      }
      yield* checkRegistration(report, loaded, text, name)
    } catch (error) {
      report.failure(error, name)
    }
  }
}

/** A trusted agent of which more is known by now. */
function* auditTrusted(report: Report, { documents, trust, options }: Loaded, agentId: string): Operation<void> {
  try {
    const known = yield* trust.document(agentId)
    if (known === undefined) return
    const stored = yield* documents.latest(agentId)
    if (stored === undefined || stored.text === known) return
    const limits = limitsText(options.limits)
    const { version, keyId } = verifyAgentDocument(known, limits)
    admitDocument(stored.text, known, limits)
    if (documents.identifyText(agentId, stored).version === version) return
    const later = `A later document of the trusted agent ${agentId} is stored here`
    const what = 'Confirm its key id with the owner, then trust it (trustAgent).'
    if (isCompromised(stored.text, keyId)) {
      const found = `${later}. It revokes the trusted key as compromised, but signatures of that key still count.`
      report.risk('high', 'StaleTrust', agentId, `${found} ${what}`)
    } else report.risk('medium', 'StaleTrust', agentId, `${later}. ${what}`)
  } catch (error) {
    report.failure(error, agentId)
  }
}

/** Whether an agent document that was verified calls one of its keys compromised. */
function isCompromised(text: string, keyId: string): boolean {
  const { sxPublicKeys } = JSON.parse(text) as {
    readonly sxPublicKeys: readonly { readonly keyId: string; readonly revoked?: { readonly reason: string } }[]
  }
  return sxPublicKeys.some((key) => key.keyId === keyId && key.revoked?.reason === 'compromised')
}
