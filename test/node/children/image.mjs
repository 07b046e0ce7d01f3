// Signs, verifies and strips a large image as files, and prints a line of JSON: what came of it, and by how many bytes
// the memory of the process grew at most.
//
//   node image.mjs <image> <megabytes>    the image, with so many bytes behind it

import { createHash } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { SxAgent } from 'sx-agent'
import { extractMediaSignature, stripImageSignature } from 'sx-agent/simple'

const [image, megabytes] = process.argv.slice(2)
const size = Math.floor(Number(megabytes) * 2 ** 20)
const { agent } = await SxAgent.create({ name: 'Camera', domain: 'example.com', algorithm: 'ed25519', password: 'x' })

/** SHA-256 of a file, which is read in pieces: only what the library takes of memory is to be counted. */
function digest(path) {
  const hash = createHash('sha256')
  const piece = Buffer.alloc(1 << 20)
  const fd = openSync(path, 'r')
  for (let count = readSync(fd, piece); count > 0; count = readSync(fd, piece)) hash.update(piece.subarray(0, count))
  closeSync(fd)
  return hash.digest('hex')
}

await agent.verifyImage(await agent.signImage(image, null)) // what is loaded once is no part of the growth
copyFileSync(image, 'large')
appendFileSync('large', 'trailer')
truncateSync('large', size)
const original = digest('large')
const before = process.memoryUsage.rss()

await agent.signImage('large', 'signed')
const { status, coverage } = await agent.verifyImage('signed')
const grown = process.resourceUsage().maxRSS * 1024 - before
await agent.signImage('signed', 'signed')
const again = await agent.verifyImage('signed')
const { length } = (await extractMediaSignature('signed')).content
await stripImageSignature('signed', 'stripped')
const isSame = digest('stripped') === original && statSync('stripped').size === size
for (const name of ['large', 'signed', 'stripped']) rmSync(name)
writeSync(1, `${JSON.stringify({ status, coverage, again: again.status, length, isSame, grown })}\n`)
