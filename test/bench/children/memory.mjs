// Memory of verifying one document: node memory.mjs <file with a sample>. Prints bytes.
//
// Measured where there is no agent: deriving its key from a password takes more memory than most documents, which
// the core then has at hand. Nothing is given back between the verification and the look: the core's memory never
// shrinks, and JavaScript's garbage is not collected before.
import { readFileSync } from 'node:fs'
import { verifyStandalone } from 'sx-agent/simple'

const { documents, keyDirectory } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const [small, document] = documents
const verify = (text) => {
  const { errors } = verifyStandalone(text, { keyDirectory })
  if (errors.length > 0) throw new Error(errors.join('\n'))
}
verify(small)
globalThis.gc()
const before = process.memoryUsage.rss()
verify(document)
console.log(process.memoryUsage.rss() - before)
