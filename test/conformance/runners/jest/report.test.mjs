// A test of Jest, as an ES module. Jest gives it globals of its own.
import { writeFileSync } from 'node:fs'
import { report } from '../report.mjs'

test('the report', async () => {
  const text = await report({ place: 'kept-jest-import', short: true })
  writeFileSync(process.env.SX_REPORT, text)
  expect(text).not.toContain('FAILED')
}, 900_000)
