// Which operations there are, and in which forms. `twins` come as `name`, which returns a Promise, and `nameSync`, which
// returns directly; `direct` and `awaited` have only one of both.

const words = (text) => text.trim().split(/\s+/)

/** Functions of /simple that are methods of SxAgent too. */
const both = {
  twins: words(`
    agreementCertificate amendAgreement attachToAgreement buildRequestAuthHeader checkAgreement commentOnAgreement createAgreement
    createAgreementDoc createDocument createDocuments createRevocation declineAgreement delegateSigning
    describeFile disputeAgreement exportKey exportStore getAgreement getDocument importAgreement importDocument
    importStore inspect listDocuments listVersions load mergeAgreements notarizeAgreement proposeAgreement
    reencryptKey refresh resolveDispute revokeKey rotateKey signAgent signAgreement signAgreementDoc signArtifact
    signFile signMessage signMessages signString supersedeAgreement terminateAgreement updateAgent updateDocument
    verify verifyAgent verifyAgreement verifyArtifact verifyBackup verifyById verifyDocument verifyFile
    verifyOrThrow verifySelf verifySignature verifyString voidAgreement withdrawSignature witnessAgreement
  `),
  direct: words(`
    exportAgent getAgentInfo getDnsRecord getPublicKey getTrustedAgent getWellKnownJson isLoaded
    isTrusted listKeys listTrustedAgents signRequest trustAgent untrustAgent verifyResponse
    verifyResponseWithAgentId
  `),
  awaited: words(`
    close flush imageCapacity init signImage signText stripImageSignature verifyImage verifyMany
    verifyText
  `),
}

/** Functions that /simple has alone. */
const onlySimple = {
  twins: words('audit checkSchema create findAgent quickstart repairStore'),
  direct: words('getKeyId readAgent verifyStandalone'),
  awaited: words('checkImage extractMediaSignature'),
}

/** Methods that SxAgent has alone. */
const onlyAgent = {
  twins: words('wrapA2aArtifact'),
  direct: [],
  awaited: [],
}

/** Of the core module. Those of them that the class has are deprecated there. */
const ofCore = {
  twins: words(`
    checkAgreement createAgreement createDocument load signAgent signAgreement signString updateAgent updateDocument
    verifyAgent verifyDocument verifySignature verifyString
  `),
  direct: words('createConfig hashString signRequest verifyResponse verifyResponseWithAgentId'),
  awaited: words('init'),
}

/** Names that mean another operation in SxAgent than in /simple. */
const different = words('checkAgreement load updateDocument')

const joined = (own) => ({
  twins: [...both.twins, ...own.twins],
  direct: [...both.direct, ...own.direct],
  awaited: [...both.awaited, ...own.awaited],
})

export const tables = {
  simple: { ...joined(onlySimple), classes: words('SxError') },
  agent: { ...joined(onlyAgent), classes: [] },
  core: { ...ofCore, classes: words('SxAgent SxError SxSimpleAgent') },
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
