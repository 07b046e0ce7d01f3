// Writes test/vectors/*.json, with which any implementation of the protocol can be tested. The files are frozen:
// what changes in them changes the protocol.
//
//   node scripts/vectors.mjs
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './setup/shared.mjs'
import { makeVectors } from './vectors/make.mjs'

const folder = join(root, 'test', 'vectors')
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(makeVectors())) {
  writeFileSync(join(folder, name), text)
  console.log(`vectors: ${name} (${Math.ceil(text.length / 1024)} KB)`)
}
