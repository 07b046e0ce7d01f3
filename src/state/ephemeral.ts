// Agents that are in memory alone.
import * as core from '#core'
import { CoreObject, call } from '../core.ts'
import { type Operation, perform } from '../effects.ts'
import { blankMoment, entropy, momentAt, now } from '../entropy.ts'
import { readMade } from './documents.ts'
import { generateSecret, publicOf } from './private-key.ts'

/** A new key and the agent that has it. */
export interface EphemeralAgent {
  readonly secret: CoreObject
  readonly signer: CoreObject
  /** Its agent document. */
  readonly text: string
}

/** @throws SxError `InvalidOption` for another algorithm; `NoEntropy` */
export function* makeEphemeral(algorithm: string, name: string): Operation<EphemeralAgent> {
  const secret = generateSecret(algorithm, yield* perform(entropy))
  const moment = momentAt(yield* perform(now), yield* perform(blankMoment))
  const { raw: text } = readMade(call(() => core.agentCreate(secret.handle, JSON.stringify({ name }), moment)))
  const { pem } = publicOf(secret)
  return { secret, signer: new CoreObject(() => call(() => core.signerNew(secret.handle, text, pem, ''))), text }
}
