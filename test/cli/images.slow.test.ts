// Images: signed, verified, stripped, measured; through files and pipes.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Place, program } from './run.ts'

const data = fileURLToPath(new URL('../../wasm/media/tests/data/', import.meta.url))
const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const other = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const names = ['rgb.png', 'texture.jpg', 'xmp.webp'] as const
const image = (name: string): Buffer => readFileSync(`${data}${name}`)
const read = (name: string): Buffer => readFileSync(place.at(name))
let agentId: string

beforeAll(async () => {
  agentId = await place.quickstart('Camera')
  await other.quickstart('Reader')
  writeFileSync(other.at('camera.pem'), await place.done(['agent', 'export', '--public-key']))
  for (const name of [...names, 'photo.jpg']) writeFileSync(place.at(name), image(name))
  for (const name of names) await place.done(['sign', name, '-o', `signed-${name}`])
  await place.done(['sign', 'texture.jpg', '--robust', '-o', 'robust.jpg'])
})
afterAll(() => {
  place.remove()
  other.remove()
})

describe.each(names)('%s', (name) => {
  it('is signed, verified, and stripped to the same bytes', async () => {
    expect(read(name).equals(image(name))).toBe(true)
    const { exit, stdout } = await place.sx(['verify', `signed-${name}`])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^VALID, signed by a trusted agent\n {2}key id /)
    expect(stdout).toMatch(new RegExp(`^  signer +${agentId}  valid, trusted$`, 'm'))
    expect(stdout).toMatch(/^ {2}coverage +file: every byte$/m)
    const { value } = await place.json(['verify', `signed-${name}`])
    expect(value).toMatchObject({ ok: true, kind: 'image', status: 'valid', coverage: 'file', trusted: true })
    await place.done(['strip', `signed-${name}`, '-o', `stripped-${name}`])
    expect(read(`stripped-${name}`).equals(image(name))).toBe(true)
  })

  it('comes and goes by pipes, byte for byte', () => {
    const line = `"$0" "$1" sign < ${name} | "$0" "$1" strip - | cmp - ${name}`
    const run = spawnSync('sh', ['-ec', line, process.execPath, program], { cwd: place.path, env: place.env() })
    expect({ status: run.status, stdout: String(run.stdout) }).toEqual({ status: 0, stdout: '' })
  })

  it('does not replace a file that is read-only, with --force either', async () => {
    const kept = place.at(`kept-${name}`)
    writeFileSync(kept, 'kept')
    chmodSync(kept, 0o444)
    const { exit, stderr } = await place.sx(['sign', name, '-o', `kept-${name}`, '--force'])
    expect({ exit, says: stderr.includes('writable') }).toEqual({ exit: 4, says: true })
    expect(readFileSync(kept, 'utf8')).toBe('kept')
  })

  it('with a damaged signature is stripped only on demand, and that is said', async () => {
    const bytes = read(`signed-${name}`)
    const at = bytes.indexOf(name.endsWith('webp') ? 'sx:signature="' : 'sx-agent.signature')
    bytes[at + 20] = 0x20
    writeFileSync(place.at(`damaged-${name}`), bytes)
    const refused = await place.sx(['strip', `damaged-${name}`, '-o', `clean-${name}`])
    expect(refused.exit).toBe(1)
    expect(refused.stderr).toMatch(/^sx: BadSignature: .*\. Pass --damaged to remove the damaged signature\.$/m)
    await place.done(['strip', `damaged-${name}`, '--damaged', '-o', `clean-${name}`])
    expect((await place.sx(['verify', `clean-${name}`])).stdout).toMatch(/^NO SIGNATURE/)
  })

  it('that was changed ends with 1', async () => {
    const bytes = read(`signed-${name}`)
    const at = bytes.length - 20
    bytes[at] = (bytes[at] ?? 0) ^ 1
    const { exit, value } = await place.json(['verify'], { input: bytes })
    expect({ exit, valid: value['valid'] }).toEqual({ exit: 1, valid: false })
    const { stdout } = await place.sx(['verify'], { input: bytes })
    expect(stdout).toMatch(/^NOT VALID\n/)
    expect(stdout).not.toContain('coverage')
    writeFileSync(place.at(`changed-${name}`), bytes)
    expect((await place.sx(['verify', `changed-${name}`, `changed-${name}`])).stdout).not.toContain('coverage')
  })
})

