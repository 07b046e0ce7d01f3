// A thread that verifies.
import { verifier } from '../src/worker/verifier.ts'
import { serve } from './worker-side.ts'

serve(verifier)
