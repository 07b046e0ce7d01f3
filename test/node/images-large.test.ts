// A large image, as a file; images-large.slow.test.ts has those of the other formats.
import { it } from 'vitest'
import { isSignedInLittleMemory } from './large-images.ts'

// oxlint-disable-next-line vitest/expect-expect -- what it calls does
it('photo.jpg of 50 MB', () => isSignedInLittleMemory('photo.jpg', 50))