describe('verify', () => {
  it('finds the signature in the pixels when the metadata are gone', async () => {
    await place.done(['strip', 'robust.jpg', '-o', 'bare.jpg'])
    const { exit, stdout } = await place.sx(['verify', 'bare.jpg'])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^ {2}coverage +pixels: only the pixels;/m)
    expect((await place.sx(['verify', '--quiet', 'bare.jpg'])).stdout).toContain('; coverage: pixels\n')
  })

  it('says a line of documents, texts and images together, and ends with the worst', async () => {
    writeFileSync(place.at('a.md'), await place.done(['sign'], { input: '# a\n' }))
    writeFileSync(place.at('c.json'), await place.done(['sign'], { input: '{"c":1}' }))
    const good = await place.sx(['verify', 'a.md', 'signed-rgb.png', 'c.json'])
    expect(good.exit).toBe(0)
    expect(
      good.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)[1]),
    ).toEqual(['a.md', 'signed-rgb.png', 'c.json'])
    expect(good.stdout).toMatch(/ {2}signed-rgb\.png .* {2}coverage: file\n/)
    const { exit, stdout } = await place.sx(['verify', 'a.md', 'rgb.png', 'c.json', 'missing.png'])
    expect(exit).toBe(1)
    expect(stdout).toMatch(/^NO SIGNATURE +rgb\.png {2}MissingSignature: /m)
    expect(stdout).toMatch(/^COULD NOT BE CHECKED +missing\.png {2}NotFound: /m)
  })

  it('takes one key, or those of a folder', async () => {
    const input = read('signed-rgb.png')
    const verify = (...args: string[]) => other.sx(['verify', '-', ...args], { input })
    expect((await verify()).exit).toBe(4)
    const pinned = await verify('--key', 'camera.pem')
    expect(pinned.exit).toBe(0)
    expect(pinned.stdout).toMatch(/^VALID, signed with the key that --key names\n/)
    mkdirSync(other.at('keys'))
    writeFileSync(other.at('keys', `${agentId}.public.pem`), readFileSync(other.at('camera.pem')))
    const known = await verify('--key-directory', 'keys')
    expect(known.exit).toBe(3)
    expect(known.stdout).toMatch(/^VALID, but the signer is NOT TRUSTED\n/)
    writeFileSync(other.at('own.pem'), await other.done(['agent', 'export', '--public-key']))
    expect((await verify('--key', 'own.pem')).exit).toBe(1)
    expect((await place.json(['verify', 'signed-rgb.png', '-o', 'x'])).value.error?.message).toContain('`sx strip`')
  })
})

