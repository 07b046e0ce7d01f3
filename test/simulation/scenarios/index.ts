import type { Scenario } from '../scenario.ts'
import { agent } from './agent.ts'
import { agreements } from './agreements.ts'
import { backups } from './backups.ts'
import { creation } from './creation.ts'
import { disturbed } from './disturbed.ts'
import { documents } from './documents.ts'
import { everything } from './everything.ts'
import { keys, overlapping, signers } from './keys.ts'
import { pages } from './pages.ts'
import { passwords } from './passwords.ts'
import { restoring } from './restoring.ts'
import { rotation } from './rotation.ts'
import { opening, restored, shared, trust } from './trust.ts'

/** What is simulated, with weights. */
export const scenarios: readonly (readonly [Scenario, weight: number])[] = [
  [documents, 4],
  [trust, 4],
  [shared, 3],
  [restored, 2],
  [opening, 1],
  [agent, 3],
  [pages, 2],
  [passwords, 3],
  [rotation, 4],
  [keys, 5],
  [signers, 2],
  [overlapping, 2],
  [creation, 4],
  [backups, 2],
  [restoring, 2],
  [disturbed, 3],
  [everything, 3],
  [agreements, 4],
]
