// All operations, and what they are called with.

import { SxAgent } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { tables } from '../../scripts/surfaces/tables.mjs'
import { isOperation } from '../../src/api/form.ts'
import { argumentsOf, argumentsOfSimple } from '../conformance/cases/twins.mjs'
import agents from '../vectors/agents.json' with { type: 'json' }
import documents from '../vectors/documents.json' with { type: 'json' }
import images from '../vectors/images.json' with { type: 'json' }
import type { State } from './agent.ts'

const bytesOf = (base64: string | undefined): Uint8Array => new Uint8Array(Buffer.from(base64 ?? '', 'base64'))
const picture = bytesOf(images.files[0]?.input)
const signed = bytesOf(images.files[0]?.signed)
const document = documents.documents[0]
const trusted = agents.agents[0]
const keys = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))

/** Lists of arguments, given the state that an operation is called in. */
type Arguments = (state: State) => readonly (readonly unknown[])[]

/** Arguments of operations that have one form alone. */
const ofOneForm: Readonly<Record<string, Arguments>> = {
  getTrustedAgent: () => [[trusted?.agentId]],
  isTrusted: () => [[trusted?.agentId]],
  listTrustedAgents: () => [[]],
  signRequest: () => [[{ a: 1 }]],
  trustAgent: () => [[agents.agents[1]?.raw]],
  untrustAgent: () => [[trusted?.agentId]],
  verifyResponse: ({ raw }) => [[raw]],
  verifyResponseWithAgentId: ({ raw }) => [[raw]],
  imageCapacity: () => [[bytesOf(images.pictures[0]?.input)]],
  signImage: () => [[picture, null]],
  signText: () => [[{ text: 'a text\n' }]],
  stripImageSignature: () => [[signed, null]],
  verifyImage: () => [[signed]],
  checkImage: () => [[signed]],
  verifyText: () => [[{ text: 'a text\n' }]],
  extractMediaSignature: () => [[signed]],
  verifyStandalone: () => [[document?.raw, { keys }]],
}

export interface Entry {
  readonly name: string
  readonly surface: 'SxAgent' | 'simple'
  readonly f: object
  readonly given: Arguments
}

const names = ({ twins, direct, awaited }: typeof tables.agent): string[] => [...twins, ...direct, ...awaited]

function entry(name: string, surface: Entry['surface']): Entry[] {
  const f = Reflect.get(surface === 'simple' ? simple : SxAgent.prototype, name) as object
  if (!isOperation(f)) return []
  const given: Arguments | undefined = (surface === 'simple' ? argumentsOfSimple : argumentsOf)[name] ?? ofOneForm[name]
  if (given === undefined) throw new Error(`Add what ${name} is called with to test/transcripts/operations.ts.`)
  return [{ name, surface, f, given }]
}

/** Each operation of the tables: of the class, and those that `/simple` has alone. */
export const operations: readonly Entry[] = [
  ...names(tables.agent).flatMap((name) => entry(name, 'SxAgent')),
  ...names(tables.simple)
    .filter((name) => !names(tables.agent).includes(name))
    .flatMap((name) => entry(name, 'simple')),
]
