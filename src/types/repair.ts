import type { SxErrorCode } from '../errors.ts'
import type { AgentOptions } from './settings.ts'

/** Options of `repairStore`. */
export interface RepairOptions {
  /** Where the configuration stands: a file, or a name in the storage; default `./sx.config.json`. */
  configPath?: string
  /** Where the agent is kept, if not in the runtime's own storage. */
  storage?: AgentOptions['storage']
}

/** What a document, or the decisions about an agent, had lost. The object is frozen. */
export interface RepairedChain {
  /** The document's or the agent's UUID. */
  readonly id: string
  readonly kind: 'document' | 'trust'
  /** The number of the latest entry that there was, as far as a hint or a witness said. */
  readonly from: number
  /**
   * The number of the latest entry that is left; 0 if none is. The same as `from` if only earlier decisions about an agent
   * were missing: tombstones take their places, and what counts stays.
   */
  readonly to: number
}

/** What `repairStore` has found and cannot put right. The object is frozen. */
export interface StoreProblem {
  /** The code that `load` or `getDocument` throws; `Rollback` also for a lost decision about trust. */
  readonly code: SxErrorCode
  /** The document's or the agent's UUID. */
  readonly subject: string
  /** A sentence for people: what is wrong, and what to do. */
  readonly message: string
}

/** What `repairStore` has done. The object is frozen. */
export interface RepairResult {
  /** Where the configuration stands. */
  readonly configPath: string
  /** Documents and decisions whose latest entries are lost; their hints are right now. */
  readonly repaired: readonly RepairedChain[]
  /** What it has not repaired. */
  readonly problems: readonly StoreProblem[]
}
