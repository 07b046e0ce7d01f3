/** Processes that create an agent in one folder at the same time. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { expect } from 'vitest'
import { configIn, filesOf, newFolder, stagedIn } from './fixtures.ts'
import { callElsewhere, type Outcome } from './processes.ts'

/** Four processes with these variables end with one agent, and leave nothing of those that lost. */
export async function raceOf(variables: Readonly<Record<string, string>>): Promise<void> {
  const folder = newFolder()
  const options = { name: 'Racer', domain: 'example.com', algorithm: 'ed25519' }
  const calls = [
    ['quickstart', options],
    ['signMessage', { a: 1 }],
  ] as const
  const started = Array.from({ length: 4 }, () => callElsewhere(calls, { env: variables, cwd: folder }))
  const outcomes = await Promise.all(started)
  const infos = outcomes.map(([quickstart]) => {
    expect(quickstart?.code, quickstart?.message).toBeUndefined()
    return quickstart?.value as sx.CreatedAgentInfo
  })
  expect(new Set(infos.map(({ agentId }) => agentId)).size).toBe(1)
  expect(infos.filter(({ created }) => created)).toHaveLength(1)
  expect(infos.every(({ generatedPassword }) => generatedPassword === undefined)).toBe(true)

  const { agentId } = await sx.load({ configPath: configIn(folder), env: variables })
  expect(agentId).toBe(infos[0]?.agentId)
  expect(stagedIn(folder)).toEqual([])
  const signed = (outcomes as [Outcome, Outcome][]).map(([, { value }]) => value as sx.SignedDocument)
  for (const { raw } of signed) expect((await sx.verify(raw)).errors).toEqual([])

  const isSaved = 'SX_SAVE_PASSWORD_FILE' in variables
  expect(existsSync(join(folder, 'sx_keys', '.sx_password'))).toBe(isSaved)
  const keyFiles = filesOf(join(folder, 'sx_keys')).filter((name) => name !== '.sx_password')
  expect(keyFiles).toEqual([`${agentId}.public.pem`, 'sx.private.pem', 'sx.public.pem', 'trust/.witnessed'].sort())
  const ids = new Set((await sx.listDocuments()).map((key) => key.slice(0, 36)))
  expect(ids).toEqual(new Set([agentId, ...signed.map(({ documentId }) => documentId)]))
}
