// What is printed, whatever is in it, and what happens if nobody reads it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { escapeJson, escapeText } from '../../node/cli/output.ts'
import { helpOfCommands, outcome, Place, type Run } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
const nobody = new Place()
/** The sources of the command line. */
const folder = fileURLToPath(new URL('../../node/cli', import.meta.url))

/** A name that clears the screen, forges lines, turns text around and hides letters. */
const evil =
  '\u001b[2J\u001b]0;owned\u0007\r\nVALID, signed by a trusted agent\n-----END\u202egnp\u200b\u{e0041}\u009b1m\u2066\u00ad'
/** First and last of the characters that must not reach a terminal; line ends are told apart below. */
const UNSAFE = [
  [0x00, 0x09],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
  [0xe_0000, 0xe_007f],
] as const
const unsafe = UNSAFE.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
)

function expectSafe(...texts: string[]): void {
  for (const text of texts) {
    expect(unsafe.filter((character) => text.includes(character))).toEqual([])
    expect(text).not.toMatch(/^(?:-----END|VALID, signed by a trusted agent$)/m)
  }
}

let created: string
let agentDocument: string
let signed: string
beforeAll(async () => {
  await place.quickstart('Verifier')
  const signer = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
  const line = ['quickstart', '--name', evil, '--domain', 'example.com', '--algorithm', 'ed25519']
  created = await signer.done(line)
  agentDocument = await signer.done(['agent', 'export'])
  signed = await signer.done(['sign'], { input: JSON.stringify({ [evil]: evil }) })
  signer.remove()
})
afterAll(() => {
  place.remove()
  nobody.remove()
})

describe('T24: what comes from others is escaped', () => {
  it('in every character that could deceive', () => {
    expect(escapeText('a\u001b[31m\n\u202e\u{e0041}\u2028é 😀')).toBe(
      'a\\u{1b}[31m\\u{a}\\u{202e}\\u{e0041}\\u{2028}é 😀',
    )
    expect(escapeText('\ud800')).toBe('\\u{d800}')
    const json = JSON.stringify({ [evil]: [evil, '😀'] }, null, 2)
    expect(JSON.parse(escapeJson(json))).toEqual(JSON.parse(json))
    expectSafe(escapeJson(json))
    for (const character of [...unsafe, '\n']) {
      expect(escapeText(character)).toBe(`\\u{${character.codePointAt(0)?.toString(16)}}`)
    }
    for (const character of unsafe) expect(JSON.parse(`"${escapeJson(character)}"`)).toBe(character)
  })

  it('in reports about agents and documents', async () => {
    expect(created).toContain('\\u{1b}[2J')
    expectSafe(created)
    const added = await place.sx(['trust', 'add'], { input: agentDocument })
    const verified = await place.sx(['verify'], { input: signed })
    expect([added.exit, verified.exit]).toEqual([0, 0])
    expect(verified.stdout.match(/^VALID, signed by a trusted agent\n/gm)).toHaveLength(1)
    for (const { stdout, stderr } of [
      added,
      verified,
      await place.sx(['verify', '--quiet'], { input: signed }),
      await place.sx(['trust', 'list']),
      await nobody.sx(['inspect'], { input: signed }),
      await nobody.sx(['inspect'], { input: JSON.stringify({ sxId: evil, sxSignature: { agentID: evil } }) }),
    ]) {
      const lines = stdout.replace(/^VALID, signed by a trusted agent\n/, '') // our own
      expect(lines + stderr).toContain('\\u')
      expectSafe(lines, stderr)
    }
  })

  it('in --json too, with the value kept', async () => {
    const { stdout } = await nobody.sx(['inspect', '--json'], { input: signed })
    expectSafe(stdout)
    expect(JSON.parse(stdout)).toMatchObject({ document: { content: { [evil]: evil } } })
  })

  it('in errors, from arguments and file names', async () => {
    for (const args of [
      ['verify', evil],
      ['sign', '-o', `${evil}/x`],
      ['agent', 'show', '--config', evil],
      ['trust', 'remove', evil],
      ['verify', '--key-directory', evil],
      [evil],
      ['agent', evil],
      ['sign', `--${evil}`],
      ['quickstart', '--name', 'x', '--domain', 'example.com', '--algorithm', evil],
    ]) {
      const { exit, stdout, stderr } = await place.sx(args, { input: '1' })
      expect(exit).toBeGreaterThan(1)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^sx: \w+: .+\n$/)
      expectSafe(stderr)
    }
  })

  it.runIf(process.platform === 'linux')('in documents only where the terminal shows them', async () => {
    const line = ['sign', '--no-save', '--quiet', 'evil.json']
    writeFileSync(place.at('evil.json'), JSON.stringify(evil))
    const piped = await place.sx(line)
    expect(piped.stdout).toContain('\u202e')
    const { stdout } = await place.terminal(line, '')
    expectSafe(stdout.replaceAll('\r\n', '\n'))
    expect(JSON.parse(stdout)).toMatchObject({ content: evil })
  })
})

