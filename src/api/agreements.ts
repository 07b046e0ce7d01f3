import type { Operation } from '../effects.ts'
import { act } from '../operations/agreements/act.ts'
import * as certification from '../operations/agreements/certificate.ts'
import * as creation from '../operations/agreements/create.ts'
import { supersede } from '../operations/agreements/supersede.ts'
import * as verification from '../operations/agreements/verify.ts'
import { flag } from '../options.ts'
import type { Session } from '../session.ts'
import type {
  AgreementActOptions,
  AgreementAttachment,
  AgreementCertificateOptions,
  AgreementCopy,
  AgreementDeclineOptions,
  AgreementNoteOptions,
  AgreementReasonOptions,
  AgreementResult,
  AgreementSignOptions,
  AgreementTerms,
  AmendedAgreement,
  DelegateSigningOptions,
  VerifyAgreementOptions,
} from '../types.ts'
import { asynchronous, loadedAgent, nothing, privateKey, twin } from './form.ts'

/** Members that are there, without those that are undefined. */
const present = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/**
 * Creates an agreement: terms that never change, to be proposed and signed by several parties (protocol, section 24). It is
 * a draft until a party proposes it.
 *
 * @param terms an object, or its JSON text
 * @param options `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `InvalidTerms`, `NoParties`, `ReservedField`; JSON codes; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { status } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * console.log(status) // draft
 */
export const createAgreementDoc = asynchronous(
  { needs: loadedAgent, options: { at: 1, names: { noSave: true } }, data: 'document' },
  function createAgreementDoc(
    session: Session,
    terms: AgreementTerms | string,
    options?: AgreementActOptions,
  ): Operation<AgreementCopy> {
    return creation.createAgreementDoc(session, terms, flag('noSave', options?.noSave))
  },
)
/** The synchronous twin of {@link createAgreementDoc}. */
export const createAgreementDocSync = twin(createAgreementDoc)

/**
 * Proposes an agreement to the other parties. From then on it can be signed. Only a party can propose, of any role.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `note` for the other parties; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { status } = await proposeAgreement(raw)
 * console.log(status) // proposed
 */
export const proposeAgreement = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, note: true } } },
  function proposeAgreement(
    session: Session,
    agreement: string,
    options?: AgreementNoteOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'propose',
      data: present({ note: options?.note }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link proposeAgreement}. */
export const proposeAgreementSync = twin(proposeAgreement)

/**
 * Signs an agreement: the terms, and all that the agent has seen of the others. The order of signatures does not matter, unless
 * the policy has stages.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `for`: the `partyId` of a party that has delegated its signature to this agent; `note`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { status } = await signAgreementDoc(proposed)
 * console.log(status) // complete
 */
export const signAgreementDoc = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, note: true, for: true } } },
  function signAgreementDoc(
    session: Session,
    agreement: string,
    options?: AgreementSignOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'sign',
      data: present({ for: options?.for, note: options?.note }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link signAgreementDoc}. */
export const signAgreementDocSync = twin(signAgreementDoc)

/**
 * Declines an agreement. The party cannot sign it afterwards. The policy decides whether this ends the agreement.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `for`: the `partyId` of a party that has delegated it to this agent; `reason`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { status } = await declineAgreement(proposed, { reason: 'Too much.' })
 * console.log(status) // declined
 */
export const declineAgreement = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, reason: true, for: true } } },
  function declineAgreement(
    session: Session,
    agreement: string,
    options?: AgreementDeclineOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'decline',
      data: present({ for: options?.for, reason: options?.reason }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link declineAgreement}. */
export const declineAgreementSync = twin(declineAgreement)

/**
 * Withdraws a signature, as long as the agreement is not complete. It may be given again.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `for`: the `partyId` of a party that has delegated it to this agent; `reason`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 *   policy: { signBy: '2099-01-01T00:00:00.000Z' },
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { raw: signed } = await signAgreementDoc(proposed)
 * const why = await withdrawSignature(signed).catch((error) => error.code)
 * console.log(why) // TooLate
 */
export const withdrawSignature = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, reason: true, for: true } } },
  function withdrawSignature(
    session: Session,
    agreement: string,
    options?: AgreementDeclineOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'withdraw',
      data: present({ for: options?.for, reason: options?.reason }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link withdrawSignature}. */
export const withdrawSignatureSync = twin(withdrawSignature)

/**
 * Takes a proposal back, as long as the agreement is not complete. Only who proposed it can do that.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `reason`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { status } = await voidAgreement(proposed)
 * console.log(status) // voided
 */
export const voidAgreement = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, reason: true } } },
  function voidAgreement(
    session: Session,
    agreement: string,
    options?: AgreementReasonOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'void',
      data: present({ reason: options?.reason }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link voidAgreement}. */
export const voidAgreementSync = twin(voidAgreement)

/**
 * Adds a comment, which all parties can read and which changes no status.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param text what to say
 * @param options `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { raw: commented } = await commentOnAgreement(proposed, 'Please sign soon.')
 * console.log(commented.includes('Please sign soon.')) // true
 */
export const commentOnAgreement = asynchronous(
  { needs: privateKey, options: { at: 2, names: { noSave: true } } },
  function commentOnAgreement(
    session: Session,
    agreement: string,
    text: string,
    options?: AgreementActOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, { type: 'comment', data: { text }, noSave: flag('noSave', options?.noSave) })
  },
)
/** The synchronous twin of {@link commentOnAgreement}. */
export const commentOnAgreementSync = twin(commentOnAgreement)

