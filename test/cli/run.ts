/** Runs the built program in a folder of its own, as a shell would. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { HANGING } from '../pace.ts'

/** The built program. */
export const program: string = fileURLToPath(new URL('../../dist/node/cli/main.js', import.meta.url))
if (!existsSync(program)) throw new Error('The program is not built: run `node scripts/setup.mjs --dist`.')

/** What the programs of a test file have derived from passwords: see `derivations.mjs`. */
const derived = mkdtempSync(join(tmpdir(), 'sx-derived-'))
afterAll(() => rmSync(derived, { recursive: true, force: true }))
const remembering = `--import=${new URL(`../derivations.mjs?folder=${encodeURIComponent(derived)}`, import.meta.url)}`

/** What a run of the program left. */
export interface Run {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Variables of the environment; what is undefined is not set. */
type Variables = Readonly<Record<string, string | undefined>>

/** How a program is run. */
export interface RunOptions {
  readonly input?: string | Uint8Array
  readonly env?: Variables
  /** Options of the runtime, before the program. */
  readonly node?: readonly string[]
}

/** The text of a command line for {@link Place.terminal}. */
const quoted = (words: readonly string[]): string => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')

/** A folder with a home of its own for each test file. */
export class Place {
  readonly path: string = mkdtempSync(join(tmpdir(), 'sx-cli-'))
  #env: Variables

  constructor(env: Variables = {}) {
    this.#env = env
  }

  /** A path in the folder. */
  at(...names: string[]): string {
    return join(this.path, ...names)
  }

  /** The environment of the program: nothing of ours but what it needs to be found. */
  env(more: Variables = {}): Variables {
    return { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: remembering, ...this.#env, ...more }
  }

  /** Starts the program. */
  start(args: readonly string[], { env, node = [] }: RunOptions = {}): ChildProcess {
    // In a session of its own: whoever runs the tests on a terminal must not be asked there.
    const options = { cwd: this.path, env: this.env(env), timeout: HANGING, detached: true }
    return spawn(process.execPath, [...node, program, ...args], options)
  }

  /** Runs the program to its end. */
  async sx(args: readonly string[], options: RunOptions = {}): Promise<Run> {
    const child = this.start(args, options)
    const done = outcome(child)
    child.stdin?.on('error', () => {}) // it may not want to read to the end
    child.stdin?.end(options.input ?? '')
    return await done
  }

  /** Runs it, and throws unless all went well; what it printed. */
  async done(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { exit, stdout, stderr } = await this.sx(args, options)
    if (exit !== 0) throw new Error(`sx ${args.join(' ')}: exit status ${exit}: ${stderr}`)
    return stdout
  }

  /**
   * Runs it on a pseudo-terminal, by `script` of util-linux, whose options other systems do not have.
   *
   * @param typed what is typed once the program has printed something, or the answer to each of its questions
   */
  async terminal(args: readonly string[], typed: string | readonly string[], env?: Variables): Promise<Run> {
    return await this.typing(quoted([process.execPath, program, ...args]), typed, env)
  }

  /**
   * Runs a line of the shell there, in which `sx` is the program, at `$program`, and `$node` runs it.
   *
   * @param typed as for {@link terminal}
   */
  async typing(line: string, typed: string | readonly string[], env?: Variables): Promise<Run> {
    const [node, path] = [process.execPath, program].map((word) => quoted([word]))
    const command = `node=${node} program=${path}; sx() { "$node" "$program" "$@"; }; ${line}`
    const options = { cwd: this.path, env: this.env({ TERM: 'xterm', ...env }), timeout: HANGING }
    const child = spawn('script', ['-qec', command, '/dev/null'], options)
    const done = outcome(child)
    child.stdin.on('error', () => {})
    if (typeof typed === 'string') child.stdout.once('data', () => child.stdin.write(typed))
    else {
      const answers = [...typed]
      child.stdout.on('data', (text: string) => {
        if (text.endsWith(': ')) child.stdin.write(answers.shift() ?? '\u0003')
      })
    }
    return await done
  }

  /** Runs it with `--json`: the one value that it printed, and the exit status. */
  async json(args: readonly string[], options: RunOptions = {}): Promise<{ exit: number | null; value: Answer }> {
    const { exit, stdout } = await this.sx(['--json', ...args], options)
    return { exit, value: JSON.parse(stdout) as Answer }
  }

  /** Creates an agent here, with Ed25519 because its signatures are short; its id. */
  async quickstart(name = 'Billing'): Promise<string> {
    const line = ['quickstart', '--name', name, '--domain', 'example.com', '--algorithm', 'ed25519']
    return String((JSON.parse(await this.done(['--json', ...line])) as Answer)['agentId'])
  }

  /** Removes the folder. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Makes places, each of which is removed at the end of the file. */
export function placing(): (env?: Variables) => Place {
  const places: Place[] = []
  afterAll(() => {
    for (const made of places) made.remove()
  })
  return (env) => {
    const made = new Place(env)
    places.push(made)
    return made
  }
}

/** Every command, as `--help` lists them: `agent`, `agent show`. */
export async function commandPaths(place: Place, path: readonly string[] = []): Promise<string[]> {
  const help = await place.done([...path, '--help'])
  const [, list = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? []
  const names = [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
  const below = names.map(async (name) => [[...path, name].join(' '), ...(await commandPaths(place, [...path, name]))])
  return (await Promise.all(below)).flat()
}

/** What `--json` prints. */
export interface Answer {
  readonly ok: boolean
  readonly error?: { readonly code: string; readonly message: string }
  readonly [member: string]: unknown
}

/** What a process prints until it ends. */
export function outcome(child: ChildProcess): Promise<Run> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit) => resolve({ exit, stdout, stderr }))
  })
}
