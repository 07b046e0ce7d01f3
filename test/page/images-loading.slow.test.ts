// Other ways in which the modules for images are broken, and other forms in which they are taken.
import { describe, expect, it } from 'vitest'
import {
  loadingImages,
  moduleOf,
  type Prepared,
  prepare,
  sign,
  testsOfBroken,
  testsOfForms,
  verify,
  visit,
} from './images-loading.ts'
import { hasNoBrowser } from './site.ts'

loadingImages()

describe.skipIf(hasNoBrowser)('the modules for images', () => {
  testsOfBroken(
    ['another file', Buffer.from('<!doctype html>'), /(is another file|is truncated or damaged)/],
    ['another module', moduleOf('core'), /not the media module/],
    ['of another version', Buffer.concat([moduleOf('media').subarray(0, -1), Buffer.from('!')]), /another version/],
  )

  it('can be missing for pixels alone: what metadata hold is read all the same', async () => {
    const page = await visit()
    await prepare(page)
    await page.route('**/pixels*.wasm', (route) => route.abort())
    await page.evaluate(() => (window as unknown as Prepared).make())
    expect(await sign(page)).toEqual({ value: 'signed' })
    expect(await verify(page, 'signed')).toEqual({ value: 'valid' })
    const failure = { code: 'WasmUnavailable', message: expect.stringMatching(/pixels cannot be fetched/) as string }
    expect(await sign(page, true)).toEqual(failure)
    expect(await verify(page, 'photo')).toEqual(failure) // never unsigned for want of a look
  })

  testsOfForms('text', 'Response', 'bytes')
})
