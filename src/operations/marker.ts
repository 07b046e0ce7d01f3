import { platform } from '#platform'
import { type Operation, perform } from '../effects.ts'
import { SxError } from '../errors.ts'
import type { Home, Marker, Markers } from '../platform.ts'
import type { Loaded } from '../session.ts'
import type { AgentOptions } from '../types.ts'

/** The runtime's markers, for agents in the runtime's own storage: elsewhere the same path means another agent. */
function markersOf({ storage }: AgentOptions): Markers | undefined {
  return storage === undefined ? platform.markers : undefined
}

/**
 * The agent that was last known to be at a configuration. It is noted after the configuration was written, so where that
 * is missing, look at it once more afterwards: another page may have just made the agent.
 */
export function* markedAt(options: AgentOptions, { configPath }: Home): Operation<Marker | undefined> {
  const markers = markersOf(options)
  return markers && (yield* perform(markers.read(configPath)))
}

/** Notes the agent of a configuration. */
export function* mark(options: AgentOptions, { configPath }: Home, { agentId, keyId }: Marker): Operation<void> {
  const markers = markersOf(options)
  if (markers !== undefined) yield* perform(markers.write(configPath, { agentId, keyId }))
}

/** Notes an agent that is loaded. */
export function* markLoaded({ id, options, own, place }: Loaded): Operation<void> {
  yield* mark(options, place.home, { agentId: id, keyId: own.current.keyId })
}

/** An agent was here and is gone. */
export function lostError({ configPath }: Home, { agentId, keyId }: Marker): SxError {
  const found = `The agent ${agentId} with the key ${keyId} was at ${configPath}. Its data is gone.`
  return new SxError('AgentLost', found)
}
