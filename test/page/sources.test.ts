// Texts and images in a page: from files, blobs, responses and addresses, also of servers that let nobody look.
import { sourced, testsOfClosing, testsOfSources } from './sources.ts'

sourced()

testsOfSources(['image', false], ['text', true])

testsOfClosing(['image', false, 'silent'], ['text', true, 'silent'])