describe('sign', () => {
  it('needs a file to write, which may be its own with --force', async () => {
    writeFileSync(place.at('own.png'), image('rgb.png'))
    expect((await place.sx(['sign', 'own.png'])).stderr).toContain('Pass the file to write with --output')
    expect((await place.sx(['sign', 'own.png', '-o', './own.png'])).exit).toBe(2)
    expect(read('own.png').equals(image('rgb.png'))).toBe(true)
    await place.done(['sign', 'own.png', '-o', './own.png', '--force'])
    expect((await place.sx(['verify', 'own.png'])).exit).toBe(0)
    await place.done(['strip', 'own.png', '-o', 'own.png', '--force'])
    expect(read('own.png').equals(image('rgb.png'))).toBe(true)
    expect((await place.sx(['strip', 'own.png', '-o', 'own.png', '--force'])).stderr).toMatch(/^There is no signature/)
  })

  it('refuses what it was told to refuse, and writes nothing then', async () => {
    for (const [args, status, code] of [
      [['signed-rgb.png', '--refuse-overwrite'], 2, 'AlreadySigned'],
      [['xmp.webp', '--robust'], 4, 'Unsupported'],
      [['photo.jpg', '--robust'], 4, 'Unsupported'],
    ] as const) {
      const { exit, value } = await place.json(['sign', ...args, '-o', 'refused'])
      expect({ args, exit, code: value.error?.code }).toEqual({ args, exit: status, code })
      expect(existsSync(place.at('refused'))).toBe(false)
    }
    await place.done(['sign', 'signed-rgb.png', '-o', 'again.png'])
    expect((await place.sx(['verify', 'again.png'])).exit).toBe(0)
  })

  it('says whose signature it replaces, as that one says', async () => {
    const row = (text: string) => /^ {2}replaced +(.*)$/m.exec(text)?.[1]
    for (const name of [...names.map((one) => `signed-${one}`), 'robust.jpg']) {
      writeFileSync(other.at('image'), read(name))
      const { exit, stderr } = await other.sx(['sign', 'image', '-o', `by-other-${name}`])
      expect({ name, exit, row: row(stderr) }).toEqual({ name, exit: 0, row: `a signature that named ${agentId}` })
      const inPlace = await other.json(['sign', 'image', '-o', 'image', '--force'])
      expect(inPlace.value).toMatchObject({ ok: true, replaced: { claimedSignerId: agentId } })
      expect(row((await other.sx(['sign', 'image', '-o', 'image', '--force'])).stderr)).toBeUndefined() // its own
    }
    expect(row((await place.sx(['sign', 'rgb.png', '-o', 'none.png'])).stderr)).toBeUndefined()
    // In the pixels alone it is replaced if these are signed, and stays otherwise.
    await place.done(['strip', 'robust.jpg', '-o', 'only-pixels.jpg'])
    writeFileSync(other.at('bare.jpg'), read('only-pixels.jpg'))
    expect(row((await other.sx(['sign', 'bare.jpg', '-o', 'plain.jpg'])).stderr)).toBeUndefined()
    const robust = await other.sx(['sign', 'bare.jpg', '--robust', '-o', 'again.jpg'])
    expect(row(robust.stderr)).toBe(`a signature that named ${agentId}`)
  })

  it('says what to do where the pixels cannot be signed', async () => {
    const message = async (...args: string[]) => (await place.json(args)).value.error?.message
    for (const name of ['xmp.webp', 'photo.jpg', 'palette.png']) {
      writeFileSync(place.at(name), image(name))
      expect(await message('sign', name, '--robust', '-o', 'refused')).toContain('Omit --robust')
      expect(await message('capacity', name)).toContain('Omit --robust')
      expect((await place.sx(['capacity', name])).stdout).toContain('Omit --robust')
    }
    const large = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    await large.done(['quickstart', '--name', 'Large', '--domain', 'example.com', '--algorithm', 'pq2025'])
    writeFileSync(large.at('texture.jpg'), image('texture.jpg'))
    const { stderr } = await large.sx(['sign', 'texture.jpg', '--robust', '-o', 'x.jpg'])
    large.remove()
    expect(stderr).toMatch(
      /use a larger image, or sign as an Ed25519 agent, whose signature needs about 3,200 bits\.\n$/,
    )
    expect(await message('sign', 'photo.jpg', '--robust', '-o', 'refused')).not.toContain('Ed25519')
  })

  it.runIf(process.platform === 'linux')('puts nothing where nothing can be written', async () => {
    mkdirSync(place.at('closed'))
    chmodSync(place.at('closed'), 0o555)
    for (const command of ['sign', 'strip']) {
      expect((await place.json([command, 'signed-rgb.png', '-o', '/dev/full'])).exit).toBe(2)
      const full = `"$0" "$1" ${command} - < signed-rgb.png > /dev/full`
      const run = spawnSync('sh', ['-c', full, process.execPath, program], { cwd: place.path, env: place.env() })
      expect(run.status).toBe(4)
      expect(String(run.stderr)).toContain('standard output cannot be written (ENOSPC)')
      // Files of half a kilobyte at most, as a disk that is full in the middle of one.
      const small = `ulimit -f 1; trap '' XFSZ; "$0" "$1" ${command} signed-texture.jpg -o small.jpg`
      const stopped = spawnSync('sh', ['-c', small, process.execPath, program], { cwd: place.path, env: place.env() })
      expect({ status: stopped.status, there: existsSync(place.at('small.jpg')) }).toEqual({ status: 4, there: false })
      if (process.getuid?.() === 0) continue // who may write everywhere
      const { exit, value } = await place.json([command, 'signed-rgb.png', '-o', 'closed/x.png'])
      expect({ exit, code: value.error?.code }).toEqual({ exit: 4, code: 'StorageUnavailable' })
    }
  })

  it.runIf(process.platform === 'linux')('puts no image onto a terminal', async () => {
    for (const command of ['sign', 'strip']) {
      const { exit, stdout } = await place.terminal([command, 'signed-rgb.png', '-o', '-'], '')
      expect(exit).toBe(2)
      expect(stdout).toContain('An image is not written to a terminal')
    }
  })
})

