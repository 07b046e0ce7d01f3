// `sx sign --file` and `sx verify-file`.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Place } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse battery staple' })
const stranger = new Place({ SX_PRIVATE_KEY_PASSWORD: 'another horse battery staple' })
beforeAll(async () => {
  await place.quickstart('Studio')
  await stranger.quickstart('Stranger')
})
afterAll(() => {
  place.remove()
  stranger.remove()
})

const file = place.at('film.mp4')
const signed = place.at('film.json')
beforeEach(async () => {
  writeFileSync(file, 'a film')
  await place.done(['sign', '--file', 'film.mp4', '-o', 'film.json', '--force'])
})

it('signs a file, and compares it', async () => {
  expect(JSON.parse(readFileSync(signed, 'utf8'))).toMatchObject({ sxType: 'file', sxFiles: [{ embedded: false }] })
  expect(readFileSync(file, 'utf8')).toBe('a film')
  const same = await place.sx(['verify-file', 'film.json', 'film.mp4'])
  expect(same).toMatchObject({ exit: 0, stderr: '' })
  expect(same.stdout).toMatch(/^UNCHANGED: .*VALID, signed by a trusted agent/)
  const { value } = await place.json(['verify-file', 'film.json', 'film.mp4'])
  expect(value).toMatchObject({
    ok: true,
    valid: true,
    attachment: { filename: 'film.mp4' },
    document: { trusted: true },
  })

  writeFileSync(file, 'another')
  const other = await place.sx(['verify-file', 'film.json', 'film.mp4'])
  expect(other.exit).toBe(1)
  expect(other.stdout).toMatch(/^NOT THE SIGNED FILE\n/)
  expect(await place.json(['verify-file', 'film.json', 'film.mp4'])).toMatchObject({
    exit: 1,
    value: { ok: false, valid: false, code: 'FileMismatch' },
  })
  expect((await place.sx(['--quiet', 'verify-file', 'film.json', 'film.mp4'])).stdout.split('\n')).toHaveLength(2)
})

it('has the exit status of what it finds', async () => {
  const exit = async (...args: string[]): Promise<number | null> => (await place.sx(['verify-file', ...args])).exit
  writeFileSync(place.at('bad.json'), readFileSync(signed, 'utf8').replace('film.mp4', 'filn.mp4'))
  await place.done(['sign', '-o', 'none.json', '--force'], { input: '1' })
  expect(await exit('bad.json', 'film.mp4')).toBe(1)
  expect(await exit('none.json', 'film.mp4')).toBe(4)
  expect(await exit('film.json', 'film.mp4', '--name', 'other.mp4')).toBe(4)
  expect(await exit('film.json', 'film.mp4', '--name', 'film.mp4')).toBe(0)
  expect(await exit('film.json', 'missing.mp4')).toBe(4)
  expect(await exit('film.json', '.')).toBe(4)
  expect(await exit('missing.json', 'film.mp4')).toBe(4)
  expect(await exit('film.json')).toBe(2)
  expect(await exit('film.json', '-')).toBe(2)
  expect(await exit('film.json', 'film.mp4', '--name', '')).toBe(2)
  expect((await stranger.sx(['verify-file', signed, file])).exit).toBe(4)
  expect((await stranger.sx(['verify-file', signed, file, '--key', place.at('sx_keys', 'sx.public.pem')])).exit).toBe(0)
  expect((await stranger.sx(['verify-file', signed, file, '--key-directory', place.at('sx_keys')])).exit).toBe(3)
  expect((await place.sx(['verify-file', '-', 'film.mp4'], { input: readFileSync(signed) })).exit).toBe(0)
})

it('embeds on demand, and shows what is attached, escaped', async () => {
  writeFileSync(place.at('a\u202eb.txt'), 'x')
  const raw = await place.done(['sign', '--file', 'a\u202eb.txt', '--embed', '--no-save'])
  expect(JSON.parse(raw)).toMatchObject({ sxFiles: [{ filename: 'ab.txt', embedded: true, contents: 'eA==' }] })
  const { value } = await place.json(['verify'], { input: raw })
  expect(value['attachments']).toEqual([expect.not.objectContaining({ content: expect.anything() })])
  expect(await place.done(['verify'], { input: raw })).toContain('ab.txt  1 bytes  text/plain  embedded')
})

it('refuses what does not go together', async () => {
  for (const args of [
    ['--embed'],
    ['film.json', '--file', 'film.mp4'],
    ['--file', 'film.mp4', '--robust'],
    ['--file', 'film.mp4', '--as', 'text'],
  ]) {
    expect({ args, ...(await place.sx(['sign', ...args], { input: '1' })) }).toMatchObject({ args, exit: 2 })
  }
  for (const missing of ['missing.mp4', '.', '']) {
    expect({ missing, ...(await place.sx(['sign', '--file', missing])) }).toMatchObject({ missing, exit: 4 })
  }
  execFileSync('mkfifo', [place.at('pipe')])
  expect((await place.sx(['sign', '--file', 'pipe'])).exit).toBe(4)
  expect((await place.sx(['verify-file', 'film.json', 'pipe'])).exit).toBe(4)
})

it('says which argument is which, where the first one is no document', async () => {
  const order = 'The first argument is the signed document, the second the file.'
  writeFileSync(place.at('raw.mp4'), Uint8Array.of(0xff, 0xfe, 0xfd))
  writeFileSync(place.at('note.txt'), 'Hi.\n')
  writeFileSync(place.at('data.json'), '{}')
  await place.done(['sign', '--file', 'note.txt', '-o', 'note.json'])
  const cases = { 'raw.mp4': 'NotJson', 'note.txt': 'NotJson', 'data.json': 'MissingSignature' }
  for (const [file, code] of Object.entries(cases)) {
    const { exit, value } = await place.json(['verify-file', file, 'note.json'])
    expect([file, exit, value.error?.code]).toEqual([file, 1, code])
    expect(value.error?.message).toContain(order)
  }
  const unlike = await place.json(['verify-file', 'note.json', 'raw.mp4'])
  expect(unlike).toMatchObject({ exit: 1, value: { error: { code: 'FileMismatch' } } })
  expect(unlike.value.error?.message).not.toContain(order)
})

it('sign names --file for what it cannot sign by itself', async () => {
  for (const [file, bytes, code] of [
    ['raw.mp4', Uint8Array.of(0xff, 0xfe, 0xfd), 'NotText'],
    ['large.mp4', new Uint8Array(33_554_433).fill(0xff), 'LimitExceeded'],
  ] as const) {
    writeFileSync(place.at(file), bytes)
    const { value } = await place.json(['sign', file])
    expect(value.error?.code).toBe(code)
    expect(value.error?.message).toContain('To sign a file of any kind and size, pass --file.')
  }
})
