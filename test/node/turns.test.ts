import '../patience.ts'
import { fileURLToPath } from 'node:url'
import type * as simpleEntry from 'sx-agent/simple'
import { expect, it } from 'vitest'
import { documents, gapsOf, pausesBetween, storage } from '../large-documents.ts'

pausesBetween() // on the sources, which have no threads

// They want the processors, too, and many of them answer at the same time.
const TIMES = 6

it('verifyMany on threads does not keep this one much longer than one of them takes', async () => {
  const dist = fileURLToPath(new URL('../../dist/node/simple.js', import.meta.url)) // threads start files
  const simple = (await import(/* @vite-ignore */ dist)) as typeof simpleEntry
  await simple.load({ storage, password: 'correct horse battery staple' })
  const { alone, gap, took } = await gapsOf(() => simple.verifyMany(documents, { concurrency: 8 }), TIMES)
  await simple.close()
  expect({ alone, gap, took, goesOn: gap < TIMES * alone }).toMatchObject({ goesOn: true })
})