describe('extract', () => {
  it('prints what the image carries, and says that it is not verified', async () => {
    const { exit, stdout, stderr } = await place.sx(['extract', 'signed-rgb.png'])
    expect(exit).toBe(0)
    const document: unknown = JSON.parse(stdout)
    expect(document).toMatchObject({ sxType: 'sx-image', sxSignature: { agentID: agentId } })
    expect(stderr).toBe('NOT VERIFIED: anyone can write this\n')
    const raw = await place.done(['extract', '--raw', '-'], { input: read('signed-rgb.png') })
    expect(JSON.parse(Buffer.from(raw.trim(), 'base64url').toString())).toEqual(document)
    expect((await place.json(['extract', 'signed-rgb.png'])).value).toEqual({ ok: true, verified: false, document })
    expect((await place.json(['extract', 'signed-rgb.png', '--raw'])).value['payload']).toBe(raw.trim())
    await place.done(['extract', 'signed-rgb.png', '-o', 'extracted.json'])
    expect(JSON.parse(read('extracted.json').toString())).toEqual(document)
  })
})

describe('capacity', () => {
  it('says whether there is room, and ends with 4 if there is not', async () => {
    const { exit, stdout } = await place.sx(['capacity', 'texture.jpg'])
    expect(exit).toBe(0)
    expect(stdout).toMatch(
      /^There is room for a signature in the pixels\n {2}needed bits +\d+\n {2}available bits +\d+\n$/,
    )
    for (const name of ['photo.jpg', 'xmp.webp']) {
      const none = await place.json(['capacity', name])
      expect(none).toMatchObject({ exit: 4, value: { ok: false, supported: false, error: { code: 'Unsupported' } } })
      expect((await place.sx(['capacity', name])).stdout).toMatch(/^NO ROOM for a signature in the pixels\n/)
    }
  })
})

describe('what is no whole image, or carries nothing', () => {
  const files = { 'text.png': Buffer.from('pay 100\n'), 'half.png': image('rgb.png').subarray(0, 60), 'empty.png': '' }
  beforeAll(() => {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(place.at(name), bytes)
  })

  it.each([
    // Of `extract`, `strip` and `capacity`. What is left of half an image carries nothing, and stays as it is.
    ['text.png', [4, 4, 4], 'Unsupported'],
    ['empty.png', [4, 4, 4], 'Unsupported'],
    ['half.png', [1, 0, 4], 'MissingSignature'],
    ['rgb.png', [1, 0, 4], 'MissingSignature'],
    ['sx_data', [4, 4, 4], 'NotFound'],
    ['missing.png', [4, 4, 4], 'NotFound'],
  ])('%s: %j', async (name, statuses, code) => {
    const extracted = await place.json(['extract', name])
    const stripped = await place.sx(['strip', name, '-o', `out-${name}`])
    const measured = await place.json(['capacity', name])
    expect([extracted.exit, stripped.exit, measured.exit]).toEqual(statuses)
    expect(extracted.value.error?.code).toBe(code)
    expect(existsSync(place.at(`out-${name}`))).toBe(stripped.exit === 0)
  })

  it('is said with the command that fits', async () => {
    writeFileSync(place.at('x.gif'), Buffer.from('GIF89a\u0001\u0000', 'latin1'))
    for (const [args, advice] of [
      [['extract', 'text.png'], '`sx verify`'],
      [['strip', 'text.png', '-o', 'x'], '`sx verify <text> -o <file>`'],
      [['capacity', 'x.gif'], 'Only the pixels of a PNG or JPEG'],
    ] as const) {
      const { exit, stdout, stderr } = await place.sx(args)
      expect({ args, exit, stdout }).toEqual({ args, exit: 4, stdout: '' })
      expect(stderr).toMatch(/^sx: Unsupported: The input is not a PNG, JPEG or WebP image\. /)
      expect(stderr).toContain(advice)
    }
    const { stdout } = await place.sx(['verify', 'rgb.png'])
    expect(stdout).toContain('MissingSignature: The image has no signature. Ask the sender for the signed file.')
  })

  it('stays as it is', async () => {
    for (const name of ['half.png', 'rgb.png']) {
      await place.done(['strip', name, '-o', `same-${name}`])
      expect(read(`same-${name}`).equals(read(name))).toBe(true)
    }
  })
})
