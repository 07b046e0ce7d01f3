// The module for agreements in a page: fetched on first use, or by `init`.
import { expect, it } from 'vitest'
import { agreementModule } from '../../src/agreements/module.ts'
import { perform, runAsync, runSync } from '../../src/effects.ts'
import { init } from '../../src/index.ts'

it('cannot be had without waiting before it is fetched, then it can', async () => {
  expect(() => runSync(() => perform(agreementModule))).toThrow(expect.objectContaining({ code: 'NotInitialized' }))
  await init({ agreement: true })
  const module = runSync(() => perform(agreementModule))
  expect(() => module.judge('{')).toThrow(expect.objectContaining({ code: 'NotJson' }))
  expect(await runAsync(() => perform(agreementModule))).toBe(module)
})
