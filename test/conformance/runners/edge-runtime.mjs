// Vercel's edge runtime: its bundler knows the core, so the caller passes it on.
import { refused } from '../assert.mjs'
import { reportOfEdge } from './edge.mjs'
import { main } from './report.mjs'

globalThis.conformance = async (core) => {
  await refused(main.SxError, 'NotInitialized', async () => main.hashString('abc'))
  await refused(main.SxError, 'WasmUnavailable', () => main.init())
  await main.init({ core })
  return reportOfEdge()
}
