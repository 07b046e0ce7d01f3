// As types.test.ts, with the older compilers.
import { expect, it } from 'vitest'
import { compilers } from '../packaging/compilers.ts'
import { faultsOfExamples } from './typed.ts'

it.each(compilers.slice(0, -1))(
  'examples and blocks of pages are strict TypeScript for Node alone, says $name',
  async ({ compiler }) => {
    expect(await faultsOfExamples(compiler)).toBe('')
  },
)
