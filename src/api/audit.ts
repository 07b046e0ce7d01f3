import type { AuditOptions, AuditResult } from '../audit-types.ts'
import type { Operation } from '../effects.ts'
import * as auditing from '../operations/audit/index.ts'
import type { Session } from '../session.ts'
import { asynchronous, nothing, twin } from './form.ts'

/**
 * Looks at an agent and at all that is stored of it, and says what is wrong (specification, sections 2.3 and 4.1): files
 * that others can read or change, a password that is weak, in the configuration or left behind, keys that are missing or
 * another agent's, documents and decisions that were changed, are not whole or cannot be verified, what writes that broke
 * off have left, storage that a browser may clear. No agent has to be loaded; nothing is written, and the loaded agent
 * stays as it is.
 *
 * Whether the private key is the agent's is only seen where its password is: passed, in the environment, in the
 * configuration, or saved beside the key; or where the external signer that has it is passed as `signer`, which is asked
 * for no signature.
 *
 * @param options `configPath`, default `./sx.config.json`; `recentN` verifies only so many documents, the latest ones by
 *   date, each in its latest version; `storage`, `password`, `signer` and `env` as for `load`
 * @returns `risks`, `health_checks`, `summary` and `overall_status`; whatever is wrong with the agent stands there and is
 *   not thrown, a missing or damaged configuration too
 * @throws SxError `InvalidOption`
 * @example
 * const { overall_status, risks } = await audit()
 * console.log(overall_status, risks.length) // healthy 0
 */
export const audit: (options?: AuditOptions) => Promise<AuditResult> = asynchronous(
  {
    needs: nothing,
    options: {
      at: 0,
      names: { configPath: true, recentN: true, storage: true, password: true, signer: true, env: true },
    },
  },
  function audit(_session: Session, options: AuditOptions = {}): Operation<AuditResult> {
    return auditing.audit(options)
  },
)
/** The synchronous twin of {@link audit}. */
export const auditSync: (options?: AuditOptions) => AuditResult = twin(audit)
