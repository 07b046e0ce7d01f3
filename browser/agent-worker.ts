// A worker of a page with an agent in it.
import { agentServer } from '../src/worker/agent-server.ts'
import { serve } from './worker-side.ts'

serve(agentServer)
