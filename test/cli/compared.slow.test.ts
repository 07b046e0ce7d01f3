// `sx verify` of a document with the files that are attached to it, and `sx sign --detach`.
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { type Answer, placing, program, type Run } from './run.ts'

const place = placing()
const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse battery staple' })
const stranger = place({ SX_PRIVATE_KEY_PASSWORD: 'another horse battery staple' })
const verify = async (...files: string[]): Promise<Run> => await here.sx(['verify', ...files])
const answers = async (...files: string[]): Promise<Answer[]> =>
  JSON.parse((await here.sx(['--json', 'verify', ...files])).stdout) as Answer[]

beforeAll(async () => {
  await here.quickstart('Studio')
  await stranger.quickstart('Stranger')
  writeFileSync(here.at('film.tar.gz'), Uint8Array.of(0x1f, 0x8b, 0xff, 0))
  writeFileSync(here.at('note.txt'), 'Hi.\n')
  writeFileSync(here.at('other.bin'), Uint8Array.of(0xff))
  await here.done(['sign', '--detach', 'film.tar.gz', '-o', 'film.json'])
  await here.done(['sign', '--file', 'note.txt', '-o', 'note.json'])
  const film = readFileSync(here.at('film.json'), 'utf8')
  writeFileSync(here.at('bad.json'), film.replace('film.tar.gz', 'filn.tar.gz'))
  for (const name of ['film.json', 'film.tar.gz']) writeFileSync(stranger.at(name), readFileSync(here.at(name)))
})

it('sign --detach is sign --file', async () => {
  expect(JSON.parse(readFileSync(here.at('film.json'), 'utf8'))).toMatchObject({
    sxType: 'file',
    sxFiles: [{ filename: 'film.tar.gz', embedded: false }],
  })
  const both = await here.sx(['sign', '--detach', 'film.tar.gz', '--file', 'film.tar.gz'])
  expect(both).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--file and --detach are the same option') as string,
  })
})

it('verify of the document alone says that nothing was compared', async () => {
  const { exit, stdout } = await verify('film.json')
  expect(exit).toBe(0)
  expect(stdout).toMatch(/attached +film\.tar\.gz {2}4 bytes {2}application\/gzip {2}by its hash {2}not compared\n/)
  expect(await here.done(['--quiet', 'verify', 'film.json'])).toContain('; not compared: film.tar.gz\n')
  const { value } = await here.json(['verify', 'film.json'])
  expect(value).toMatchObject({ ok: true, attachments: [{ filename: 'film.tar.gz', comparedWith: null }] })
  const embedded = await here.done(['sign', '--file', 'note.txt', '--embed', '--no-save'])
  expect(await here.done(['verify'], { input: embedded })).not.toContain('not compared')
})

it('a file alone that is no text is told of the document that it may be attached to', async () => {
  const { exit, stdout } = await verify('film.tar.gz')
  expect(exit).toBe(1)
  expect(stdout).toContain('document that it is attached to, pass both: `sx verify <document> <file>`.')
})

it('verify-file says of the one that it was compared', async () => {
  expect(await here.done(['verify-file', 'film.json', 'film.tar.gz'])).not.toContain('not compared')
  const { value } = await here.json(['verify-file', 'film.json', 'film.tar.gz'])
  expect(value).toMatchObject({ document: { attachments: [{ comparedWith: 'film.tar.gz' }] } })
})

it('verify compares the file, in any order and under another name', async () => {
  renameSync(here.at('film.tar.gz'), here.at('download (1).tgz'))
  for (const files of [
    ['film.json', 'download (1).tgz'],
    ['download (1).tgz', 'film.json'],
  ]) {
    const { exit, stdout } = await verify(...files)
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: expect.stringMatching(
        /ATTACHED, unchanged +download \(1\)\.tgz {2}attached to: film\.json {2}as: film\.tar\.gz\n/,
      ) as string,
    })
    expect(stdout).not.toContain('not compared')
  }
  renameSync(here.at('download (1).tgz'), here.at('film.tar.gz'))
  expect(await answers('film.json', 'film.tar.gz')).toMatchObject([
    { ok: true, valid: true, attachments: [{ comparedWith: 'film.tar.gz' }] },
    { ok: true, file: 'film.tar.gz', valid: true, comparison: { document: 'film.json', attachment: { size: 4 } } },
  ])
  const piped = await here.sx(['verify', '-', 'film.tar.gz'], { input: readFileSync(here.at('film.json')) })
  expect(piped).toMatchObject({ exit: 0, stdout: expect.stringContaining('attached to: -') as string })
})

