// A test of Jest, as CommonJS that requires the package.
const { writeFileSync } = require('node:fs')
const { report } = require('../report.mjs')
const { verifyStandalone } = require('sx-agent/verify')

test('the report', async () => {
  expect(verifyStandalone('{}', { keys: {} }).code).toBe('MissingSignature')
  writeFileSync(process.env.SX_REPORT, await report({ place: 'kept-jest-require', short: true }))
}, 900_000)
