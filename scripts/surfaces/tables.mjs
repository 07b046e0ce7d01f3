// Which operations there are, and in which forms. `twins` come as `name`, which returns a Promise, and `nameSync`, which
// returns directly; `direct` and `awaited` have only one of both.

const words = (text) => text.trim().split(/\s+/)

/** The operations that were planned first. */
const planned = {
  simple: {
    twins: words(`
      quickstart create load verifySelf updateAgent updateDocument signMessage signFile
      verify verifyById reencryptKey createAgreement signAgreement checkAgreement audit
    `),
    direct: words(`
      verifyStandalone getPublicKey isLoaded getAgentInfo exportAgent getDnsRecord
      getWellKnownJson trustAgent listTrustedAgents untrustAgent isTrusted getTrustedAgent
    `),
    awaited: words('signText verifyText signImage verifyImage extractMediaSignature'),
  },
  agent: {
    twins: words(`
      load createDocument verifyDocument verifySignature updateDocument createAgreement
      signAgreement checkAgreement signArtifact wrapA2aArtifact signString verifyString
      verifyAgent updateAgent signAgent
    `),
    direct: words('signRequest verifyResponse verifyResponseWithAgentId'),
    awaited: [],
  },
  core: { twins: [], direct: words('hashString createConfig'), awaited: [] },
}

/** What has come beside these; docs/decisions.md says why. */
const additions = {
  simple: {
    twins: words(`
      verifyOrThrow getDocument listDocuments exportStore importStore
      createDocument verifyDocument verifySignature verifyAgent signString verifyString
    `),
    direct: [],
    awaited: words('init flush close verifyMany'),
  },
  agent: {
    twins: words(`
      verifyOrThrow getDocument listDocuments exportStore importStore
      signMessage verify verifyById verifySelf reencryptKey
    `),
    direct: words(`
      isLoaded getAgentInfo getPublicKey exportAgent
      trustAgent listTrustedAgents untrustAgent isTrusted getTrustedAgent
    `),
    awaited: words('flush close verifyMany signText verifyText'),
  },
  core: { twins: [], direct: [], awaited: words('init') },
}

/** What was planned and is not built yet. Whoever builds it takes it out here. */
const missing = {
  simple: words(`
    signFile createAgreement signAgreement checkAgreement audit getDnsRecord getWellKnownJson
    signImage verifyImage extractMediaSignature
  `),
  agent: words(`
    createAgreement signAgreement checkAgreement signArtifact wrapA2aArtifact signAgent
    signRequest verifyResponse verifyResponseWithAgentId
  `),
  core: [],
}

/** Names that mean another operation in SxAgent than in /simple. */
const different = words('load updateDocument')

function built(surface) {
  const all = (form) => [...planned[surface][form], ...additions[surface][form]]
  const there = (form) => all(form).filter((name) => !missing[surface].includes(name))
  return { twins: there('twins'), direct: there('direct'), awaited: there('awaited') }
}

export const tables = {
  simple: { ...built('simple'), classes: words('SxError') },
  agent: { ...built('agent'), classes: [] },
  core: { ...built('core'), classes: words('SxAgent SxError') },
  different,
}

/** The functions of a surface. */
export function functionsOf({ twins, direct, awaited }) {
  return [...twins.flatMap((name) => [name, `${name}Sync`]), ...direct, ...awaited]
}

/** The names of all methods of a class. */
export function methodsOf(prototype) {
  if (prototype === Object.prototype) return []
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  return [...own, ...methodsOf(Object.getPrototypeOf(prototype))]
}
