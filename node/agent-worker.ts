// A thread with an agent in it.
import { agentServer } from '../src/worker/agent-server.ts'
import { serve } from './worker-side.ts'

serve(agentServer)
