import { encode } from '../bytes.ts'
import { closed } from '../effects/entries.ts'
import { type Operation, perform } from '../effects.ts'
import { DEFAULT_CONFIG_PATH } from '../home.ts'
import { names } from '../names.ts'
import { agentOptions } from '../options.ts'
import type { AgentPlace } from '../session.ts'
import type { FindAgentOptions, FoundAgent } from '../types.ts'
import { createConfig } from '../utilities.ts'
import { checkStorage, openHome, parseConfig, readNaming } from './naming.ts'
import { findPassword, type PasswordSource } from './password.ts'

/** `findAgent`: what `load` would find, without opening the private key. */
export function* findAgent(given: FindAgentOptions): Operation<FoundAgent> {
  const { configPath = DEFAULT_CONFIG_PATH, ...others } = given
  const options = agentOptions(others)
  const home = yield* openHome(options, configPath)
  const naming = yield* readNaming(home)
  const config = naming?.config ?? parseConfig(encode(createConfig()))
  if (naming !== undefined) checkStorage(options, config)
  const place: AgentPlace = { home, config, directories: home.open(config) }
  try {
    const passwordFrom = (yield* findPassword(options, place))?.source
    return Object.freeze({
      configPath: home.configPath,
      hasConfig: naming !== undefined,
      agentId: naming?.agent?.id,
      passwordFrom,
      passwordPath: pathOf(passwordFrom, place),
    })
  } finally {
    yield* perform(closed(place.directories))
  }
}

/** Where a password stands that was found in a file. */
function pathOf(source: PasswordSource | undefined, { home, directories }: AgentPlace): string | undefined {
  if (source === 'config') return home.configPath
  return source === 'file' ? directories.keyPath(names().passwordFile) : undefined
}
