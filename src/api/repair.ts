import type { Operation } from '../effects.ts'
import * as repairing from '../operations/repair.ts'
import type { Session } from '../session.ts'
import type { RepairOptions, RepairResult } from '../types.ts'
import { asynchronous, nothing, twin } from './form.ts'

/**
 * Repairs a copy of a store that was made while somebody wrote: hints name entries that the copy lacks, so it says
 * `Rollback`. Hints are corrected or removed, and tombstones are added where decisions on trust are lost; no entry is
 * changed or removed. **This accepts a rollback**: what the copy lacks is lost here. Restore a backup instead where you
 * have one.
 *
 * Where the latest decision about an agent is lost, the agent is trusted no more; so also where all of the data directory
 * is older than the key directory. Gaps within a document, and an agent
 * document that is missing, are reported and not repaired. Load the agent again afterwards, in every process.
 *
 * @param options `configPath`, default `./sx.config.json`; `storage` as for `load`
 * @returns `repaired`: what was lost at the end of which document or decisions; `problems`: what else is wrong, and
 *   what to do. Both are empty where nothing is wrong
 * @throws SxError `NotFound` without a configuration, `InvalidConfig`, `InvalidOption`, storage codes;
 *   `SyncStorageUnavailable` also in the synchronous twin where the storage is a copy in memory, which may lack what is
 *   stored
 * @example
 * const { repaired, problems } = await repairStore()
 * console.log(repaired.length, problems.length) // 0 0
 */
export const repairStore: (options?: RepairOptions) => Promise<RepairResult> = asynchronous(
  { needs: nothing, options: { at: 0, names: { configPath: true, storage: true } } },
  function repairStore(_session: Session, options: RepairOptions = {}): Operation<RepairResult> {
    return repairing.repairStore(options)
  },
)
/** The synchronous twin of {@link repairStore}. */
export const repairStoreSync: (options?: RepairOptions) => RepairResult = twin(repairStore)
