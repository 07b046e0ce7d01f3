import type { SxAgent } from '../agent.ts'

type Method = Exclude<Extract<keyof SxAgent, string>, `${string}Sync`>

/** The methods of `SxAgent` that an agent in a worker has. The compiler says if one is missing. */
export const agentMethods = /* @__PURE__ */ Object.keys({
  close: 0,
  createDocument: 0,
  exportAgent: 0,
  exportStore: 0,
  flush: 0,
  getAgentInfo: 0,
  getDocument: 0,
  getPublicKey: 0,
  getTrustedAgent: 0,
  importStore: 0,
  isLoaded: 0,
  isTrusted: 0,
  listDocuments: 0,
  listTrustedAgents: 0,
  load: 0,
  reencryptKey: 0,
  signMessage: 0,
  signString: 0,
  signText: 0,
  trustAgent: 0,
  untrustAgent: 0,
  updateAgent: 0,
  updateDocument: 0,
  verify: 0,
  verifyAgent: 0,
  verifyById: 0,
  verifyDocument: 0,
  verifyMany: 0,
  verifyOrThrow: 0,
  verifySelf: 0,
  verifySignature: 0,
  verifyString: 0,
  verifyText: 0,
} satisfies Record<Method, 0>) as readonly Method[]

/** The methods of `SxAgent` without their twins; each returns a Promise. */
export type AwaitedMethods = {
  readonly [Name in keyof Pick<SxAgent, Method>]: (
    ...given: Parameters<SxAgent[Name]>
  ) => Promise<Awaited<ReturnType<SxAgent[Name]>>>
}
