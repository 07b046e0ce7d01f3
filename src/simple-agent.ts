import type { SxAgent } from './agent.ts'
import { sessionOfPassed } from './api/form.ts'
import { call, text } from './core.ts'
import { type Operation, perform, runSync } from './effects.ts'
import { blankMoment, momentAt, now } from './entropy.ts'
import { SxError } from './errors.ts'
import { limitsText } from './limits.ts'
import { type Bound, preparedHeader, type Sender } from './operations/requests/build.ts'
import { requireLoaded, requireSigning } from './session.ts'
import { verifyAgentDocument } from './state/agent-identity.ts'
import { makeEphemeral } from './state/ephemeral.ts'
import { publicOf } from './state/private-key.ts'
import type { KeyAlgorithm } from './types.ts'

/** In characters; longer than any name of an algorithm. */
const LONGEST_NAME = 1024

/** What an agent of another form does for it. */
interface Behind {
  readonly agentId: string
  exportAgent(): string
  getPublicKeyPem(): string
  buildRequestAuthHeader(bound: Bound): string
}

/**
 * An agent whose methods all return directly. It is a new one in memory, which is gone with the object, or another form of
 * a loaded agent. A page calls `init()` once before; for requests `init({ exchange: true })`.
 *
 * @example
 * const agent = SxSimpleAgent.ephemeral('ed25519')
 * console.log(agent.getPublicKeyPem().split('\n').length) // 4
 */
export class SxSimpleAgent {
  readonly #behind: Behind

  private constructor(behind: Behind) {
    this.#behind = behind
  }

  /**
   * An agent with a new key pair. Nothing of it is stored.
   *
   * @param algorithm of its key; default `pq2025`
   * @throws SxError `InvalidOption` for another algorithm; `NoEntropy`; `NotInitialized` in a page before `init()`
   * @example
   * const agent = SxSimpleAgent.ephemeral('pq2025')
   * console.log(agent.getPublicKeyPem().split('\n')[0]) // -----BEGIN PUBLIC KEY-----
   */
  static ephemeral(algorithm: KeyAlgorithm = 'pq2025'): SxSimpleAgent {
    const name = text(algorithm, 'algorithm', LONGEST_NAME)
    const { secret, signer, text: document } = runSync(() => makeEphemeral(name, 'Ephemeral agent'))
    const identity = verifyAgentDocument(document, limitsText(undefined))
    return new SxSimpleAgent({
      agentId: identity.id,
      exportAgent: () => document,
      getPublicKeyPem: () => publicOf(secret).pem,
      buildRequestAuthHeader: (bound) => runSync(() => headerNow({ signer, identity }, bound)),
    })
  }

  /**
   * An agent that is loaded, in this form. It remains the same agent: it follows rotations of the key, and ends with `close`.
   *
   * @throws SxError `InvalidOption` for another object; `NoAgentLoaded`; `PasswordRequired` if it was loaded with
   *   `verifyOnly`; `SyncSignerUnavailable` if an external signer has its key
   * @example
   * const loaded = new SxAgent()
   * await loaded.load()
   * console.log(SxSimpleAgent.fromAgent(loaded).agentId === loaded.getAgentInfo()?.agentId) // true
   */
  static fromAgent(agent: SxAgent): SxSimpleAgent {
    const loaded = requireLoaded(sessionOfPassed(agent, 'The argument'))
    if (requireSigning(loaded).external !== undefined) throw new SxError('SyncSignerUnavailable')
    return new SxSimpleAgent({
      agentId: loaded.id,
      exportAgent: () => agent.exportAgent(),
      getPublicKeyPem: () => agent.getPublicKey(),
      buildRequestAuthHeader: ({ method, url, body, audience }) =>
        agent.buildRequestAuthHeaderSync(method as string, url as string, body as string, audience as string),
    })
  }

  /**
   * The id of the agent.
   *
   * @example
   * console.log(SxSimpleAgent.ephemeral('ed25519').agentId.length) // 36
   */
  get agentId(): string {
    return this.#behind.agentId
  }

  /**
   * The agent document, for others to trust: JSON text.
   *
   * @throws SxError those of the same method of a loaded agent
   * @example
   * const agent = SxSimpleAgent.ephemeral('ed25519')
   * console.log(JSON.parse(agent.exportAgent()).sxId === agent.agentId) // true
   */
  exportAgent(): string {
    return this.#behind.exportAgent()
  }

  /**
   * The public key: SPKI PEM (RFC 8410, RFC 9881).
   *
   * @example
   * const key = SxSimpleAgent.ephemeral('ed25519').getPublicKeyPem()
   * console.log(key.length) // 113
   */
  getPublicKeyPem(): string {
    return this.#behind.getPublicKeyPem()
  }

  /**
   * Signs a request: the value of its `Authorization` header (protocol, section 25). `verifyRequest` of `sx-agent/http`
   * verifies it.
   *
   * @param method such as `POST`, in any case
   * @param url absolute, with its query. The fragment is ignored
   * @param body exactly the bytes that are sent, or their text. `undefined` for a request without a body
   * @param audience whom the request is for: must equal the audience of the server, byte for byte. Usually its origin
   * @throws SxError `InvalidOption` for an argument that cannot be used; `NotJson` for a lone surrogate; `NotInitialized` in
   *   a page before `init({ exchange: true })`; of a loaded agent those of its method
   * @example
   * const agent = SxSimpleAgent.ephemeral('ed25519')
   * const header = agent.buildRequestAuthHeader('GET', 'https://api.example.com/orders', '', 'https://api.example.com')
   * console.log(header.slice(0, 6)) // SX v2.
   */
  buildRequestAuthHeader(
    method: string,
    url: string,
    body: string | Uint8Array | null | undefined,
    audience: string,
  ): string {
    return this.#behind.buildRequestAuthHeader({ method, url, body, audience })
  }
}

function* headerNow(sender: Sender, bound: Bound): Operation<string> {
  const make = yield* preparedHeader(bound)
  const at = yield* perform(now)
  const moment = momentAt(at, yield* perform(blankMoment))
  return call(() => make(sender, at, moment))
}