it('verify compares standard input and pipes, which have no name', async () => {
  const [film, note] = ['film.tar.gz', 'note.txt'].map((name) => readFileSync(here.at(name)))
  const piped = (input: Uint8Array | undefined, ...documents: string[]): Promise<Run> =>
    here.sx(['verify', ...documents, '-'], { input: input ?? '' })
  expect(await piped(film, 'film.json')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(
      /\nATTACHED, unchanged +- {2}attached to: film\.json {2}as: film\.tar\.gz\n/,
    ) as string,
  })
  expect(await piped(note, 'film.json', 'note.json')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/\nATTACHED, unchanged +- {2}attached to: note\.json {2}as: note\.txt\n/) as string,
  })
  expect(await piped(note, 'film.json')).toMatchObject({
    exit: 1,
    stdout: expect.stringMatching(/\nNOT THE SIGNED FILE +- .*FileMismatch: /) as string,
  })
  expect(await piped(Uint8Array.of(0xff), 'film.json', 'note.json')).toMatchObject({
    exit: 1,
    stdout: expect.stringMatching(
      /\nNOT ATTACHED +- .*FileMismatch: .* pass a file with the name of that attachment\.\n/,
    ) as string,
  })
  // What is signed itself need not be the attachment.
  const signed = await here.done(['sign'], { input: 'Free.\n' })
  expect(await piped(Buffer.from(signed), 'film.json')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/\nVALID, signed by a trusted agent +- /) as string,
  })
  expect(await piped(new Uint8Array(33_554_433).fill(0xff), 'film.json')).toMatchObject({
    exit: 4,
    stdout: expect.stringMatching(/\nNOT COMPARED +- {2}LimitExceeded: .* pass the file\.\n/) as string,
  })
  const line = '"$0" "$1" verify film.json <(cat film.tar.gz)'
  const options = { cwd: here.path, env: here.env(), encoding: 'utf8' } as const
  expect(execFileSync('bash', ['-c', line, process.execPath, program], options)).toContain('\nATTACHED, unchanged ')
})

it('another file is 1, and is named', async () => {
  const none = await verify('film.json', 'other.bin')
  expect(none.exit).toBe(1)
  expect(none.stdout).toMatch(/^VALID, .* not compared: film\.tar\.gz\nNOT ATTACHED +other\.bin .*FileMismatch: /)
  const film = readFileSync(here.at('film.tar.gz'))
  writeFileSync(here.at('film.tar.gz'), 'changed')
  const changed = await verify('film.json', 'film.tar.gz')
  expect(changed).toMatchObject({
    exit: 1,
    stdout: expect.stringMatching(/\nNOT THE SIGNED FILE +film\.tar\.gz .*FileMismatch: /) as string,
  })
  const [, answer] = await answers('film.json', 'film.tar.gz')
  expect(answer).toMatchObject({ ok: false, valid: false, code: 'FileMismatch', error: { code: 'FileMismatch' } })
  writeFileSync(here.at('film.tar.gz'), film)
})

it('finds the right one of several documents', async () => {
  const found = await answers('note.json', 'film.json', 'note.txt', 'film.tar.gz')
  expect(found.map(({ ok }) => ok)).toEqual([true, true, true, true])
  expect(found[2]).toMatchObject({ comparison: { document: 'note.json' } })
  expect(found[3]).toMatchObject({ comparison: { document: 'film.json' } })
})