/**
 * Attaches a file, by its hash, which is no part of the terms.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param attachment its name, media type, size in bytes and SHA-256
 * @param options `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
 * const file = { name: 'plan.txt', mediaType: 'text/plain', size: 0, sha256: empty }
 * const { status } = await attachToAgreement(proposed, file)
 * console.log(status) // proposed
 */
export const attachToAgreement = asynchronous(
  { needs: privateKey, options: { at: 2, names: { noSave: true } } },
  function attachToAgreement(
    session: Session,
    agreement: string,
    attachment: AgreementAttachment,
    options?: AgreementActOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, { type: 'attach', data: { attachment }, noSave: flag('noSave', options?.noSave) })
  },
)
/** The synchronous twin of {@link attachToAgreement}. */
export const attachToAgreementSync = twin(attachToAgreement)

/**
 * Has another agent sign for this party, if the policy allows that. That agent passes the `partyId` as `for`.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param to the id of the other agent
 * @param options `scope`: what it may do, default `['sign']`; `until`; `document` that authorises it; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 *   policy: { delegation: 'document' },
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const document = { sxId: agentId, sxVersion: agentId, sha256: '0'.repeat(64) }
 * const to = '0c4b7c6e-3f0a-4a52-9d0e-1b7a5c2f8e11'
 * const { eventId } = await delegateSigning(proposed, to, { document })
 * console.log(eventId?.length) // 64
 */
