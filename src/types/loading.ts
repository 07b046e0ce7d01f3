import type { AgentOptions } from './settings.ts'

/** Options of `load`. */
export interface LoadOptions extends AgentOptions {
  /** A file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
}
