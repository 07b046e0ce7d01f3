import * as core from '#core'
import { call } from '../core.ts'
import type { Operation } from '../effects.ts'
import { jsonText } from '../json-text.ts'
import { limitsText } from '../limits.ts'
import type { Session } from '../session.ts'
import type { DocumentClaims } from '../types.ts'

/** `inspect`: the core reads the header, and looks at no signature. */
// oxlint-disable-next-line require-yield -- an operation without effects
export function* readClaims({ loaded, options }: Session, document: unknown): Operation<DocumentClaims> {
  const { limits } = loaded?.options ?? options
  const checked = jsonText(document, 'signedDocument', limits)
  const claims = JSON.parse(call(() => core.documentClaims(checked, limitsText(limits)))) as DocumentClaims
  const { documentId, version, type, agentId, timestamp } = claims
  return Object.freeze({ documentId, version, type, agentId, timestamp })
}
