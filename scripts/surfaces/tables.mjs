// Which operations there are, and in which forms. `twins` come as `name`, which returns a Promise, and `nameSync`, which
// returns directly; `direct` and `awaited` have only one of both.

const words = (text) => text.trim().split(/\s+/)

/** The operations that were planned first. */
export const planned = {
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
  // Those of the class that are also functions of the module are deprecated there.
  core: {
    twins: words(`
      load signAgent verifyString signString verifyAgent updateAgent verifyDocument updateDocument
      verifySignature createAgreement signAgreement createDocument checkAgreement
    `),
    direct: words('hashString createConfig signRequest verifyResponse verifyResponseWithAgentId'),
    awaited: [],
  },
}

/** What has come beside these; docs/decisions.md says why. */
const additions = {
  simple: {
    twins: words(`
      inspect verifyOrThrow verifyFile getDocument listDocuments listVersions exportStore importStore repairStore
      signArtifact verifyArtifact createDocument verifyDocument verifySignature verifyAgent signString verifyString
      rotateKey revokeKey createRevocation exportKey signAgent refresh createDocuments signMessages
    `),
    direct: words('signRequest verifyResponse verifyResponseWithAgentId'),
    awaited: words('init flush close verifyMany stripImageSignature imageCapacity'),
  },
  agent: {
    twins: words(`
      inspect verifyOrThrow signFile verifyFile getDocument listDocuments listVersions exportStore importStore
      verifyArtifact signMessage verify verifyById verifySelf reencryptKey
      rotateKey revokeKey createRevocation exportKey refresh createDocuments signMessages
    `),
    direct: words(`
      isLoaded getAgentInfo getPublicKey exportAgent getDnsRecord getWellKnownJson
      trustAgent listTrustedAgents untrustAgent isTrusted getTrustedAgent
    `),
    awaited: words(`
      init flush close verifyMany signText verifyText signImage verifyImage stripImageSignature imageCapacity
    `),
  },
  core: { twins: [], direct: [], awaited: words('init') },
}

/** What was planned and is not built yet. Whoever builds it takes it out here. */
export const missing = {
  simple: words('createAgreement signAgreement checkAgreement'),
  agent: words('createAgreement signAgreement checkAgreement'),
  core: words('createAgreement signAgreement checkAgreement'),
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
  core: { ...built('core'), classes: words('SxAgent SxError SxSimpleAgent') },
  verify: {
    twins: words('inspect verifyFile'),
    direct: words('verifyStandalone hashString'),
    awaited: words('init verifyText verifyImage extractMediaSignature'),
    classes: words('SxError'),
  },
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