it('compares a file with each document that it is attached to', async () => {
  await here.done(['sign', '--detach', 'film.tar.gz', '-o', 'again.json'])
  const { exit, stdout } = await verify('film.json', 'again.json', 'film.tar.gz')
  expect(exit).toBe(0)
  expect(stdout).not.toContain('not compared')
  expect(await answers('film.json', 'film.tar.gz', 'again.json')).toMatchObject([
    { attachments: [{ comparedWith: 'film.tar.gz' }] },
    { valid: true, comparison: { document: 'film.json' } },
    { attachments: [{ comparedWith: 'film.tar.gz' }] },
  ])
})

it('a file with a signature of its own keeps its verdict, and says what it is attached to', async () => {
  writeFileSync(here.at('signed.txt'), 'Signed.\n')
  await here.done(['sign', 'signed.txt'])
  await here.done(['sign', '--file', 'signed.txt', '-o', 'signed.json'])
  const { exit, stdout } = await verify('signed.json', 'signed.txt')
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: expect.stringMatching(
      /\nVALID, signed by a trusted agent {2}signed\.txt .* attached to: signed\.json /,
    ) as string,
  })
  const free = await answers('film.json', 'signed.txt')
  expect(free).toMatchObject([{ ok: true }, { ok: true, kind: 'text' }])
  expect(free[1]).not.toHaveProperty('comparison')
  // Another signed text in the place of the one that was attached.
  writeFileSync(here.at('signed.txt'), 'Changed.\n')
  await here.done(['sign', 'signed.txt'])
  expect(await answers('signed.json', 'signed.txt')).toMatchObject([
    { ok: true },
    { ok: false, valid: false, code: 'FileMismatch' },
  ])
})

it('a document that is not valid, unknown or not trusted decides the status', async () => {
  const bad = await verify('bad.json', 'film.tar.gz')
  expect(bad).toMatchObject({ exit: 1, stdout: expect.stringMatching(/\nNOT COMPARED +film\.tar\.gz /) as string })
  const unknown = await stranger.json(['verify', 'film.json', 'film.tar.gz'])
  expect(unknown).toMatchObject({ exit: 4, value: [{ code: 'UnknownSigner' }, { code: 'UnknownSigner' }] })
  const untrusted = await stranger.sx(['verify', 'film.json', 'film.tar.gz', '--key-directory', here.at('sx_keys')])
  expect(untrusted).toMatchObject({
    exit: 3,
    stdout: expect.stringMatching(/\nATTACHED, but the signer is NOT TRUSTED +film\.tar\.gz /) as string,
  })
  const pinned = ['--key', here.at('sx_keys', 'sx.public.pem')]
  expect((await stranger.sx(['verify', 'film.json', 'film.tar.gz', ...pinned])).exit).toBe(0)
})

it('without attachments a file without a signature is what it was', async () => {
  await here.done(['sign', '-o', 'plain.json'], { input: '1' })
  const { exit, stdout } = await verify('plain.json', 'note.txt')
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: expect.stringMatching(/\nNO SIGNATURE +note\.txt /) as string })
  expect((await verify('film.json', 'missing.tar.gz')).exit).toBe(4)
  expect((await verify('film.json', 'film.tar.gz', '--strict')).exit).toBe(0)
})

it('a file larger than any text is compared', async () => {
  writeFileSync(here.at('large.bin'), new Uint8Array(33_554_433).fill(0xff))
  await here.done(['sign', '--file', 'large.bin', '-o', 'large.json'])
  expect((await verify('large.json', 'large.bin')).exit).toBe(0)
})

it('a file with the name of an attachment is compared with it, however the name is composed', async () => {
  const [decomposed, composed] = ['cafe\u0301.txt', 'caf\u00e9.txt']
  writeFileSync(here.at(decomposed), 'Hi.\n')
  await here.done(['sign', '--file', decomposed, '-o', 'cafe.json'])
  writeFileSync(here.at('signed.txt'), 'Something else.\n')
  await here.done(['sign', 'signed.txt', '-o', composed])
  const { exit, stdout } = await verify('cafe.json', composed)
  expect({ exit, stdout }).toMatchObject({ exit: 1, stdout: expect.stringContaining('NOT THE SIGNED FILE') as string })
})
