// A page with an agent of its own: it signs, verifies and keeps a list of agents it trusts.
import { startAgent } from './agent.ts'
import { startSigning } from './sign.ts'
import { showTrusted, startTrusting } from './trust.ts'
import { startVerifying, verifyAgain, verifyHere } from './verify.ts'

startSigning(verifyHere)
startVerifying()
startTrusting(verifyAgain)
await startAgent(showTrusted)
