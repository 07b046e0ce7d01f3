/** The Worker example in a separate project, and the answers it must give. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { finish } from '../../scripts/matrix/processes.mjs'
import { type Served, serveWorkerd } from '../../scripts/matrix/serverless.mjs'
import { ask, environment, exampleProject } from './project.ts'

/** The bindings of a Worker. */
type Secrets = Readonly<Record<string, string>>

/** The project, once it was made before the tests. */
interface Example {
  project: string
  /** What making the agent has printed. */
  made: string
  secrets: Secrets
}

/** Makes the project and its agent before the tests, and removes it after them. */
export function workerExample(): Example {
  const example: Example = { project: '', made: '', secrets: {} }
  let remove: () => Promise<void>
  beforeAll(async () => {
    const found = await exampleProject('worker')
    remove = found.remove
    const { project } = found
    const made = await finish(process.execPath, ['agent.mjs'], { cwd: project, env: environment(project) })
    const lines = (await readFile(join(project, '.dev.vars'), 'utf8')).trim().split('\n')
    const secrets = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    Object.assign(example, { project, made, secrets })
  })
  afterAll(() => remove())
  return example
}

/** Signs and verifies, and refuses what it has to. */
export async function tryOut({ url }: { url: string }, secrets: Secrets): Promise<string> {
  const token = secrets['SIGN_TOKEN'] ?? ''
  const { json: agent, status } = await ask(url, ['GET', '/agent'])
  expect([status, agent]).toEqual([200, expect.objectContaining({ name: 'Worker', sxType: 'agent' })])
  const { sxId } = agent as { sxId: string }
  const { text: signed } = await ask(url, ['POST', '/sign'], '{"amount":1}', token)
  const verdict = { valid: true, trusted: true, signerId: sxId, data: { amount: 1 } }
  expect(await ask(url, ['POST', '/verify'], signed)).toMatchObject({ status: 200, json: verdict })
  const forged = signed.replace('"amount":1', '"amount":2')
  expect((await ask(url, ['POST', '/verify'], forged)).json).toMatchObject({ valid: false, code: 'BadSignature' })
  expect((await ask(url, ['POST', '/sign'], '{"amount":1}')).status).toBe(401)
  expect((await ask(url, ['POST', '/sign'], '{"amount":1}', `${token}x`)).status).toBe(401)
  const lossy = await ask(url, ['POST', '/sign'], '{"amount":9007199254740993}', token)
  expect([lossy.status, lossy.json]).toEqual([400, { code: 'LossyNumber' }])
  expect((await ask(url, ['GET', '/toString'])).status).toBe(404)
  return sxId
}

export async function served<T>(
  folder: string,
  options: Parameters<typeof serveWorkerd>[1],
  work: (worker: Served) => Promise<T>,
): Promise<T> {
  const worker = await serveWorkerd(folder, options)
  try {
    return await work(worker)
  } finally {
    worker.stop()
  }
}