export const delegateSigning = asynchronous(
  { needs: privateKey, options: { at: 2, names: { noSave: true, scope: true, until: true, document: true } } },
  function delegateSigning(
    session: Session,
    agreement: string,
    to: string,
    options?: DelegateSigningOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'delegate',
      data: present({ to, scope: options?.scope ?? ['sign'], until: options?.until, document: options?.document }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link delegateSigning}. */
export const delegateSigningSync = twin(delegateSigning)

/**
 * Signs as a witness: that the signatures which this agent has seen were there.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `note`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const why = await witnessAgreement(proposed).catch((error) => error.code)
 * console.log(why) // EventRefused
 */
export const witnessAgreement = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, note: true } } },
  function witnessAgreement(
    session: Session,
    agreement: string,
    options?: AgreementNoteOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'witness',
      data: present({ note: options?.note }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link witnessAgreement}. */
export const witnessAgreementSync = twin(witnessAgreement)

/**
 * Proves, as a notary, that all events that this agent has seen existed before this date.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `note`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const why = await notarizeAgreement(proposed).catch((error) => error.code)
 * console.log(why) // EventRefused
 */
export const notarizeAgreement = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, note: true } } },
  function notarizeAgreement(
    session: Session,
    agreement: string,
    options?: AgreementNoteOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'notarize',
      data: present({ note: options?.note }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link notarizeAgreement}. */
export const notarizeAgreementSync = twin(notarizeAgreement)

/**
 * Disputes an agreement that is complete.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param reason why
 * @param options `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { raw: signed } = await signAgreementDoc(proposed)
 * const { status } = await disputeAgreement(signed, 'The roof leaks.')
 * console.log(status) // disputed
 */
export const disputeAgreement = asynchronous(
  { needs: privateKey, options: { at: 2, names: { noSave: true } } },
  function disputeAgreement(
    session: Session,
    agreement: string,
    reason: string,
    options?: AgreementActOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, { type: 'dispute', data: { reason }, noSave: flag('noSave', options?.noSave) })
  },
)
/** The synchronous twin of {@link disputeAgreement}. */
export const disputeAgreementSync = twin(disputeAgreement)

/**
 * Agrees that a dispute is settled. It is, once as many parties have agreed as the quorum asks for.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param dispute the `eventId` of the dispute
 * @param options `reason`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { raw: signed } = await signAgreementDoc(proposed)
 * const { raw: disputed, eventId = '' } = await disputeAgreement(signed, 'The roof leaks.')
 * const { status } = await resolveDispute(disputed, eventId)
 * console.log(status) // complete
 */