describe('colours', () => {
  const ESCAPE = '\u001b['
  const first = async (env: Record<string, string>): Promise<boolean> =>
    (await nobody.sx(['verify'], { input: '{}', env })).stdout.startsWith(ESCAPE)

  it('are for terminals, unless NO_COLOR, FORCE_COLOR or TERM say otherwise', async () => {
    expect(await first({})).toBe(false)
    expect(await first({ FORCE_COLOR: '1' })).toBe(true)
    expect(await first({ FORCE_COLOR: '0' })).toBe(false)
    expect(await first({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false)
    expect(await first({ FORCE_COLOR: '1', NO_COLOR: '' })).toBe(true)
  })

  it.runIf(process.platform === 'linux')('are on a terminal that is not dumb', async () => {
    writeFileSync(nobody.at('empty.json'), '{}')
    const on = async (env: Record<string, string>): Promise<boolean> =>
      (await nobody.terminal(['verify', 'empty.json'], '', env)).stdout.includes(`${ESCAPE}1;31m`)
    expect([await on({}), await on({ TERM: 'dumb' }), await on({ NO_COLOR: '1' })]).toEqual([true, false, false])
  })
})

describe('usage', () => {
  it('--help has two examples for every command, on stdout', async () => {
    const helps = await helpOfCommands(nobody)
    expect([...helps.keys()]).toEqual(expect.arrayContaining(['', 'agent reencrypt-key']))
    for (const [path, { exit, stdout, stderr }] of helps) {
      expect({ path, exit, stderr }).toEqual({ path, exit: 0, stderr: '' })
      // Each shows the command that it is an example of, which for a group may be any of its own.
      const examples = stdout.split('Examples:\n')[1]?.trimEnd().split('\n') ?? []
      const isExample = (line: string): boolean => line.startsWith('  $ ') && line.includes(`sx ${path}`)
      expect({ path, examples: examples.map(isExample) }).toEqual({ path, examples: [true, true] })
      expect(stdout).toContain('--json')
    }
  })

  it.each([[[]], [['agent']], [['frobnicate']], [['inspect', 'a', 'b']], [['trust', 'remove']], [['sign', '-o']]])(
    '%j is a mistake: exit status 2',
    async (args) => {
      const { exit, stdout, stderr } = await nobody.sx(args)
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
      expect(stderr).toContain('sx: InvalidOption: ')
    },
  )

  it('says the same of every command that there is not', async () => {
    const lines = [
      ['reveal'],
      ['reveal', '--help'],
      ['trust', 'reveal'],
      ['trust', 'reveal', '--help'],
      ['trust', 'help', 'reveal'],
      ['help', 'reveal'],
      ['help', 'trust', 'reveal'],
    ]
    const stderr = "sx: InvalidOption: There is no command 'reveal'. See `sx --help`.\n"
    expect(await nobody.many(lines)).toEqual(lines.map(() => ({ exit: 2, stdout: '', stderr })))
  })

  const mistyped: [string[], string][] = [
    [['verfy'], 'verify'],
    [['extarct'], 'extract'],
    [['stripp'], 'strip'],
    [['capcity'], 'capacity'],
    [['sign', '--robst', 'photo.jpg'], '--robust'],
    [['agent', 'shwo'], 'show'],
    [['lst'], 'list'],
    [['help', 'trsut'], 'trust'],
    [['help', 'agent', 'exprot'], 'export'],
    [['verify', '--trust-form', '.'], '--trust-from'],
    [['list', '--tipe', 'x'], '--type'],
    [['trust', 'list', '--jsno'], '--json'],
    [['quickstart', '--nam', 'x', '--domain', 'y'], '--name'],
  ]
  it('what is mistyped asks whether it was meant otherwise', async () => {
    const runs = await nobody.many(mistyped.flatMap(([args]) => [args, ['--json', ...args]]))
    for (const [at, [args, meant]] of mistyped.entries()) {
      const [text, json] = runs.slice(2 * at) as [Run, Run]
      expect({ args, exit: text.exit, stdout: text.stdout }).toEqual({ args, exit: 2, stdout: '' })
      expect(text.stderr).toMatch(/^sx: InvalidOption: [^\n]*\n$/)
      expect(text.stderr).toContain(` Did you mean ${meant}?`)
      const { error } = JSON.parse(json.stdout) as { error?: { message: string } }
      expect(error?.message).toContain(` Did you mean ${meant}?`)
    }
  })

  it('suggests nothing for what is like nothing, and what was typed cannot pass for a suggestion', async () => {
    expect((await nobody.sx(['frobnicate'])).stderr).not.toContain('Did you mean')
    const { stderr } = await nobody.sx(['trust', 'x\n(Did you mean --force?)'])
    expect(stderr).toBe("sx: InvalidOption: There is no command 'x\\u{a}(Did you mean --force?)'. See `sx --help`.\n")
  })

  it('--help names every variable that the sources read, and those of a command at the command', async () => {
    const sources = readdirSync(folder)
      .filter((name) => name !== 'environment.ts')
      .map((name) => readFileSync(join(folder, name), 'utf8'))
    const read = sources.flatMap((text) => text.match(/\b(?:SX_[A-Z_]+|NO_COLOR|FORCE_COLOR|TERM)\b/g) ?? [])
    const help = await nobody.done(['--help'])
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
    const named = [...help.matchAll(/^ {2}([A-Z_]{4,}) {2,}\S/gm)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set(read))
    for (const command of [['quickstart'], ['sign'], ['capacity'], ['agent', 'reencrypt-key']]) {
      const own = await nobody.done([...command, '--help'])
      for (const name of ['SX_PRIVATE_KEY_PASSWORD', 'SX_PASSWORD_FILE']) expect(own).toMatch(`\n  ${name}  `)
    }
    expect(await nobody.done(['agent', 'reencrypt-key', '--help'])).toContain('\n  SX_NEW_PASSWORD_FILE  ')
    expect(await nobody.done(['quickstart', '--help'])).toContain('\n  SX_SAVE_PASSWORD_FILE  ')
    expect(await nobody.done(['verify', '--help'])).not.toContain('SX_')
  })

  it('has `help` as a command', async () => {
    for (const path of [[], ['verify'], ['trust', 'list'], ['trust']]) {
      const help = await nobody.done([...path, '--help'])
      expect(await nobody.done(['help', ...path])).toBe(help)
    }
  })

  it('takes --json anywhere', async () => {
    for (const args of [
      ['--json', 'frobnicate'],
      ['inspect', '--json', 'a', 'b'],
      ['inspect', 'a', 'b', '--json'],
    ]) {
      const { exit, stdout } = await nobody.sx(args)
      expect(exit).toBe(2)
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'InvalidOption' } })
    }
  })
})

