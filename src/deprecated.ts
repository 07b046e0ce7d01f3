/**
 * Functions of `sx-agent` that are to be given up: each is the method of `SxAgent` of its name, on the one agent that
 * `sx-agent/simple` has.
 */

import * as agreementFieldOfAgent from './api/agreement-field.agent.ts'
import * as agreementField from './api/agreement-field.ts'
import * as documentsOfAgent from './api/documents.agent.ts'
import * as documents from './api/documents.ts'
import { deprecated } from './api/form.ts'
import * as identityOfAgent from './api/identity.agent.ts'
import * as identity from './api/identity.ts'
import * as keys from './api/keys.ts'
import * as requests from './api/requests.ts'
import * as strings from './api/strings.ts'
import * as verification from './api/verification.ts'

const INSTEAD = "the method of `SxAgent`, or a function of 'sx-agent/simple'"

/**
 * `load` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * const document = JSON.parse(await load())
 * console.log(document.sxType) // agent
 */
export const load = deprecated('load', identityOfAgent.load, INSTEAD)
/** The synchronous twin of {@link load}. */
export const loadSync = deprecated('loadSync', identityOfAgent.loadSync, INSTEAD)

/**
 * `createDocument` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * const signed = await createDocument({ amount: 1 })
 * console.log(JSON.parse(signed).amount) // 1
 */
export const createDocument = deprecated('createDocument', documents.createDocument, INSTEAD)
/** The synchronous twin of {@link createDocument}. */
export const createDocumentSync = deprecated('createDocumentSync', documents.createDocumentSync, INSTEAD)

/**
 * `updateDocument` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * const { sxId } = JSON.parse(await createDocument('{"amount":1}'))
 * console.log(JSON.parse(await updateDocument(sxId, '{"amount":2}')).amount) // 2
 */
export const updateDocument = deprecated('updateDocument', documentsOfAgent.updateDocument, INSTEAD)
/** The synchronous twin of {@link updateDocument}. */
export const updateDocumentSync = deprecated('updateDocumentSync', documentsOfAgent.updateDocumentSync, INSTEAD)

/**
 * `createAgreement` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * const { sxId } = JSON.parse(await load())
 * const asked = await createAgreement(await createDocument({ rent: 900 }), [sxId], 'Do you agree?')
 * console.log(JSON.parse(asked).sxAgreement.question) // Do you agree?
 */
export const createAgreement = deprecated('createAgreement', agreementField.createAgreement, INSTEAD)
/** The synchronous twin of {@link createAgreement}. */
export const createAgreementSync = deprecated('createAgreementSync', agreementField.createAgreementSync, INSTEAD)

/**
 * `signAgreement` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * const { sxId } = JSON.parse(await load())
 * const signed = await signAgreement(await createAgreement(await createDocument({ rent: 900 }), [sxId]))
 * console.log(JSON.parse(signed).sxAgreement.signatures.length) // 1
 */
export const signAgreement = deprecated('signAgreement', agreementField.signAgreement, INSTEAD)
/** The synchronous twin of {@link signAgreement}. */
export const signAgreementSync = deprecated('signAgreementSync', agreementField.signAgreementSync, INSTEAD)

/**
 * `checkAgreement` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * const { sxId } = JSON.parse(await load())
 * const asked = await createAgreement(await createDocument({ rent: 900 }), [sxId])
 * console.log(JSON.parse(await checkAgreement(asked)).status) // pending
 */
export const checkAgreement = deprecated('checkAgreement', agreementFieldOfAgent.checkAgreement, INSTEAD)
/** The synchronous twin of {@link checkAgreement}. */
export const checkAgreementSync = deprecated('checkAgreementSync', agreementFieldOfAgent.checkAgreementSync, INSTEAD)

/**
 * `verifyDocument` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * console.log(await verifyDocument(await createDocument({ amount: 1 }))) // true
 */
