// What edge runtimes have in common: they keep nothing, and say so.
import { equal, ok, refused } from '../assert.mjs'
import { main, report, simple, storage } from './report.mjs'

/** The report, once it is sure that what is not here is named. */
export async function reportOfEdge(options = {}) {
  const { SxError } = main
  const create = () => simple.create({ name: 'Nowhere', password: 'a password for tests' })
  ok((await refused(SxError, 'InvalidOption', create)).includes("'storage'"), 'the option is named')
  await refused(SxError, 'InvalidOption', () => simple.verifyStandalone('{}', { keyDirectory: './keys' }))
  equal(simple.verifyStandalone('{}', { keyDirectory: {} }).code, 'MissingSignature')
  return report({ ...options, place: 'kept', storage: storage.memoryStorage() })
}
