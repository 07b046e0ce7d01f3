/** Before every test file in Node: what was derived in others is not derived again. */
import { inject } from 'vitest'
import { share } from './derivations.mjs'

share(inject('derived'))
