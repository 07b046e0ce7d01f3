/** What the tests in Node share: folders of their own, what is in them, refusals, counts. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SxError, type SxErrorCode } from 'sx-agent'
import type { QuickstartOptions, VerificationResult } from 'sx-agent/simple'
import { afterAll, expect } from 'vitest'
import { isLong } from '../pace.ts'

/** The full count of a kill or load test with SX_TEST_LONG=1, else a tenth. */
export function times(full: number): number {
  return isLong ? full : Math.ceil(full / 10)
}

/** Why a test needs root, where it is not run by root; false where it is. */
export const notRoot: string | false = process.getuid?.() === 0 ? false : 'needs root, to act as another user'
/** The user and group `nobody`. */
export const NOBODY = 65_534

let base: string | undefined
let count = 0

/** A new folder, which is removed after the tests of the file. Any user may look into it. */
export function newFolder(): string {
  if (base === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'sx-node-'))
    chmodSync(made, 0o755)
    base = made
  }
  count += 1
  const folder = mkdtempSync(join(base, `${count}-`))
  chmodSync(folder, 0o755)
  return folder
}

afterAll(() => {
  if (base !== undefined) rmSync(base, { recursive: true })
})

/** The configuration of an agent in this folder. */
export function configIn(folder: string): string {
  return join(folder, 'sx.config.json')
}

/** Options of a cheap agent in a folder, which look at no variable of the process. */
export function agentIn(folder: string, more: Partial<QuickstartOptions> = {}): QuickstartOptions {
  const standard = { name: 'Billing', domain: 'example.com', algorithm: 'ed25519', env: {} } as const
  return { ...standard, password: PASSWORD, configPath: configIn(folder), ...more }
}

/** A password that can be recognized where it must not be. */
export const PASSWORD = 'correct horse 7 battery staple'

/** Everything below a folder: path, kind, permission bits and what it holds. */
export function treeOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (path: string): void => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const inner = join(path, name)
      const whole = join(folder, inner)
      const stat = lstatSync(whole)
      const mode = (stat.mode & 0o777).toString(8)
      if (stat.isDirectory()) {
        found[inner] = `folder ${mode}`
        visit(inner)
      } else if (stat.isSymbolicLink()) found[inner] = `link to ${readlinkSync(whole)}`
      else if (!stat.isFile()) found[inner] = `special ${mode}`
      else found[inner] = `file ${mode} ${createHash('sha256').update(readFileSync(whole)).digest('hex')}`
    }
  }
  if (existsSync(folder)) visit('')
  return found
}

/** The files below a folder, without what is in them. */
export function filesOf(folder: string): string[] {
  return Object.entries(treeOf(folder)).flatMap(([path, kind]) => (kind.startsWith('folder') ? [] : [path]))
}

/** Where entries and hints of a document stand; `part` is a number, `latest` or a version. */
export function partPath(folder: string, id: string, part: string): string {
  return join(folder, 'sx_data', 'documents', id.slice(0, 2), `${id}.${part}`)
}

/** Where the entry of a number of a document's chain stands. */
export function entryPath(folder: string, id: string, number: number): string {
  return partPath(folder, id, `${number}.json`)
}

/** The numbers of a chain's entries in a folder, ascending: those of a document's or of the decisions on an agent. */
export function numbersOf(place: string, id: string): number[] {
  const numbers = readdirSync(place).flatMap((name) => {
    const [, chain, number] = /^(.{36})\.([1-9][0-9]*)\.json$/.exec(name) ?? []
    return chain === id ? Number(number) : []
  })
  return numbers.sort((a, b) => a - b)
}

/** The numbers from 1 to this one. */
export function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

/** Files of writes that were under way. */
export function unfinished(folder: string): string[] {
  return filesOf(folder).filter((path) => path.endsWith('.tmp'))
}

/** What is staged in the key directory of agents that are being created. */
export function stagedIn(folder: string): string[] {
  return filesOf(join(folder, 'sx_keys', '.new'))
}

/** The error that the work ends in: an SxError of this code, with sentences for people and without the password. */
export async function refusal(
  work: () => unknown,
  code: SxErrorCode | readonly SxErrorCode[],
  ...secrets: string[]
): Promise<SxError> {
  let outcome: unknown
  try {
    outcome = { resolved: await work() }
  } catch (error) {
    outcome = error
  }
  if (!(outcome instanceof SxError)) expect.fail(`expected ${String(code)}, got ${describe(outcome)}`)
  expect([code].flat(), outcome.message).toContain(outcome.code)
  checkSentences(outcome, secrets)
  return outcome
}

function describe(outcome: unknown): string {
  return outcome instanceof Error ? (outcome.stack ?? String(outcome)) : JSON.stringify(outcome)
}

/** An error says what happened and what to do, and tells no secret. */
export function checkSentences(error: Pick<SxError, 'message'>, secrets: readonly string[] = []): void {
  expect(error.message).toMatch(/^\S.{10,}\. \S.{10,}\.$/s)
  for (const secret of [PASSWORD, ...secrets]) expect(error.message).not.toContain(secret)
}

/** The content that a verdict hands out; none of a document that is not valid. */
export function dataOf(verdict: VerificationResult): unknown {
  return verdict.valid ? verdict.data : undefined
}
