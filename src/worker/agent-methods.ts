import type { SxAgent } from '../agent.ts'

/** What loads the core is done with the worker. */
type Method = Exclude<Extract<keyof SxAgent, string>, `${string}Sync` | 'init'>

/** The methods of `SxAgent` that an agent in a worker has. The compiler says if one is missing. */
export const agentMethods = /* @__PURE__ */ Object.keys({
  close: 0,
  createDocument: 0,
  createDocuments: 0,
  createRevocation: 0,
  exportAgent: 0,
  exportKey: 0,
  exportStore: 0,
  flush: 0,
  getAgentInfo: 0,
  getDnsRecord: 0,
  getDocument: 0,
  getPublicKey: 0,
  getTrustedAgent: 0,
  getWellKnownJson: 0,
  imageCapacity: 0,
  importStore: 0,
  inspect: 0,
  isLoaded: 0,
  isTrusted: 0,
  listDocuments: 0,
  listTrustedAgents: 0,
  listVersions: 0,
  load: 0,
  reencryptKey: 0,
  refresh: 0,
  signArtifact: 0,
  signFile: 0,
  revokeKey: 0,
  rotateKey: 0,
  signAgent: 0,
  signImage: 0,
  signMessage: 0,
  signMessages: 0,
  signRequest: 0,
  signString: 0,
  signText: 0,
  stripImageSignature: 0,
  trustAgent: 0,
  untrustAgent: 0,
  updateAgent: 0,
  updateDocument: 0,
  verify: 0,
  verifyAgent: 0,
  verifyArtifact: 0,
  verifyById: 0,
  verifyDocument: 0,
  verifyFile: 0,
  verifyImage: 0,
  verifyMany: 0,
  verifyOrThrow: 0,
  verifyResponse: 0,
  verifyResponseWithAgentId: 0,
  verifySelf: 0,
  verifySignature: 0,
  verifyString: 0,
  verifyText: 0,
  wrapA2aArtifact: 0,
} satisfies Record<Method, 0>) as readonly Method[]

/** The methods of `SxAgent` without their twins; each returns a Promise. */
export type AwaitedMethods = {
  readonly [Name in keyof Pick<SxAgent, Method>]: (
    ...given: Parameters<SxAgent[Name]>
  ) => Promise<Awaited<ReturnType<SxAgent[Name]>>>
}