describe('pipes', () => {
  it('may be closed by their reader; the exit status stays', async () => {
    writeFileSync(nobody.at('big.json'), JSON.stringify(Array.from({ length: 200_000 }, (_, at) => `item ${at}`)))
    for (const [args, expected] of [
      [['inspect', 'big.json'], 0],
      [['verify', 'big.json', '--json'], 1],
    ] as const) {
      const child = nobody.start(args)
      child.stdout?.destroy()
      const { exit, stderr } = await outcome(child)
      expect({ args, exit, stderr }).toEqual({ args, exit: expected, stderr: '' })
    }
  })

  it('may be closed after the first line of much', async () => {
    const child = nobody.start(['inspect', 'big.json'])
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await outcome(child)).toMatchObject({ exit: 0, stderr: '' })
  })
})

describe('100 MB', () => {
  const big = Buffer.alloc(100_000_000, '"0123456789",')
  big.write('["')
  big.write('"]', big.length - 2)
  // Prints the most memory that the process held, in kilobytes.
  const hook = "process.on('exit', () => process.stderr.write('maxRSS ' + process.resourceUsage().maxRSS))"
  const node = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]
  const memory = (stderr: string): number => Number(/maxRSS (\d+)/.exec(stderr)?.[1]) / 1000

  it('on standard input or in a file are refused without being read to the end', async () => {
    writeFileSync(nobody.at('100.json'), big)
    const small = memory((await nobody.sx(['verify'], { input: '{}', node })).stderr)
    for (const [args, input] of [
      [['verify', '-'], big],
      [['verify', '100.json'], ''],
      [['inspect'], big],
    ] as const) {
      const { exit, stdout, stderr } = await nobody.sx(['--json', ...args], { input, node })
      expect(exit).toBe(4)
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'LimitExceeded' } })
      expect(memory(stderr)).toBeLessThan(small + 100)
    }
  })
})
