// A copy of an example, with the packed package installed as somebody does who tries it out.
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npmInstall, pack } from '../../scripts/matrix/project.mjs'
import { root } from '../docs/markdown.ts'
import { HANGING } from '../pace.ts'

/** Copies `examples/<name>`; gives its folder, and how to remove it. */
export async function exampleProject(name: string): Promise<{ project: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), `sx-example-${name}-`))
  const project = join(folder, 'project')
  cpSync(join(root, 'examples', name), project, { recursive: true })
  await npmInstall(project, await pack(folder))
  return { project, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) }
}

/** The environment of whoever tries an example: nothing of ours, and no reports to anybody. */
export function environment(home: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(SX_|NODE_OPTIONS$|VITEST)/.test(name))
  const quiet = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: 'true' }
  return { ...Object.fromEntries(own), HOME: home, ...quiet, ...more }
}

/** What a server says, with its status: the text of the answer, or what it holds if it is JSON. */
export async function ask(
  url: string,
  [method = 'GET', path = '/']: readonly string[],
  body?: string,
  token?: string,
): Promise<{ status: number; text: string; json: unknown }> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const answer = await fetch(new URL(path, url), { method, headers, ...(body !== undefined && { body }) })
  const text = await answer.text()
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true
  return { status: answer.status, text, json: isJson ? JSON.parse(text) : undefined }
}

/** The first text that a program prints which fits; waits for it. */
export async function printed(output: () => string, pattern: RegExp): Promise<string> {
  for (const end = performance.now() + HANGING; performance.now() < end; ) {
    const [, found] = pattern.exec(output()) ?? []
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Nothing like ${pattern} within ${HANGING / 1000} seconds:\n${output()}`)
}
