import { platform } from '#platform'
import type { Session } from './session.ts'
import type { Environment } from './types.ts'

const told = new Set<string>()

/** Warns the user of the program about something that the program may have overlooked: once for each code. */
export function warn(code: string, message: string): void {
  if (told.has(code)) return
  told.add(code)
  platform.warn(code, message)
}

/** Warns of a call under a name that is to be given up, once for each name, where SX_SHOW_DEPRECATIONS is 1. */
export function warnDeprecated({ loaded, options }: Session, name: string, instead: string): void {
  if (shown(loaded?.options.env ?? options.env) !== '1') return
  warn(`DEPRECATED_${name}`, `\`${name}\` is deprecated: use ${instead}.`)
}

/** What the environment says of deprecations: nothing where it may not be read, as in Deno without --allow-env. */
function shown(env: Environment | undefined): string | undefined {
  try {
    return (env ?? platform.environment()).SX_SHOW_DEPRECATIONS
  } catch {
    return undefined
  }
}
