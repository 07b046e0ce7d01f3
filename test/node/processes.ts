/** Real processes, which use the package as it is built. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { remembering } from '../programs.ts'
import { checkSentences, NOBODY } from './fixtures.ts'

const program = (name: string): string => fileURLToPath(new URL(`./children/${name}.mjs`, import.meta.url))

/** How a process is started. */
export interface StartOptions {
  /** Its variables whose names begin with SX_; it gets none of ours. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The folder of a copy of the program, with packages of its own. */
  readonly project?: string
  /** Run it as `nobody`; needs root. */
  readonly asNobody?: boolean
}

/** A process that prints lines of JSON. */
export class Child {
  /** What it has said so far. A line that it did not finish was not said. */
  readonly said: unknown[] = []
  /** Resolves when it has ended and everything it said was read. */
  readonly ended: Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>
  readonly #process: ChildProcess
  #complaint = ''
  #rest = ''
  #heard: (() => void)[] = []

  constructor(
    name: 'agreeing' | 'call' | 'chaos' | 'image' | 'large' | 'loop' | 'rotating',
    args: readonly string[],
    { env = {}, cwd = '/', project, asNobody }: StartOptions = {},
  ) {
    const own = Object.entries(process.env).filter(([variable]) => !variable.startsWith('SX_'))
    const started = spawn(
      process.execPath,
      [project === undefined ? program(name) : `${project}/${name}.mjs`, ...args],
      {
        cwd,
        env: { ...Object.fromEntries(own), NODE_OPTIONS: remembering, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(asNobody && { uid: NOBODY, gid: NOBODY }),
      },
    )
    started.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint += text
    })
    this.#process = started
    this.ended = new Promise((resolve, reject) => {
      started.once('error', reject)
      started.once('close', (status, signal) => {
        resolve({ status, signal })
        this.#wake()
      })
    })
  }

  /** What it has written to its standard error. */
  get complaint(): string {
    return this.#complaint
  }

  /** Waits until it has said so many lines. */
  async hasSaid(lines: number): Promise<void> {
    while (this.said.length < lines) {
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
        throw new Error(`The process ended early. ${this.#complaint}`)
      }
      await new Promise<void>((resolve) => this.#heard.push(resolve))
    }
  }

  /** Kills it without a warning, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.ended
  }

  /** Waits for its end, which has to be a good one; gives what it said. */
  async finish(): Promise<unknown[]> {
    const { status, signal } = await this.ended
    if (status !== 0) throw new Error(`The process ended with ${status ?? signal}. ${this.#complaint}`)
    return this.said
  }

  #hear(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.said.push(JSON.parse(line))
    this.#wake()
  }

  #wake(): void {
    for (const resume of this.#heard.splice(0)) resume()
  }
}

/** What a call in another process came to. */
export interface Outcome {
  readonly value?: unknown
  readonly code?: string
  readonly message?: string
  /** How often it called the file system. */
  readonly steps: number
}

type Call = readonly [name: string, ...args: unknown[]]

/** Makes calls of the simplified API in another process. Each ends in a result or in an SxError. */
export async function callElsewhere(calls: readonly Call[], options?: StartOptions): Promise<Outcome[]> {
  const said = await new Child('call', [JSON.stringify(calls)], options).finish()
  for (const outcome of said as (Outcome & { raw?: string })[]) {
    if (outcome.raw !== undefined) throw new Error(`not an SxError: ${outcome.raw}`)
    if (outcome.message !== undefined) checkSentences({ message: outcome.message })
  }
  return said as Outcome[]
}

/** Makes calls in a process that dies at the n-th step of the last one; says whether it got that far. */
export async function callUntilKilled(calls: readonly Call[], step: number, options: StartOptions): Promise<boolean> {
  const env = { ...options.env, SX_TEST_KILL_AT: String(step) }
  const { signal } = await new Child('call', [JSON.stringify(calls)], { ...options, env }).ended
  return signal === 'SIGKILL'
}
