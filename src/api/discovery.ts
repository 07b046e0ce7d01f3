import * as core from '#core'
import { call, text } from '../core.ts'
import { SxError } from '../errors.ts'
import { requirePublishable } from '../operations/agents.ts'
import { type Loaded, requireLoaded, type Session } from '../session.ts'
import type { PublicJwk, WellKnown } from '../types.ts'
import { direct, loadedAgent } from './form.ts'

/**
 * The TXT record by which a domain says which agent, and which of its keys, belongs to it (protocol, section 7).
 * Nothing is looked up or published by this.
 *
 * @param domain a host name such as `example.com`, of at most 240 characters
 * @param ttl time to live in seconds, a whole number from 0 to 2³¹ − 1; default 3600
 * @returns one line of a zone file
 * @throws SxError `NoAgentLoaded`; `KeyRevoked` if the key was revoked; `InvalidOption` for another domain or time to live
 * @example
 * console.log(getDnsRecord('example.com', 60).split(' "')[0]) // _v1.agent.sx.example.com. 60 IN TXT
 */
export const getDnsRecord = direct(
  { needs: loadedAgent },
  function getDnsRecord(session: Session, domain: string, ttl: number = DEFAULT_TTL): string {
    const loaded = requireLoaded(session)
    const name = text(domain, 'domain', LONGEST_DOMAIN)
    if (typeof ttl !== 'number') throw new SxError('InvalidOption', "The argument 'ttl' is not a number.")
    return recordOf(loaded, name, ttl)
  },
)

function recordOf(loaded: Loaded, domain: string, ttl: number): string {
  const { publicKey } = requirePublishable(loaded)
  return call(() => core.dnsRecord(loaded.id, publicKey, domain, ttl))
}

/** In seconds. */
const DEFAULT_TTL = 3600

/** In characters; longer than any domain. */
const LONGEST_DOMAIN = 1024

/**
 * What the agent publishes at a well-known address of its domain (protocol, section 7). The key is the one that it signs
 * with; earlier ones stand in its document, which says until when they count.
 *
 * @returns a new object at each call, which `JSON.stringify` writes
 * @throws SxError `NoAgentLoaded`; `KeyRevoked` if the key was revoked
 * @example
 * const { keys, dnsRecord } = getWellKnownJson()
 * console.log(keys[0]?.kty, dnsRecord?.split(' ')[0]) // AKP _v1.agent.sx.example.com.
 */
export const getWellKnownJson = direct({ needs: loadedAgent }, function getWellKnownJson(session: Session): WellKnown {
  const loaded = requireLoaded(session)
  const { text: document, version, publicKey, keyId } = requirePublishable(loaded)
  const jwk = JSON.parse(call(() => core.publicJwk(publicKey))) as PublicJwk
  const { sxAgentDomain } = JSON.parse(document) as { sxAgentDomain?: string }
  return {
    agentId: loaded.id,
    agentVersion: version,
    keys: [{ ...jwk, kid: keyId }],
    dnsRecord: sxAgentDomain === undefined ? null : ownRecord(loaded, sxAgentDomain),
  }
})

/** The record of the agent's own domain; null if that is too long for a name below it. */
function ownRecord(loaded: Loaded, domain: string): string | null {
  try {
    return recordOf(loaded, domain, DEFAULT_TTL)
  } catch (error) {
    if (error instanceof SxError && error.code === 'InvalidOption') return null
    throw error
  }
}
