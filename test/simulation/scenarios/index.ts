import type { Scenario } from '../scenario.ts'
import { agent } from './agent.ts'
import { creation } from './creation.ts'
import { disturbed } from './disturbed.ts'
import { documents } from './documents.ts'
import { everything } from './everything.ts'
import { passwords } from './passwords.ts'
import { rotation } from './rotation.ts'
import { trust } from './trust.ts'

/** What is simulated, with weights. */
export const scenarios: readonly (readonly [Scenario, weight: number])[] = [
  [documents, 4],
  [trust, 4],
  [agent, 3],
  [passwords, 3],
  [rotation, 4],
  [creation, 4],
  [disturbed, 3],
  [everything, 3],
]
