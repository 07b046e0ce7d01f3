import type { AgentOptions } from './settings.ts'

/** Options of `load`. */
export interface LoadOptions extends AgentOptions {
  /** A file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
}

/** Options of `findAgent`; each as for `load`. */
export interface FindAgentOptions extends Pick<LoadOptions, 'configPath' | 'storage' | 'password' | 'env'> {}

/** What `findAgent` has found. The object is frozen. */
export interface FoundAgent {
  /** Where the configuration stands, or would. */
  readonly configPath: string
  /** Whether there is a configuration. It can be prepared for an agent that is still to be created. */
  readonly hasConfig: boolean
  /** The agent that it names; undefined if it names none. */
  readonly agentId: string | undefined
  /**
   * Where `load` would take the password from (protocol, section 13): the option `password`, the variable
   * SX_PRIVATE_KEY_PASSWORD, the configuration, the file of a saved password, or what a page keeps. Undefined if there is
   * none. Whether it is the right one is not tried.
   */
  readonly passwordFrom: 'argument' | 'environment' | 'config' | 'file' | 'vault' | undefined
  /** The file that the password is in, if it is the configuration or that of a saved password; else undefined. */
  readonly passwordPath: string | undefined
}
