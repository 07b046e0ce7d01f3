// Texts: signed in place, elsewhere and through pipes; what is said of their signers.
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Place } from './run.ts'

const alice = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const bob = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const nobody = new Place()
const contract = '# Contract\n\nAlice pays 100.\n'
let aliceId: string
let bobId: string
let both: string

beforeAll(async () => {
  aliceId = await alice.quickstart('Alice')
  bobId = await bob.quickstart('Bob')
  await bob.done(['trust', 'add'], { input: await alice.done(['agent', 'export']) })
  writeFileSync(nobody.at('alice.pem'), await alice.done(['agent', 'export', '--public-key']))
  both = await bob.done(['sign'], { input: await alice.done(['sign'], { input: contract }) })
})
afterAll(() => {
  for (const place of [alice, bob, nobody]) place.remove()
})

describe('sign', () => {
  it('changes the file, which keeps its permissions', async () => {
    writeFileSync(alice.at('contract.md'), contract)
    chmodSync(alice.at('contract.md'), 0o640)
    const { exit, stdout, stderr } = await alice.sx(['sign', 'contract.md'])
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^Signed\n  signer +${aliceId}\n  name +Alice\n  written to +contract.md\n$`))
    expect(readFileSync(alice.at('contract.md'), 'utf8').startsWith(contract)).toBe(true)
    expect(statSync(alice.at('contract.md')).mode & 0o777).toBe(0o640)
    const again = await alice.json(['sign', 'contract.md'])
    expect(again.value).toEqual({ ok: true, kind: 'text', agentId: aliceId, output: 'contract.md' })
    expect((await alice.json(['verify', 'contract.md'])).value['signers']).toHaveLength(1)
  })

  it.each([
    ['prices.csv', 'a,b\n', true],
    ['A.YAML', 'a: 1\n', true],
    ['page.html', '<p>a</p>\n', true],
    ['doc.json', '{"a":1}\n', true],
    ['run.sh', 'echo a\n', true],
    ['exits.sh', 'echo a\nexit 0\n', false],
    ['late.sh', 'exit 0\necho a\n', true],
    ['end.pl', 'print 1;\n__END__\n', false],
    ['letter.txt', 'a\n', false],
    ['README', 'a\n', false],
  ])('warns in one line of what those who read %s make of it', async (name, text, warns) => {
    for (const round of ['unsigned', 'signed']) {
      if (round === 'unsigned') writeFileSync(alice.at(name), text)
      const { exit, stdout, stderr } = await alice.sx(['sign', name, '--as', 'text'])
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
      const lines = stderr.split('\n').filter((line) => line.startsWith('sx: '))
      const warning = /fail on the signature .*`sx verify <file> -o <other>`/
      expect({ round, warned: lines.map((line) => warning.test(line)) }).toEqual({ round, warned: warns ? [true] : [] })
    }
  })

  it('does not warn of a copy, nor with --quiet', async () => {
    writeFileSync(alice.at('rates.csv'), 'a,b\n')
    expect((await alice.sx(['sign', 'rates.csv', '--as', 'text', '-o', 'copy.csv'])).stderr).not.toContain('sx: ')
    expect((await alice.sx(['sign', 'rates.csv', '--as', 'text', '--quiet'])).stderr).toBe('')
    expect((await alice.sx(['sign', 'rates.csv', '--quiet'])).stderr).toBe('')
    expect(await alice.done(['verify', 'rates.csv', '-o', '-'])).toBe('a,b\n')
  })

  it('writes another file for --output, and bytes to standard output, as they are', async () => {
    writeFileSync(alice.at('plain.md'), contract)
    await alice.done(['sign', 'plain.md', '-o', 'other.md'])
    expect(readFileSync(alice.at('plain.md'), 'utf8')).toBe(contract)
    expect((await alice.sx(['verify', 'other.md'])).exit).toBe(0)
    expect((await alice.json(['sign', 'plain.md', '-o', 'other.md'])).value.error?.code).toBe('AlreadyExists')
    expect((await alice.json(['sign', 'plain.md', '-o', 'plain.md'])).value.error?.code).toBe('AlreadyExists')
    expect(readFileSync(alice.at('plain.md'), 'utf8')).toBe(contract)
    for (const args of [['sign', 'plain.md', '-o', '-'], ['sign']]) {
      const stdout = await alice.done(args, { input: contract })
      expect(stdout.startsWith(contract)).toBe(true)
      expect(stdout).toMatch(/\n-----END SX SIGNATURE-----\n$/)
      expect((await alice.sx(['verify', '-'], { input: stdout })).exit).toBe(0)
    }
    expect(readFileSync(alice.at('plain.md'), 'utf8')).toBe(contract)
    const { value } = await alice.json(['sign', '-'], { input: contract })
    expect((await alice.sx(['verify'], { input: String(value['raw']) })).exit).toBe(0)
    await alice.done(['sign', 'plain.md', '-o', 'plain.md', '--force'])
    expect((await alice.sx(['verify', 'plain.md'])).exit).toBe(0)
  })

  it('follows no link, and leaves alone what may not be written', async () => {
    writeFileSync(alice.at('target.md'), contract)
    symlinkSync('target.md', alice.at('link.md'))
    expect(await alice.json(['sign', 'link.md'])).toMatchObject({ exit: 4, value: { error: { code: 'LinkRefused' } } })
    chmodSync(alice.at('target.md'), 0o444)
    const { exit, value } = await alice.json(['sign', 'target.md'])
    expect({ exit, code: value.error?.code }).toEqual({ exit: 4, code: 'StorageUnavailable' })
    expect(readFileSync(alice.at('target.md'), 'utf8')).toBe(contract)
  })
})

describe('verify', () => {
  it('says of each signer on a line whether its signature counts', async () => {
    const { exit, stdout } = await bob.sx(['verify'], { input: both })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^VALID, signed by 2 trusted agents\n/)
    expect(stdout.match(/^ {2}signer {2,}.*$/gm)?.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['signer', aliceId, 'valid, trusted'],
      ['signer', bobId, 'valid, trusted'],
    ])
    const known = await alice.sx(['verify'], { input: both })
    expect(known.exit).toBe(4)
    expect(known.stdout).toMatch(/^COULD NOT BE CHECKED\n/)
    expect(known.stdout).toMatch(new RegExp(`^  signer +${aliceId}  valid, trusted$`, 'm'))
    expect(known.stdout).toMatch(new RegExp(`^  claimed signer +${bobId}  COULD NOT BE CHECKED$`, 'm'))
    expect(known.stdout.match(/UnknownSigner/g)).toHaveLength(1)
    const { value } = await alice.json(['verify'], { input: both })
    expect(value).toMatchObject({
      ok: false,
      kind: 'text',
      status: 'signed',
      valid: false,
      length: 0,
      signers: [
        { signerId: aliceId, status: 'valid', trusted: true },
        { signerId: bobId, status: 'unknown_key' },
      ],
      trustStore: { agentId: aliceId },
    })
  })

  it.each([
    ['changed', (text: string) => text.replace('100', '900'), 'HashMismatch'],
    ['converted', (text: string) => text.replaceAll('\n', '\r\n'), 'LineEndingsChanged'],
    ['tidied', (text: string) => text.replace('# Contract\n', '# Contract \n'), 'TrailingWhitespace'],
    ['added to', (text: string) => `${text}pay 9999\n`, 'MalformedText'],
    ['cut', (text: string) => text.slice(0, -40), 'TruncatedBlock'],
    ['without its signatures', (text: string) => text.slice(0, contract.length), 'MissingSignature'],
  ])('of a text that was %s ends with 1', async (_, change, code) => {
    const { exit, value } = await bob.json(['verify'], { input: change(both) })
    expect({ exit, code: value.error?.code }).toMatchObject({ exit: 1 })
    const { stdout } = await bob.sx(['verify'], { input: change(both) })
    expect(stdout).toMatch(code === 'MissingSignature' ? /^NO SIGNATURE\n/ : /^NOT VALID\n/)
    expect(stdout).toContain(code)
  })

  it('takes keys from a folder, and ends with 3 where not all signers are trusted', async () => {
    mkdirSync(nobody.at('keys'))
    const known = ['verify', '--key-directory', 'keys']
    expect((await nobody.sx(known, { input: both })).exit).toBe(4)
    for (const [id, place] of [
      [aliceId, alice],
      [bobId, bob],
    ] as const) {
      writeFileSync(nobody.at('keys', `${id}.public.pem`), await place.done(['agent', 'export', '--public-key']))
    }
    const { exit, stdout } = await nobody.sx(known, { input: both })
    expect(exit).toBe(3)
    expect(stdout).toMatch(/^VALID, but a signer is NOT TRUSTED\n/)
    expect(stdout.match(/valid, NOT TRUSTED$/gm)).toHaveLength(2)
    expect(stdout).not.toContain('Alice') // a name is for those who are trusted
    writeFileSync(nobody.at('keys', `${bobId}.public.pem`), 'no key')
    const damaged = await nobody.sx(known, { input: both })
    expect(damaged.exit).toBe(4)
    expect(damaged.stdout).toContain(`${bobId}.public.pem in the key directory cannot be used.`)
  })

  it('names the keys of a folder that their names hide', async () => {
    mkdirSync(nobody.at('named'))
    const pem = readFileSync(nobody.at('alice.pem'))
    const verify = async () => (await nobody.sx(['verify', '--key-directory', 'named'], { input: both })).stderr
    writeFileSync(nobody.at('named', 'alice.pem'), pem)
    writeFileSync(nobody.at('named', 'Alice.public.pem'), pem)
    writeFileSync(nobody.at('named', 'other.pem'), 'no key')
    const warning = 'sx: ignored in named: Alice.public.pem, alice.pem. A key must be named <agentId>.public.pem'
    expect(await verify()).toBe(`${warning} there.\n`)
    for (let at = 0; at < 4; at++) writeFileSync(nobody.at('named', `more-${at}.pem`), pem)
    expect(await verify()).toContain('Alice.public.pem, alice.pem, more-0.pem and 3 more. ')
    // A second name for a key that is found hides nothing.
    writeFileSync(nobody.at('named', `${aliceId}.public.pem`), pem)
    expect(await verify()).toBe('')
    expect((await alice.sx(['verify', '--key-directory', 'sx_keys'], { input: both })).stderr).toBe('')
  })

  it('says the key, the signer and its name of each, in one order', async () => {
    writeFileSync(bob.at('both.md'), both)
    const { stdout } = await bob.sx(['verify', 'both.md', 'both.md'])
    const key = '[\\w-]{43}'
    const line = (id: string, name: string) => `  key id: ${key}  signer: ${id}  signer name: ${name}`
    expect(stdout.split('\n')[0]).toMatch(
      new RegExp(`^VALID, signed by 2 trusted agents  both\\.md${line(aliceId, 'Alice')}${line(bobId, 'Bob')}$`),
    )
    const rows = (await bob.done(['verify', 'both.md'])).match(/^ {2}(?:key id|signer|signer name)(?= {2})/gm)
    const order = ['  key id', '  signer', '  signer name']
    expect(rows).toEqual([...order, ...order])
  })

  it('with --key takes what is signed with that key alone', async () => {
    const one = await alice.done(['sign'], { input: contract })
    const { exit, stdout } = await nobody.sx(['verify', '--key', 'alice.pem'], { input: one })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^VALID, signed with the key that --key names\n/)
    expect(stdout).not.toContain('trust')
    const other = await bob.done(['sign'], { input: contract })
    expect(await nobody.json(['verify', '--key', 'alice.pem'], { input: other })).toMatchObject({
      exit: 1,
      value: { error: { code: 'KeyMismatch' }, pinnedKey: { keyFile: nobody.at('alice.pem') } },
    })
    // Who else has signed cannot be told by it: that accuses nobody.
    const mixed = await nobody.sx(['verify', '--key', 'alice.pem'], { input: both })
    expect(mixed.exit).toBe(4)
    expect(mixed.stdout).toContain('To verify all signers, pass --key-directory with a folder')
    expect(mixed.stdout).toContain('<agentId>.public.pem')
    const forged = both.replace('100', '900')
    expect((await nobody.sx(['verify', '--key', 'alice.pem'], { input: forged })).exit).toBe(1)
  })

  it('hands out what all have signed, and only that', async () => {
    expect(await bob.done(['verify', '-', '-o', '-'], { input: both })).toBe(contract)
    await bob.done(['verify', '-', '-o', 'content.md'], { input: both })
    expect(readFileSync(bob.at('content.md'), 'utf8')).toBe(contract)
    const { exit, stdout } = await bob.sx(['verify', '-', '-o', '-'], { input: both.replace('100', '900') })
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
  })

  it('says where something stands that is not seen, and escapes it', async () => {
    const input = 'a\nb\u202epay\nc\u200b\n'
    const signed = await alice.done(['sign'], { input })
    const { exit, stdout } = await alice.sx(['verify'], { input: signed })
    expect(exit).toBe(0)
    expect(stdout.match(/^ {2}warning .*$/gm)?.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['warning', 'line 2, column 2', 'BidiControl U+202E'],
      ['warning', 'line 3, column 2', 'ZeroWidth U+200B'],
    ])
    writeFileSync(alice.at('bidi.txt'), signed)
    const among = await alice.sx(['verify', 'bidi.txt', 'bidi.txt'])
    expect(among.stdout).toContain('warnings: 2, line 2, column 2: BidiControl U+202E')
  })

  it('with --strict takes a text without a signature for an error', async () => {
    const strict = await alice.sx(['verify', '--strict'], { input: contract })
    expect(strict).toMatchObject({ exit: 1, stdout: '' })
    expect(strict.stderr).toMatch(/^sx: MissingSignature: /)
    const verdict = await alice.sx(['verify'], { input: contract })
    expect(verdict).toMatchObject({ exit: 1, stderr: '' })
    expect(verdict.stdout).toMatch(/^NO SIGNATURE\n/)
    const { sxSignature: _, ...bare } = JSON.parse(await alice.done(['sign'], { input: '1' })) as Record<
      string,
      unknown
    >
    const document = await alice.sx(['verify', '--strict'], { input: JSON.stringify(bare) })
    expect(document).toMatchObject({ exit: 1, stdout: '' })
    expect(document.stderr).toMatch(/^sx: MissingSignature: /)
    writeFileSync(alice.at('unsigned.md'), contract)
    const several = await alice.sx(['verify', '--strict', 'unsigned.md', 'bidi.txt'])
    expect(several.exit).toBe(1)
    expect(several.stdout.split('\n')).toHaveLength(3)
  })
})

it('T24: the name of a signer forges no line', async () => {
  const evil = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
  await evil.quickstart('\u001b[2J\r\nVALID, signed by a trusted agent\n-----END\u202egnp')
  await bob.done(['trust', 'add'], { input: await evil.done(['agent', 'export']) })
  const signed = await evil.done(['sign'], { input: both })
  evil.remove()
  for (const args of [['verify'], ['verify', '--quiet'], ['verify', '--json']]) {
    const { exit, stdout, stderr } = await bob.sx(args, { input: signed })
    expect(exit).toBe(0)
    for (const bad of ['\u001b', '\u202e', '\r']) expect(stdout + stderr).not.toContain(bad)
    expect(stdout).not.toMatch(/^(?:VALID, signed by a trusted agent|-----END)/m)
  }
  expect((await bob.sx(['verify'], { input: signed })).stdout).toContain('\\u{1b}[2J')
})
