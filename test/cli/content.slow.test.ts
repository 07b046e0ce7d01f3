// What an input is, is told by its content and never by its name.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kindIn } from '../../node/cli/content.ts'
import { Place } from './run.ts'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const image = (name: string): Buffer => readFileSync(`${data}${name}`)
let signedText: string

beforeAll(async () => {
  await place.quickstart()
  signedText = await place.done(['sign'], { input: '# Contract\n\n```json\n{"pay": 100}\n```\n' })
})
afterAll(() => place.remove())

describe('an input', () => {
  it.each([
    ['{}', 'json'],
    ['{"a":1', 'json'], // a mistake makes no text of it
    ['{% extends "base" %}', 'json'],
    ['[1,2]', 'json'],
    ['[a link](https://example.com)', 'json'],
    ['"text"', 'json'],
    ['"Call me Ishmael," he said.', 'json'],
    ['\ufeff{}', 'json'],
    [' \r\n\t{}', 'json'],
    ['-1.5e3\n', 'json'],
    ['9007199254740993', 'json'],
    ['null', 'json'],
    [' true ', 'json'],
    ['', 'json'],
    ['\n \n', 'json'],
    ['nullable', 'text'],
    ['1.2.3', 'text'],
    ['2026-01-31', 'text'],
    ['1. First', 'text'],
    ['# Title\n\n{"a":1}\n', 'text'],
    ['\ufeff# Title', 'text'],
    ['a,b\n1,2\n', 'text'],
    ['-----BEGIN SX SIGNATURE-----', 'text'],
    ['{"a":1}\n-----BEGIN SX SIGNATURE-----\n', 'text'],
    ['{"a":1}\n-----END SX SIGNATURE-----', 'text'],
    ['{"a":\n-----\n1}', 'json'],
    ['{"a":"\\n-----BEGIN SX SIGNATURE-----\\n"}', 'json'],
    ['{"a":"\u2028-----BEGIN SX SIGNATURE-----\u2028"}', 'json'],
    ['RIFF and WEBP', 'text'],
    ['\u0000\u0001\u0002', 'text'],
  ])('%j is %s', async (text, kind) => {
    expect(await kindIn(bytesOf(text))).toBe(kind)
  })

  it('is an image by its first bytes, whole or not', async () => {
    for (const name of ['photo.jpg', 'rgb.png', 'lossy.webp']) {
      const bytes = image(name)
      for (const part of [bytes, bytes.subarray(0, 12)]) expect(await kindIn(part)).toBe('image')
    }
    expect(await kindIn(bytesOf('GIF89a'))).toBe('text')
    expect(await kindIn(Buffer.from('{"a":1}', 'utf16le'))).toBe('json') // and is refused as such
    expect(await kindIn(Buffer.from('\ufeffabc', 'utf16le'))).toBe('text')
  })

  it('is not what its name says', async () => {
    copyFileSync(`${data}photo.jpg`, place.at('photo.md'))
    writeFileSync(place.at('contract.png'), signedText)
    writeFileSync(place.at('invoice.jpg'), await place.done(['sign'], { input: '{"amount":1}' }))
    await place.done(['sign', 'photo.md', '-o', 'signed.json'])
    const { exit, value } = await place.json(['verify', 'signed.json', 'contract.png', 'invoice.jpg'])
    const kinds = (value as unknown as { kind: string }[]).map(({ kind }) => kind)
    expect({ exit, kinds }).toEqual({ exit: 0, kinds: ['image', 'text', 'json'] })
  })

  it('that begins like JSON and is none is refused, untouched, unless --as text says what it is', async () => {
    for (const text of ['{% extends "base" %}\n', '[a link](https://example.com)\n']) {
      writeFileSync(place.at('page.md'), text)
      const { exit, value } = await place.json(['sign', 'page.md'])
      expect({ exit, code: value.error?.code }).toEqual({ exit: 1, code: 'NotJson' })
      expect(value.error?.message).toContain('The input begins like JSON. To sign it as a text, pass --as text.')
      expect(readFileSync(place.at('page.md'), 'utf8')).toBe(text)
      await place.done(['sign', 'page.md', '--as', 'text'])
      expect(readFileSync(place.at('page.md'), 'utf8').startsWith(text)).toBe(true)
      expect(await place.json(['verify', 'page.md'])).toMatchObject({ exit: 0, value: { kind: 'text', valid: true } })
      await place.done(['sign', 'page.md']) // a text from now on
    }
  })

  it('may be empty where --as text says that it is a text', async () => {
    writeFileSync(place.at('empty.md'), '')
    expect(await place.json(['verify', 'empty.md', '--as', 'text'])).toMatchObject({
      exit: 1,
      value: { kind: 'text', status: 'missing_signature', error: { code: 'MissingSignature' } },
    })
    expect(await place.json(['sign', 'empty.md', '--as', 'image', '-o', 'x.png'])).toMatchObject({
      exit: 4,
      value: { error: { code: 'Unsupported' } },
    })
    await place.done(['sign', 'empty.md', '--as', 'text'])
    expect(await place.json(['verify', 'empty.md'])).toMatchObject({ exit: 0, value: { kind: 'text', length: 0 } })
    expect(await place.done(['verify', 'empty.md', '-o', '-'])).toBe('')
  })

  it('that is no document is not inspected, and is sent on', async () => {
    copyFileSync(`${data}photo.jpg`, place.at('sent.jpg'))
    writeFileSync(place.at('sent.md'), '# a\n')
    for (const [name, advice] of [
      ['sent.jpg', '`sx extract`'],
      ['sent.md', '`sx verify`'],
    ] as const) {
      const { exit, value } = await place.json(['inspect', name])
      expect({ exit, code: value.error?.code }).toEqual({ exit: 1, code: 'NotJson' })
      expect(value.error?.message).toContain(advice)
    }
  })

  it('can be taken for what it is not, which no verdict allows', async () => {
    writeFileSync(place.at('photo.jpg'), image('photo.jpg'))
    for (const [args, status, code] of [
      [['verify', 'photo.jpg', '--as', 'text'], 1, 'NotText'],
      [['verify', 'photo.jpg', '--as', 'json'], 1, 'NotJson'],
      [['verify', 'contract.png', '--as', 'image'], 4, 'Unsupported'],
      [['verify', 'contract.png', '--as', 'json'], 1, 'NotJson'],
      [['verify', 'contract.png', '--as', 'gif'], 2, 'InvalidOption'],
    ] as const) {
      const { exit, value } = await place.json(args)
      expect({ args, exit, code: value.error?.code }).toEqual({ args, exit: status, code })
    }
  })
})

