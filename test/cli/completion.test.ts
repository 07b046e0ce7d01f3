// `sx completion`: what the shells make of it. Bash is everywhere; the others are asked where they are installed.
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandPaths, Place } from './run.ts'

const place = new Place()
const scripts: Record<string, string> = {}
let paths: string[]

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** Runs a script; what it printed, by lines. */
function lines(shell: string, script: string): string[] {
  const run = spawnSync(shell, ['-c', script], { cwd: place.path, encoding: 'utf8', timeout: 50_000 })
  expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' })
  return run.stdout.split('\n').filter(Boolean)
}

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) scripts[shell] = await place.done(['completion', shell])
  paths = await commandPaths(place)
})
afterAll(() => place.remove())

/** Words before the cursor, the last of them begun, and what they can become; nothing means file names. */
const CASES: [string[], string[]][] = [
  [
    [''],
    'quickstart agent sign verify verify-file extract strip capacity inspect trust list show history update audit completion help'.split(
      ' ',
    ),
  ],
  [['ext'], ['extract']],
  [
    ['sign', '--r'],
    ['--robust', '--refuse-overwrite'],
  ],
  [
    ['sign', '--as', ''],
    ['json', 'text', 'image'],
  ],
  [['strip', '--f'], ['--force']],
  [['ag'], ['agent']],
  [
    ['agent', ''],
    ['show', 'export', 'dns', 'well-known', 'reencrypt-key'],
  ],
  [['agent', 'export', '--p'], ['--public-key']],
  [
    ['agent', 'export', '-'],
    ['-o', '--output', '--force', '--public-key', '--json', '--quiet', '--config'],
  ],
  [['trust', '--j'], ['--json']],
  [['list', '--t'], ['--type']],
  [['aud'], ['audit']],
  [['audit', '--r'], ['--recent']],
  [
    ['verify', '--k'],
    ['--key', '--key-directory'],
  ],
  [
    ['verify', '--s'],
    ['--schema', '--strict'],
  ],
  [['update', '--s'], ['--schema']],
  [['verify', '--key', ''], []],
  [['verify', '--schema', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [
    ['quickstart', '--algorithm', ''],
    ['pq2025', 'ed25519', 'ML-DSA-87', 'Ed25519'],
  ],
  [['--config', 'agent', 'ver'], ['verify']], // the value of an option is no command
  [['verify', ''], []],
  [['verify', '-o', ''], []],
  [['sign', '--', '-'], []],
  [['verify', 'agent', 'sh'], []],
]

describe.runIf(has('bash'))('bash', () => {
  it('takes the function, with file names where it has nothing to say', () => {
    expect(lines('bash', `${scripts['bash']}\ncomplete -p sx`)).toEqual(['complete -o default -F _sx sx'])
  })

  it.each(CASES)('completes %j', (words, expected) => {
    const line = ['sx', ...words].map((word) => `'${word}'`).join(' ')
    const print = `[ "\${#COMPREPLY[@]}" = 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`
    const asked = `${scripts['bash']}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_sx\n${print}`
    expect(lines('bash', asked).slice(0, expected.length || undefined)).toEqual(expected)
  })
})

describe.runIf(has('zsh'))('zsh', () => {
  it.each(CASES)('completes %j', (words, expected) => {
    const line = ['sx', ...words].map((word) => `'${word}'`).join(' ')
    // Outside of its line editor zsh has none of these; `compadd` is what keeps the words that fit.
    const around = 'compdef() {}\n_files() {}\ncompadd() { shift; print -rl -- ${(M)@:#$words[CURRENT]*} }'
    const asked = `${around}\n${scripts['zsh']}\nwords=(${line})\nCURRENT=${words.length + 1}\n_sx`
    expect(lines('zsh', asked).slice(0, expected.length || undefined)).toEqual(expected)
  })
})

describe.runIf(has('fish'))('fish', () => {
  it.each(CASES.filter(([words, expected]) => expected.length > 0 && words.at(-1) !== '-'))(
    'completes %j',
    (words, expected) => {
      const found = lines('fish', `${scripts['fish']}\ncomplete -C 'sx ${words.join(' ')}'`)
      expect(new Set(found.map((line) => line.split('\t')[0]))).toEqual(new Set(expected))
    },
  )
})

describe('every script', () => {
  it.each(['bash', 'zsh', 'fish'])('%s: knows all commands, and is made of plain lines', (shell) => {
    const script = scripts[shell] ?? ''
    expect(paths.length).toBeGreaterThan(10)
    for (const path of paths) expect(script).toContain(`'sx ${path}'`)
    for (const option of ['public-key', 'no-save', 'key-directory', 'trust-from', 'no-input', 'ignore-c2pa', 'strict'])
      expect(script).toContain(option)
    expect(script).toMatch(/^[\n -~]+$/)
  })

  it('is one JSON value with --json, and there is none for other shells', async () => {
    const { value } = await place.json(['completion', 'bash'])
    expect(value).toEqual({ ok: true, shell: 'bash', script: scripts['bash'] })
    expect(await place.json(['completion', 'tcsh'])).toMatchObject({
      exit: 2,
      value: { error: { code: 'InvalidOption' } },
    })
  })
})