export const verifyDocument = deprecated('verifyDocument', verification.verifyDocument, INSTEAD)
/** The synchronous twin of {@link verifyDocument}. */
export const verifyDocumentSync = deprecated('verifyDocumentSync', verification.verifyDocumentSync, INSTEAD)

/**
 * `verifySignature` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * console.log(await verifySignature(await createDocument({ amount: 1 }))) // true
 */
export const verifySignature = deprecated('verifySignature', verification.verifySignature, INSTEAD)
/** The synchronous twin of {@link verifySignature}. */
export const verifySignatureSync = deprecated('verifySignatureSync', verification.verifySignatureSync, INSTEAD)

/**
 * `signString` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * console.log(atob(await signString('hello')).length) // 4627
 */
export const signString = deprecated('signString', strings.signString, INSTEAD)
/** The synchronous twin of {@link signString}. */
export const signStringSync = deprecated('signStringSync', strings.signStringSync, INSTEAD)

/**
 * `verifyString` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * const agent = JSON.parse(await load())
 * const key = new TextEncoder().encode(agent.sxPublicKeys[0].publicKey)
 * console.log(await verifyString('hello', await signString('hello'), key, 'pq2025')) // true
 */
export const verifyString = deprecated('verifyString', strings.verifyString, INSTEAD)
/** The synchronous twin of {@link verifyString}. */
export const verifyStringSync = deprecated('verifyStringSync', strings.verifyStringSync, INSTEAD)

/**
 * `verifyAgent` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * console.log(await verifyAgent()) // true
 */
export const verifyAgent = deprecated('verifyAgent', identity.verifyAgent, INSTEAD)
/** The synchronous twin of {@link verifyAgent}. */
export const verifyAgentSync = deprecated('verifyAgentSync', identity.verifyAgentSync, INSTEAD)

/**
 * `signAgent` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * const { agent: warehouse } = await SxAgent.create({ name: 'Warehouse', configPath: './warehouse/sx.config.json' })
 * await load()
 * const [document, key] = [warehouse.exportAgent(), warehouse.getPublicKey()]
 * console.log(typeof (await signAgent(document, key, 'pq2025'))) // string
 */
export const signAgent = deprecated('signAgent', keys.signAgent, INSTEAD)
/** The synchronous twin of {@link signAgent}. */
export const signAgentSync = deprecated('signAgentSync', keys.signAgentSync, INSTEAD)

/**
 * `updateAgent` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * const document = JSON.parse(await load())
 * const updated = await updateAgent({ ...document, description: 'Sends reminders.' })
 * console.log(JSON.parse(updated).description) // Sends reminders.
 */
export const updateAgent = deprecated('updateAgent', identity.updateAgent, INSTEAD)
/** The synchronous twin of {@link updateAgent}. */
export const updateAgentSync = deprecated('updateAgentSync', identity.updateAgentSync, INSTEAD)

/**
 * `signRequest` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * console.log(JSON.parse(signRequest({ method: 'balance' })).content.method) // balance
 */
export const signRequest = deprecated('signRequest', requests.signRequest, INSTEAD)

/**
 * `verifyResponse` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * console.log(verifyResponse(signRequest({ balance: 12 })).payload) // { balance: 12 }
 */
export const verifyResponse = deprecated('verifyResponse', requests.verifyResponse, INSTEAD)

/**
 * `verifyResponseWithAgentId` of `SxAgent`, on the agent of `sx-agent/simple`; it takes, gives and throws the same.
 *
 * @deprecated Use the method. With SX_SHOW_DEPRECATIONS=1 a warning says so, once.
 * @example
 * await load()
 * const { agentId } = verifyResponseWithAgentId(signRequest({ balance: 12 }))
 * console.log(agentId.length) // 36
 */
export const verifyResponseWithAgentId = deprecated(
  'verifyResponseWithAgentId',
  requests.verifyResponseWithAgentId,
  INSTEAD,
)