describe('bad input', () => {
  const cases: [string, Uint8Array, number, string, number, string][] = [
    // Name, bytes; exit status and code of `sign`, then of `verify`.
    ['0 bytes', bytesOf(''), 4, 'NotJson', 4, 'MissingSignature'],
    ['UTF-16', Buffer.from('\ufeffpay 100\n', 'utf16le'), 1, 'NotText', 1, 'NotText'],
    ['JSON in UTF-16', Buffer.from('{"a":1}', 'utf16le'), 1, 'NotJson', 1, 'NotJson'],
    ['a NUL', bytesOf('pay\u0000100\n'), 1, 'NotText', 1, 'NotText'],
    ['no image and no text', Buffer.from('GIF89a\u0001\u0000\u00ff\u00fe', 'latin1'), 1, 'NotText', 1, 'NotText'],
    ['half an image', image('photo.jpg').subarray(0, 200), 4, 'Unsupported', 1, 'MissingSignature'],
    ['the beginning of an image', image('rgb.png').subarray(0, 12), 4, 'Unsupported', 1, 'MissingSignature'],
    ['a marker line', bytesOf('a\n-----BEGIN SX SIGNATURE-----\nb\n'), 1, 'MarkerCollision', 1, 'MalformedText'],
    ['an end marker', bytesOf('{"a":1}\n-----END SX SIGNATURE-----\n'), 1, 'MarkerCollision', 1, 'MalformedText'],
    ['unsigned text', bytesOf('pay 100\n'), 0, '', 1, 'MissingSignature'],
    ['a BOM', bytesOf('\ufeffpay 100\n'), 0, '', 1, 'MissingSignature'],
  ]

  it.each(cases)('%s', async (_, bytes, signStatus, signCode, verifyStatus, verifyCode) => {
    writeFileSync(place.at('bad.json'), bytes)
    const verified = await place.json(['verify', 'bad.json'])
    expect([verified.exit, verified.value.error?.code]).toEqual([verifyStatus, verifyCode])
    const target = (await kindIn(bytes)) === 'image' ? ['-o', 'bad.out'] : []
    const { exit, value } = await place.json(['sign', 'bad.json', ...target])
    expect([exit, value.error?.code ?? '']).toEqual([signStatus, signCode])
    expect(existsSync(place.at('bad.out'))).toBe(false)
    const after = readFileSync(place.at('bad.json'))
    expect(after.subarray(0, bytes.length).equals(bytes)).toBe(true)
    // What was refused is as it was; what was signed is valid.
    expect(after.length > bytes.length).toBe(signStatus === 0)
    expect((await place.sx(['verify', 'bad.json'])).exit).toBe(signStatus === 0 ? 0 : verifyStatus)
  })

  it('is said before anybody is asked for a password', async () => {
    mkdirSync(place.at('folder'))
    writeFileSync(place.at('nul.txt'), 'a\u0000')
    writeFileSync(place.at('half.png'), image('rgb.png').subarray(0, 60))
    writeFileSync(place.at('plain.txt'), 'plain\n')
    for (const [args, status, code] of [
      [['nul.txt'], 1, 'NotText'],
      [['half.png', '-o', 'x.png'], 4, 'Unsupported'],
      [['folder'], 4, 'NotFound'],
      [['photo.jpg'], 2, 'InvalidOption'],
      [['photo.jpg', '-o', '-', '--json'], 2, 'InvalidOption'],
      [['photo.jpg', '-o', 'photo.jpg'], 2, 'AlreadyExists'],
      [['signed.json', '--refuse-overwrite', '-o', 'x.jpg'], 2, 'AlreadySigned'],
      [['plain.txt', '--robust'], 2, 'InvalidOption'],
      [['--as', 'json', '--ignore-c2pa', 'plain.txt'], 2, 'InvalidOption'],
    ] as const) {
      const { exit, value } = await place.json(['sign', ...args], { env: { SX_PRIVATE_KEY_PASSWORD: undefined } })
      expect({ args, exit, code: value.error?.code }).toEqual({ args, exit: status, code })
    }
  })
})
