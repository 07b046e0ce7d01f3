// Vercel's edge runtime: its bundler knows the modules, so the caller passes them on.
import { refused } from '../assert.mjs'
import { reportOfEdge } from './edge.mjs'
import { main } from './report.mjs'

globalThis.conformance = async (modules) => {
  await refused(main.SxError, 'NotInitialized', async () => main.hashString('abc'))
  await refused(main.SxError, 'WasmUnavailable', () => main.init())
  await main.init(modules)
  return reportOfEdge()
}
