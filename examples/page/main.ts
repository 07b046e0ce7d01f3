// A page with an agent of its own: it signs, verifies and keeps a list of agents it trusts.
import { startAgent } from './agent.ts'
import { isAgentDocument, takeLinked } from './links.ts'
import { checkTyped, lookAgain, signTyped, startMedia } from './media.ts'
import { startSigning } from './sign.ts'
import { offerToTrust, showWaiting, startTrusting } from './trust.ts'
import { showTrusted } from './trusted.ts'
import { startVerifying, verifyAgain, verifyHere } from './verify.ts'

startSigning(verifyHere, signTyped)
startVerifying(checkTyped)
startMedia((document) => (isAgentDocument(document) ? offerToTrust(document) : verifyHere(document)))
startTrusting(() => {
  verifyAgain()
  void lookAgain()
})
const followLink = (): void => {
  const linked = takeLinked()
  if (linked !== undefined) offerToTrust(linked)
}
addEventListener('hashchange', followLink)
followLink()
await startAgent(() => {
  showTrusted()
  showWaiting()
  void lookAgain()
})
