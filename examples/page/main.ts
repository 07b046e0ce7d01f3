// A page with an agent of its own: it signs, verifies and keeps a list of agents it trusts.
import { startAgent } from './agent.ts'
import { lookAgain, startMedia } from './media.ts'
import { startSigning } from './sign.ts'
import { showTrusted, startTrusting } from './trust.ts'
import { startVerifying, verifyAgain, verifyHere } from './verify.ts'

startSigning(verifyHere)
startVerifying()
startMedia(verifyHere)
startTrusting(() => {
  verifyAgain()
  void lookAgain()
})
await startAgent(() => {
  showTrusted()
  void lookAgain()
})
