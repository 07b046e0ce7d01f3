// How large the modules are, which `npm run check` says, too.
import { expect, it } from 'vitest'
import { builtSizes, sizeFaults } from '../../scripts/modules.mjs'
import { modules } from '../../scripts/setup/table.mjs'

it('every module that is built is within its budget', () => {
  expect(sizeFaults(builtSizes(), modules)).toEqual([])
})
