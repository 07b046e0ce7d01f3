// All examples. Their names say which row of the table of states, or which value of the policy, they show.
import type { Example } from './example.ts'
import { policies } from './policies.examples.ts'
import { races } from './races.examples.ts'
import { rows } from './rows.examples.ts'
import { states } from './states.examples.ts'

export const examples: readonly Example[] = [...states, ...rows, ...races, ...policies]
