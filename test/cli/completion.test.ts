// `sx completion`: what the shells make of it. Bash is everywhere; the others are asked where they are installed.
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HANGING } from '../pace.ts'
import { commandPaths, Place, program } from './run.ts'

const place = new Place()
const scripts: Record<string, string> = {}
let paths: string[]

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

/** Runs a script; what it printed, by lines. */
function lines(shell: string, script: string): string[] {
  const run = spawnSync(shell, ['-c', script], { cwd: place.path, encoding: 'utf8', timeout: HANGING })
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
    'quickstart agent sign verify verify-file extract strip capacity inspect trust list show history update agreement backup restore audit completion help'.split(
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
  [['ag'], ['agent', 'agreement']],
  [['agreement', 'si'], ['sign']],
  [['agreement', 'certificate', '--ht'], ['--html']],
  [
    ['agent', ''],
    ['show', 'export', 'dns', 'well-known', 'reencrypt-key', 'rotate', 'revoke'],
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
  [
    ['--config', 'agent', 'ver'],
    ['verify', 'verify-file'],
  ], // the value of an option is no command
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

describe('ids', () => {
  const PASSWORD = { SX_PRIVATE_KEY_PASSWORD: 'correct horse' }
  const here = new Place(PASSWORD)
  const other = new Place(PASSWORD)
  const ids: Record<string, string> = {}
  afterAll(() => {
    here.remove()
    other.remove()
  })
  beforeAll(async () => {
    ids['own'] = await here.quickstart()
    ids['trusted'] = await other.quickstart('Other')
    await here.done(['trust', 'add'], { input: await other.done(['agent', 'export']) })
    ids['document'] = String((await here.json(['sign'], { input: '1' })).value['documentId'])
    ids['key'] = String((await here.json(['agent', 'rotate'])).value['formerKeyId'])
  })

  /** Words, and the kinds of ids that they can become. */
  const OFFERED: [string[], string[]][] = [
    [['trust', 'remove', ''], ['trusted']],
    [['agent', 'revoke', ''], ['key']],
    [
      ['show', ''],
      ['document', 'own'],
    ],
    [
      ['history', ''],
      ['document', 'own'],
    ],
    [
      ['update', ''],
      ['document', 'own'],
    ],
    [['show', 'x', ''], []],
  ]
  /** From another folder: what the configuration on the line has, and nothing where there is none. */
  const ELSEWHERE: [string[], string[]][] = [
    [['--config', '@', 'trust', 'remove', ''], ['trusted']],
    [['--config=@', 'trust', 'remove', ''], ['trusted']],
    [['trust', 'remove', ''], []],
  ]
  const CALLS = [
    ...OFFERED.map(([words, kinds]) => ({ words, kinds, folder: here.path })),
    ...ELSEWHERE.map(([words, kinds]) => ({ words, kinds, folder: place.path })),
  ]
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program }

  const offered = (shell: string, script: string, folder: string): string[] => {
    const run = spawnSync(shell, ['-c', script], { cwd: folder, env, encoding: 'utf8', timeout: HANGING })
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: '' })
    return run.stdout.split('\n').filter(Boolean)
  }
  const placed = (words: readonly string[]): string[] =>
    words.map((word) => word.replace('@', here.at('sx.config.json')))
  const expected = (kinds: readonly string[]): string[] => kinds.map((kind) => ids[kind] ?? '').sort()
  const SX = 'sx() { "$NODE" "$PROGRAM" "$@"; }'

  it.runIf(has('bash')).each(CALLS)('in bash: $words', ({ words, kinds, folder }) => {
    const line = ['sx', ...placed(words)].map((word) => `'${word}'`).join(' ')
    const print = `[ "\${#COMPREPLY[@]}" = 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`
    const asked = `${SX}\n${scripts['bash']}\nCOMP_WORDS=(${line})\nCOMP_CWORD=${words.length}\n_sx\n${print}`
    expect(offered('bash', asked, folder).sort()).toEqual(expected(kinds))
  })

  it.runIf(has('zsh')).each(CALLS)('in zsh: $words', ({ words, kinds, folder }) => {
    const line = ['sx', ...placed(words)].map((word) => `'${word}'`).join(' ')
    const around = 'compdef() {}\n_files() {}\ncompadd() { shift; print -rl -- ${(M)@:#$words[CURRENT]*} }'
    const asked = `${SX}\n${around}\n${scripts['zsh']}\nwords=(${line})\nCURRENT=${words.length + 1}\n_sx`
    expect(offered('zsh', asked, folder).sort()).toEqual(expected(kinds))
  })

  it.runIf(has('fish')).each(CALLS.filter(({ kinds }) => kinds.length > 0))(
    'in fish: $words',
    ({ words, kinds, folder }) => {
      const sx = 'function sx; $NODE $PROGRAM $argv; end'
      const found = offered('fish', `${sx}\n${scripts['fish']}\ncomplete -C 'sx ${placed(words).join(' ')}'`, folder)
      expect(new Set(found.map((line) => line.split('\t')[0]))).toEqual(new Set(expected(kinds)))
    },
  )

  it('come from a command that no help lists', async () => {
    expect((await here.json(['complete-ids', 'agents'])).value).toEqual({ ok: true, ids: [ids['trusted']] })
    expect(await here.done(['complete-ids', 'keys'])).toBe(`${ids['key']}\n`)
    expect(await other.done(['complete-ids', 'agents'])).toBe('')
    expect((await place.sx(['complete-ids', 'agents'])).exit).toBe(2)
    expect(paths).not.toContain('complete-ids')
    for (const script of Object.values(scripts)) expect(script).not.toMatch(/'sx complete-ids'/)
  })
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
