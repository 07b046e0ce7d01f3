// What this process holds, whether or not anybody has collected its garbage.
import { memoryUsage } from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Collects the garbage: the second time because the first one may still be at work on buffers. */
export function collect(): void {
  gc()
  gc()
}

/** Bytes of values and buffers that are in use. */
export function held(): number {
  collect()
  const { heapUsed, external } = memoryUsage()
  return heapUsed + external
}