export const resolveDispute = asynchronous(
  { needs: privateKey, options: { at: 2, names: { noSave: true, reason: true } } },
  function resolveDispute(
    session: Session,
    agreement: string,
    dispute: string,
    options?: AgreementReasonOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'resolve',
      data: present({ dispute, reason: options?.reason }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link resolveDispute}. */
export const resolveDisputeSync = twin(resolveDispute)

/**
 * Ends an agreement that is complete, once as many parties have done so as the policy asks for: all, unless it says otherwise.
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param options `reason`; `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { raw: signed } = await signAgreementDoc(proposed)
 * const { status } = await terminateAgreement(signed)
 * console.log(status) // terminated
 */
export const terminateAgreement = asynchronous(
  { needs: privateKey, options: { at: 1, names: { noSave: true, reason: true } } },
  function terminateAgreement(
    session: Session,
    agreement: string,
    options?: AgreementReasonOptions,
  ): Operation<AgreementCopy> {
    return act(session, agreement, {
      type: 'terminate',
      data: present({ reason: options?.reason }),
      noSave: flag('noSave', options?.noSave),
    })
  },
)
/** The synchronous twin of {@link terminateAgreement}. */
export const terminateAgreementSync = twin(terminateAgreement)

/**
 * Creates an agreement that amends another one, which its terms name by hash. It counts once its own parties have signed it; see
 * {@link supersedeAgreement}. `loosened` says where its policy asks for less.
 *
 * @param agreement the id of the one to amend, or a copy of it
 * @param terms all of the new terms: an object, or its JSON text
 * @param options `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `InvalidId`, `NotFound` for an id; `InvalidAgreement` for a copy; `InvalidTerms`,
 *   `NoParties`, `ReservedField`; JSON codes; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const parties = [{ partyId: 'me', agentId, role: 'signer' }]
 * const terms = JSON.stringify({ title: 'Rent', terms: '900 a month', termsFormat: 'text/plain', parties })
 * const { raw } = await createAgreementDoc(terms)
 * const { status } = await amendAgreement(raw, terms.replace('900', '950'))
 * console.log(status) // draft
 */
export const amendAgreement = asynchronous(
  { needs: loadedAgent, options: { at: 2, names: { noSave: true } } },
  function amendAgreement(
    session: Session,
    agreement: string,
    terms: AgreementTerms | string,
    options?: AgreementActOptions,
  ): Operation<AmendedAgreement> {
    return creation.amendAgreement(session, agreement, terms, flag('noSave', options?.noSave))
  },
)
/** The synchronous twin of {@link amendAgreement}. */
export const amendAgreementSync = twin(amendAgreement)

/**
 * Puts a successor in the place of a complete agreement: one that is complete itself, whose terms name this one as what they
 * supersede or amend, and that enough parties of this one have signed to terminate it (policy `terminate`).
 *
 * @param agreement its id, or a copy of it: JSON text. Events of a copy that are not stored yet are stored, too
 * @param successor its id, or a copy of it, which is stored, too
 * @param options `noSave` stores nothing; default false
 * @throws SxError `NoAgentLoaded`; `PasswordRequired` if it was loaded with `verifyOnly`; `InvalidId`, `NotFound` for an
 *   id; `InvalidAgreement`, `WrongAgreement` for a copy; `NotAParty`; `TooLate`; `TooWeak`; `EventRefused`, which says why the
 *   event would have no effect; `LimitExceeded`; `SignerFailed`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const parties = [{ partyId: 'me', agentId, role: 'signer' }]
 * const terms = JSON.stringify({ title: 'Rent', terms: '900 a month', termsFormat: 'text/plain', parties })
 * const { agreementId: first } = await createAgreementDoc(terms)
 * const { agreementId: next } = await amendAgreement(first, terms.replace('900', '950'))
 * for (const agreement of [first, next]) {
 *   await proposeAgreement(agreement)
 *   await signAgreementDoc(agreement)
 * }
 * const { status } = await supersedeAgreement(first, next)
 * console.log(status) // superseded
 */
export const supersedeAgreement = asynchronous(
  { needs: privateKey, options: { at: 2, names: { noSave: true } } },
  function supersedeAgreement(
    session: Session,
    agreement: string,
    successor: string,
    options?: AgreementActOptions,
  ): Operation<AgreementCopy> {
    return supersede(session, agreement, successor, flag('noSave', options?.noSave))
  },
)
/** The synchronous twin of {@link supersedeAgreement}. */
export const supersedeAgreementSync = twin(supersedeAgreement)

/**
 * The verdict on an agreement: its status, who has signed, what blocks it. It follows from the terms, the events, the keys and
 * the time alone, so everybody who has the same comes to the same verdict (protocol, section 24).
 *
 * @param agreement its id, or a copy of it, to which events in the store are added. Nothing is stored
 * @param options `now`: the time of the status, Unix milliseconds, a `Date`, or a date as `toISOString` writes it; default: now. Events count whatever their dates. `keys`: more public keys, PEM by agent id
 * @throws SxError `NoAgentLoaded`; `InvalidId`, `NotFound` for an id; `InvalidAgreement`, `WrongAgreement` for a copy;
 *   `InvalidOption`; `InvalidKey` for an invalid key in `keys`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { status, blocked } = await verifyAgreement(proposed)
 * console.log(status, blocked) // proposed [ 'quorum 0/1' ]
 */
export const verifyAgreement = asynchronous(
  { needs: loadedAgent, options: { at: 1, names: { now: true, keys: true } } },
  function verifyAgreement(
    session: Session,
    agreement: string,
    options?: VerifyAgreementOptions,
  ): Operation<AgreementResult> {
    return verification.verifyAgreement(session, agreement, options)
  },
)
/** The synchronous twin of {@link verifyAgreement}. */
export const verifyAgreementSync = twin(verifyAgreement)

/**
 * The record of a complete agreement: who agreed to what, when, and with which key. Each line names the event that it is about,
 * so it can be verified again with the agreement.
 *
 * @param agreement its id, or a copy of it, to which events in the store are added. Nothing is stored
 * @param options `format`: `json` for the text of an `AgreementCertificate`, or `html` for a page to print, which has the
 *   terms, too, and contains no script; default `json`. `keys`: more public keys, PEM by agent id
 * @throws SxError `NoAgentLoaded`; `InvalidId`, `NotFound` for an id; `InvalidAgreement` for a copy, and if the agreement
 *   is not complete or lacks an event; `WrongAgreement` for a copy; `InvalidOption`; `InvalidKey` for
 *   an invalid key in `keys`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * const { raw: signed } = await signAgreementDoc(proposed)
 * const page = await agreementCertificate(signed, { format: 'html' })
 * console.log(page.includes('<h1 dir="auto">Rent</h1>')) // true
 */
export const agreementCertificate = asynchronous(
  { needs: loadedAgent, options: { at: 1, names: { format: true, keys: true } } },
  function agreementCertificate(
    session: Session,
    agreement: string,
    options?: AgreementCertificateOptions,
  ): Operation<string> {
    return certification.agreementCertificate(session, agreement, options)
  },
)
/** The synchronous twin of {@link agreementCertificate}. */
export const agreementCertificateSync = twin(agreementCertificate)

/**
 * Copies of an agreement as one: all terms and events, whatever the order of the copies. No signature is verified by this.
 *
 * @param copies JSON texts; at least one
 * @returns canonical JSON (RFC 8785)
 * @throws SxError `InvalidAgreement`; `WrongAgreement` if they have different terms; `InvalidOption`
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * const { raw: proposed } = await proposeAgreement(raw)
 * console.log((await mergeAgreements([proposed, raw])) === proposed) // true
 */
export const mergeAgreements = asynchronous(
  { needs: nothing },
  function mergeAgreements(session: Session, copies: readonly string[]): Operation<string> {
    return verification.mergeAgreements(session, copies)
  },
)
/** The synchronous twin of {@link mergeAgreements}. */
export const mergeAgreementsSync = twin(mergeAgreements)

/**
 * Stores a copy of an agreement, with the events that are not stored yet. Events whose signatures are not valid, or whose signers
 * are not known, are not stored. A draft is not stored either, because nobody has signed its terms.
 *
 * @param agreement the copy, JSON text
 * @throws SxError `NoAgentLoaded`; `InvalidAgreement`, also if no proposal counts; `UnknownSigner` if the keys of all who
 *   have signed something are unknown; `WrongAgreement` if other terms are stored under its id; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const draft = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * }, { noSave: true })
 * const { raw, agreementId } = await proposeAgreement(draft.raw, { noSave: true })
 * await importAgreement(raw)
 * console.log((await getAgreement(agreementId)) === raw) // true
 */
export const importAgreement = asynchronous(
  { needs: loadedAgent },
  function importAgreement(session: Session, agreement: string): Operation<AgreementCopy> {
    return verification.importAgreement(session, agreement)
  },
)
/** The synchronous twin of {@link importAgreement}. */
export const importAgreementSync = twin(importAgreement)

/**
 * A stored agreement with all its events, to be handed to other parties. No signature is verified by this.
 *
 * @param agreementId its id
 * @returns canonical JSON (RFC 8785)
 * @throws SxError `NoAgentLoaded`, `InvalidId`, `NotFound`, `CorruptStore`; storage codes
 * @example
 * const { agentId = '' } = getAgentInfo() ?? {}
 * const { raw, agreementId } = await createAgreementDoc({
 *   title: 'Rent',
 *   terms: '900 a month',
 *   termsFormat: 'text/plain',
 *   parties: [{ partyId: 'me', agentId, role: 'signer' }],
 * })
 * console.log((await getAgreement(agreementId)) === raw) // true
 */
export const getAgreement = asynchronous(
  { needs: loadedAgent },
  function getAgreement(session: Session, agreementId: string): Operation<string> {
    return verification.getAgreement(session, agreementId)
  },
)
/** The synchronous twin of {@link getAgreement}. */
export const getAgreementSync = twin(getAgreement)
