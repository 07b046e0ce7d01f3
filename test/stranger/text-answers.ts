// What the library says of a signed text, in the form in which a stranger says it.

import type { VerifyTextResult } from 'sx-agent/simple'
import { agentSource, keySource, type Source } from './documents.ts'
import { signers } from './forge.ts'
import type { TextVerdict } from './texts.ts'

const CONFUSABLE = 'ConfusableMarker'

/** Where a warning is given of a line that only looks like a marker is not fixed; all else is. */
function withoutConfusable(warnings: TextVerdict['warnings'], isCut: boolean): TextVerdict['warnings'] {
  const others = warnings.filter(({ code }) => code !== CONFUSABLE && !(isCut && code === 'MoreWarnings'))
  return isCut ? others.slice(0, 40) : others
}

/** What a stranger and the library say of a text, in one form. */
export function answers(
  found: TextVerdict | string,
  { warnings, ...result }: VerifyTextResult,
): [stranger: unknown, library: unknown] {
  if (typeof found === 'string') return [found, result]
  const isCut = warnings.length > 60 && warnings.some(({ code }) => code === CONFUSABLE)
  const stranger = {
    ...found,
    signers: found.signers.map((signer) => ({ ...signer, isExplained: signer.code !== null })),
    warnings: withoutConfusable(found.warnings, isCut),
  }
  const library = {
    ...result,
    signers: result.signers.map(({ message = '', code = null, ...signer }) => ({
      ...signer,
      code,
      isExplained: message !== '',
    })),
    errors: result.errors.map((sentence) => sentence.split(':')[0]),
    code: result.code ?? null,
    warnings: withoutConfusable(warnings, isCut),
  }
  return [stranger, library]
}

const [, , third] = signers
/** The third agent is known by this key. */
export const named: Readonly<Record<string, string>> = { [third.agentId]: third.publicKey }

const trusted = new Map(
  signers.flatMap(({ agentId, document }): [string, Source][] =>
    document === undefined ? [] : [[agentId, agentSource('trust', document)]],
  ),
)

/** The sources of a verifier that trusts the agents of the vectors, and to which keys are named. */
export function sourcesWith(keys: Readonly<Record<string, string>>): (agentId: string) => readonly Source[] {
  return (agentId) => {
    const [document, key] = [trusted.get(agentId), keys[agentId]]
    return [...(document === undefined ? [] : [document]), ...(key === undefined ? [] : [keySource('named', key)])]
  }
}
