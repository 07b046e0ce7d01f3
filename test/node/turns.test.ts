import '../patience.ts'
import { fileURLToPath } from 'node:url'
import type * as simpleEntry from 'sx-agent/simple'
import { expect, it } from 'vitest'
import { COUNT, documents, goesOnDuring, pausesBetween, storage } from '../large-documents.ts'

pausesBetween() // on the sources, which have no threads

it('verifyMany on threads lets this one go on', async () => {
  const dist = fileURLToPath(new URL('../../dist/node/simple.js', import.meta.url)) // threads start files
  const simple = (await import(/* @vite-ignore */ dist)) as typeof simpleEntry
  await simple.load({ storage, password: 'correct horse battery staple' })
  const { often, rarely } = await goesOnDuring(() => simple.verifyMany(documents, { concurrency: 8 }))
  await simple.close()
  expect({ often, rarely, goesOn: often > COUNT / 2, stops: rarely < COUNT / 6 }).toMatchObject({
    goesOn: true,
    stops: true,
  })
})
