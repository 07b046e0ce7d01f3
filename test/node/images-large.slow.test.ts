// As images-large.test.ts, with the other formats.
import { it } from 'vitest'
import { isLong } from '../pace.ts'
import { isSignedInLittleMemory } from './large-images.ts'

// What is signed has to be within the limit of 256 MiB, too.
const cases: [image: string, megabytes: number][] = [
  ['rgb.png', 50],
  ['lossy.webp', 50],
  ...(isLong ? [['photo.jpg', 255.9] as [string, number], ['rgb.png', 255.9] as [string, number]] : []),
]

// oxlint-disable-next-line vitest/expect-expect -- what it calls does
it.each(cases)('%s of %d MB', isSignedInLittleMemory)
