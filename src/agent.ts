import * as documentsOfAgent from './api/documents.agent.ts'
import * as documents from './api/documents.ts'
import { attach, methodsOf } from './api/form.ts'
import * as identityOfAgent from './api/identity.agent.ts'
import * as identity from './api/identity.ts'
import * as storage from './api/storage.ts'
import * as stringsOfAgent from './api/strings.agent.ts'
import * as trust from './api/trust.ts'
import * as verificationOfAgent from './api/verification.agent.ts'
import * as verification from './api/verification.ts'
import { agentOptions } from './options.ts'
import type { AgentOptions } from './session.ts'

export { sessionOf } from './api/form.ts'

/** The functions of a topic as methods. Their documentation comes along, since no name changes. */
type MethodsOf<Topic> = { [Name in keyof Topic]: Topic[Name] }

interface Methods
  extends MethodsOf<typeof documents>,
    MethodsOf<typeof documentsOfAgent>,
    MethodsOf<typeof identity>,
    MethodsOf<typeof identityOfAgent>,
    MethodsOf<typeof storage>,
    MethodsOf<typeof stringsOfAgent>,
    MethodsOf<typeof trust>,
    MethodsOf<typeof verification>,
    MethodsOf<typeof verificationOfAgent> {}

/**
 * An agent: a key pair, its agent document, and what it signs and verifies with them
 * (specification 4.2).
 *
 * Each operation comes twice: `name` returns a Promise, `nameSync` returns directly; those without
 * a twin return directly. All but `load`, `isLoaded`, `getAgentInfo` and `close` throw `NoAgentLoaded`
 * before an agent is loaded. Several agents can live in one process.
 *
 * What the methods call JSON codes, storage codes and codes of a verdict stands at `SxError`.
 * In their examples `agent` is a loaded agent. Methods that `/simple` has too are shown as its functions.
 *
 * @example
 * const agent = new SxAgent()
 * await agent.load('./sx.config.json')
 * const signed = await agent.createDocument(JSON.stringify({ amount: 1 }))
 * console.log(await agent.verifyDocument(signed)) // true
 */
export class SxAgent extends methodsOf<Methods>(
  documents,
  documentsOfAgent,
  identity,
  identityOfAgent,
  storage,
  stringsOfAgent,
  trust,
  verification,
  verificationOfAgent,
) {
  /**
   * An agent that is not loaded yet. Nothing is read or written before `load`.
   *
   * @param options storage, password, environment and limits to use instead of the runtime's own
   * @throws SxError `InvalidOption`
   */
  constructor(options: AgentOptions = {}) {
    super()
    attach(this, { options: agentOptions(options), loaded: undefined })
  }

  /** `close` without waiting: what is on its way is written all the same. */
  [Symbol.dispose](): void {
    // Nobody is there who could be told of a failure.
    this.close().catch(() => {})
  }
}

// Where the runtime has no `Symbol.dispose` yet (WebKit), that method got the name `undefined`.
if (!('dispose' in Symbol)) Reflect.deleteProperty(SxAgent.prototype, 'undefined')
