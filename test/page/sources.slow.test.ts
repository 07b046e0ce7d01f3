// The same of texts in the page, and of images in a worker of it.

import { sourced, testsOfClosing, testsOfSources } from './sources.ts'

sourced()

testsOfSources(['text', false], ['image', true])

testsOfClosing(['text', false, 'halting'], ['image', true, 'halting'])
