import * as core from '#core'
import { agreementModule, type Opened, withinLimits } from '../../agreements/module.ts'
import { call, text } from '../../core.ts'
import { type Operation, perform } from '../../effects.ts'
import { entropy, now } from '../../entropy.ts'
import { SxError } from '../../errors.ts'
import { toJsonText } from '../../json.ts'
import { refuseMistaken } from '../../json-text.ts'
import { composed } from '../../names.ts'
import { type Loaded, requireLoaded, type Session } from '../../session.ts'
import { storeAgreement } from '../../state/agreements.ts'
import type { AgreementCopy, AgreementLink, AgreementTerms, AmendedAgreement } from '../../types.ts'
import { copyOf } from './act.ts'
import { openAgreement } from './open.ts'

/** `createAgreementDoc` */
export function* createAgreementDoc(session: Session, terms: unknown, noSave: boolean): Operation<AgreementCopy> {
  const loaded = requireLoaded(session)
  return yield* create(loaded, jsonOf(loaded, terms), noSave)
}

/** `amendAgreement`: a new agreement, whose terms name the one that they amend. */
export function* amendAgreement(
  session: Session,
  agreement: unknown,
  terms: unknown,
  noSave: boolean,
): Operation<AmendedAgreement> {
  const loaded = requireLoaded(session)
  const before = yield* openAgreement(loaded, agreement)
  const link: AgreementLink = { rel: 'amends', sxId: before.id, sha256: before.hash }
  const copy = yield* create(loaded, jsonOf(loaded, terms), noSave, link)
  const loosened = before.module.loosened(before.terms, before.module.open([copy.raw]).terms)
  return Object.freeze({ ...copy, loosened: Object.freeze(loosened) })
}

function jsonOf({ options }: Loaded, terms: unknown): string {
  return withinLimits(() =>
    typeof terms === 'string' ? refuseMistaken(text(terms, 'terms')) : toJsonText(terms, options.limits),
  )
}

function* create(loaded: Loaded, terms: string, noSave: boolean, link?: AgreementLink): Operation<AgreementCopy> {
  const module = yield* perform(agreementModule)
  const at = yield* perform(now)
  const random = yield* perform(entropy)
  const id = call(() => core.agreementId(random))
  const make = (text: string): Opened => module.create(text, id, new Date(at).toISOString())
  const given = make(terms)
  refuseNamesakes(given)
  const opened = link === undefined ? given : make(withLink(given, link))
  if (!noSave) yield* storeAgreement(loaded.documents.storage, id, opened.terms, [])
  return copyOf(opened, opened.raw, 'draft', [])
}

/** People read two names that differ only in composition as one, and so does the comparison with files. */
function refuseNamesakes({ terms }: Opened): void {
  const { attachments = [] } = JSON.parse(terms) as Pick<AgreementTerms, 'attachments'>
  if (new Set(attachments.map(({ name }) => composed(name))).size === attachments.length) return
  throw new SxError('InvalidTerms', 'Two attachments have the same name.')
}

/** Terms that were read strictly, with one more link at the beginning. */
function withLink({ terms }: Opened, link: AgreementLink): string {
  const { sxId: _, ...given } = JSON.parse(terms) as { sxId: string; links?: readonly AgreementLink[] }
  return JSON.stringify({ ...given, links: [link, ...(given.links ?? [])] })
}
