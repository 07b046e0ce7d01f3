// Processes that are killed without a warning: what they reported as done stays done, and nothing stays in the way.
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SxAgent } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import {
  agentIn,
  configIn,
  dataOf,
  entryPath,
  filesOf,
  newFolder,
  numbersOf,
  PASSWORD,
  refusal,
  stagedIn,
  times,
  unfinished,
  upTo,
} from './fixtures.ts'
import { Child, callElsewhere, callUntilKilled, type Outcome } from './processes.ts'

const KILLS = times(100)
const env = { SX_PRIVATE_KEY_PASSWORD: PASSWORD }
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Starts a process, lets it work for a random while, kills it; gives what it reported. */
async function killedAfterAWhile(args: string[]): Promise<unknown[]> {
  const child = new Child('loop', args, { env })
  await child.hasSaid(2 + randomInt(3)) // that it is ready, and something that it has done, however slow the machine is
  await pause(randomInt(150))
  await child.kill()
  return child.said.slice(1)
}

/** Numbers from 1 to `last`: all in the long run, else some at this distance, beginning anywhere, and the last ones. */
function* someSteps(last = 0, normal = 3): Generator<number> {
  expect(last).toBeGreaterThan(5)
  const distance = times(100) === 100 ? 1 : normal
  const first = randomInt(distance)
  for (let step = 1; step <= last; step++) if (step % distance === first || step > last - 8) yield step
}

describe('a process that is killed', () => {
  it(`${KILLS} times while it signs has stored every document that it reported`, async () => {
    const folder = newFolder()
    const { agentId } = await sx.create(agentIn(folder))
    const reported: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const said = await killedAfterAWhile([kill % 2 === 0 ? 'sign' : 'signSync', configIn(folder)])
      reported.push(...(said as { id: string }[]).map(({ id }) => id))
    }
    expect(reported.length).toBeGreaterThan(KILLS)
    expect(new Set(reported).size).toBe(reported.length)

    const verifications = reported.map((id) => ['verifyById', id] as const)
    const outcomes = await callElsewhere([['load', configIn(folder)], ...verifications], { env })
    expect(outcomes[0]).toMatchObject({ value: { agentId } })
    const bad = outcomes.slice(1).filter(({ value }) => (value as { valid?: boolean }).valid !== true)
    expect(bad).toEqual([])

    // At most the last one killed left something; whoever opens the agent next and writes removes it.
    expect(unfinished(folder).length).toBeLessThanOrEqual(2)
    await sx.load(agentIn(folder))
    const { documentId } = await sx.signMessage('after')
    expect(unfinished(folder)).toEqual([])

    // Each kill leaves at most one document that was not reported.
    const stored = await sx.listDocuments()
    const ids = stored.map((key) => key.slice(0, 36))
    expect(ids).toEqual(expect.arrayContaining([...reported, agentId, documentId]))
    expect(stored.length).toBeLessThanOrEqual(reported.length + 2 + KILLS)
  })

  it(`${KILLS} times while it updates a document has lost no version that it reported`, async () => {
    const folder = newFolder()
    await sx.create(agentIn(folder))
    const { documentId } = await sx.signMessage({ n: 0 })
    let updates = 0
    let known = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const said = (await killedAfterAWhile(['update', configIn(folder), documentId])) as { n: number }[]
      updates += said.length
      // This process has seen the earlier versions, so that it would notice if an old one came back.
      const result = await sx.verifyById(documentId)
      expect(result.errors).toEqual([])
      const { n } = dataOf(result) as { n: number }
      const last = said.at(-1)?.n ?? known
      expect([last, last + 1]).toContain(n) // one more may be stored that could not be reported
      known = n
    }
    expect(updates).toBeGreaterThan(KILLS)

    const [, result] = await callElsewhere(
      [
        ['load', configIn(folder)],
        ['verifyById', documentId],
      ],
      { env },
    )
    const { valid, data } = (result as Outcome).value as { valid: boolean; data: { n: number } }
    expect(valid).toBe(true)
    expect(data.n).toBeGreaterThanOrEqual(updates)
    let versions = 1
    let current = JSON.parse(await sx.getDocument(documentId))
    while (current.sxPreviousVersion !== undefined) {
      const { n } = current.content
      current = JSON.parse(await sx.getDocument(`${documentId}:${current.sxPreviousVersion}`))
      expect(current.content.n).toBe(n - 1)
      versions += 1
    }
    expect(versions).toBe(data.n + 1)
    expect(numbersOf(dirname(entryPath(folder, documentId, 1)), documentId)).toEqual(upTo(versions))

    // Whoever opens the agent next and writes removes what the last one killed has left.
    await sx.load(agentIn(folder))
    await sx.updateDocument(documentId, { n: data.n + 1 })
    expect(unfinished(folder)).toEqual([])
  })

  it(`${KILLS} times in quickstart leaves an agent, or a place for one`, async () => {
    const base = newFolder()
    for (let kill = 0; kill < KILLS; kill++) {
      const place = join(base, String(kill))
      mkdirSync(place)
      const child = new Child('loop', ['quickstart', place], { env })
      await child.hasSaid(1)
      await pause(randomInt(1200))
      await child.kill()
      const made = child.said.slice(1) as { folder: string; agentId: string }[]
      const next = join(place, String(made.length)) // the one it was at
      for (const { folder, agentId } of made.slice(-1)) await expectAgent(folder, agentId)
      await expectAgent(next)
    }
  })
})

/** Options that leave the password to the environment of the process. */
function withoutPassword(folder: string): sx.QuickstartOptions {
  const { password: _password, env: _env, ...options } = agentIn(folder)
  return options
}

/** Quickstart makes or finds an agent in the folder, the given one if there is one, and it works. */
async function expectAgent(folder: string, known?: string): Promise<void> {
  const { agentId, created } = await sx.quickstart(agentIn(folder))
  if (known !== undefined) expect({ agentId, created }).toEqual({ agentId: known, created: false })
  const { raw } = await sx.signMessage('it works')
  expect((await sx.verify(raw)).errors).toEqual([])
  await expectOneAgent(folder, agentId)
}

/** Nothing is left of other agents, nor of writes and creations that were under way. */
async function expectOneAgent(folder: string, agentId: string): Promise<void> {
  expect(unfinished(folder)).toEqual([])
  expect(stagedIn(folder)).toEqual([])
  const keys = filesOf(join(folder, 'sx_keys')).filter((name) => name !== '.sx_password')
  expect(keys).toEqual([`${agentId}.public.pem`, 'sx.private.pem', 'sx.public.pem', 'trust/.witnessed'].sort())
  expect((await sx.listDocuments({ type: 'agent' })).map((key) => key.slice(0, 36))).toEqual([agentId])
}

/** The numbers of the key records in a key directory, ascending. */
function recordsIn(keyDirectory: string): number[] {
  const numbers = readdirSync(keyDirectory).flatMap((name) => /^sx\.private\.pem\.([0-9]+)$/.exec(name)?.[1] ?? [])
  return numbers.map(Number).sort((a, b) => a - b)
}

describe('a process that dies at any step', () => {
  it('of quickstart can be followed by another one', async () => {
    for (const variables of [env, { SX_SAVE_PASSWORD_FILE: 'true' }]) {
      const [whole] = await callElsewhere([['quickstartSync', withoutPassword(newFolder())]], { env: variables })
      for (const step of someSteps(whole?.steps, 8)) {
        const folder = newFolder()
        expect(await callUntilKilled([['quickstartSync', withoutPassword(folder)]], step, { env: variables })).toBe(
          true,
        )
        const hadConfig = existsSync(configIn(folder))
        const next = { ...withoutPassword(folder), env: variables }
        const { agentId, created } = await sx.quickstart(next)
        expect(created).toBe(!hadConfig)
        expect((await sx.quickstart(next)).agentId).toBe(agentId)
        const { raw } = await sx.signMessage('it works')
        expect((await sx.verify(raw)).errors).toEqual([])
        await expectOneAgent(folder, agentId)
      }
    }
  })

  it('K09 of restoring a backup leaves nothing that counts for another agent, or the whole agent', async () => {
    const { agent: friend } = await SxAgent.create({ ...agentIn(''), name: 'Friend', storage: memoryStorage() })
    const { raw } = await friend.signMessage('hello')
    const { agentId } = await sx.create(agentIn(newFolder()))
    sx.trustAgent(friend.exportAgent())
    const backup = join(newFolder(), 'backup.json')
    writeFileSync(backup, await sx.exportStore())
    const restoring = (folder: string) => [['importStoreSync', backup, { configPath: configIn(folder) }] as const]
    const [whole] = await callElsewhere(restoring(newFolder()))
    for (const step of someSteps(whole?.steps, 8)) {
      const folder = newFolder()
      expect(await callUntilKilled(restoring(folder), step, {})).toBe(true)
      const isNamed = existsSync(configIn(folder))
      const made = await sx.quickstart(agentIn(folder))
      expect([made.created, made.agentId === agentId]).toEqual([!isNamed, isNamed])
      expect((await sx.verify(raw)).trusted).toBe(isNamed)
      expect(sx.listTrustedAgents()).toHaveLength(isNamed ? 1 : 0)
      expect(stagedIn(folder)).toEqual([])
    }
  })

  it('of signing leaves the agent as it was, and the document whole or not there', async () => {
    const folder = newFolder()
    const { agentId } = await sx.create(agentIn(folder))
    const call = [
      ['loadSync', configIn(folder)],
      ['signMessageSync', { a: 1 }],
    ] as const
    const [, whole] = await callElsewhere(call, { env })
    let stored = (await sx.listDocuments()).length
    for (const step of someSteps(whole?.steps)) {
      await callUntilKilled(call, step, { env })
      expect((await sx.load(agentIn(folder))).agentId).toBe(agentId)
      const keys = await sx.listDocuments()
      expect(keys.length - stored === 0 || keys.length - stored === 1).toBe(true)
      stored = keys.length
      for (const key of keys) expect((await sx.verifyById(key)).errors).toEqual([])
    }
  })

  it('of updating the agent leaves its old document or its new one', async () => {
    const folder = newFolder()
    const { agentId } = await sx.create(agentIn(folder))
    const rename = (name: string) => [
      ['loadSync', configIn(folder)] as const,
      ['updateAgentSync', { ...JSON.parse(sx.exportAgent()), name }] as const,
    ]
    const [, whole] = await callElsewhere(rename('Renamed'), { env })
    for (const step of someSteps(whole?.steps)) {
      const { name: old } = await sx.load(agentIn(folder))
      await callUntilKilled(rename(`Step ${step}`), step, { env })
      const info = await sx.load(agentIn(folder))
      expect(info.agentId).toBe(agentId)
      expect([old, `Step ${step}`]).toContain(info.name)
      expect((await sx.verifySelf()).errors).toEqual([])
    }
  })

  it('of changing the password leaves a key that the old one opens or the new one', async () => {
    const folder = newFolder()
    const { agentId, privateKeyPath } = await sx.create(agentIn(folder))
    const change = (from: string, to: string) => [
      ['loadSync', { configPath: configIn(folder), password: from }] as const,
      ['reencryptKeySync', from, to] as const,
    ]
    const [, whole] = await callElsewhere(change(PASSWORD, 'password 0'))
    let password = 'password 0'
    for (const step of someSteps(whole?.steps)) {
      const next = `password ${step}`
      const before = recordsIn(dirname(privateKeyPath))
      await callUntilKilled(change(password, next), step, {})
      const records = recordsIn(dirname(privateKeyPath))
      // The record is the moment: after it the new password counts, and the old one no more.
      const [old, isChanged] = [password, records.length > before.length]
      if (isChanged) password = next
      expect((await sx.load({ configPath: configIn(folder), password })).agentId).toBe(agentId)
      await refusal(() => sx.load({ configPath: configIn(folder), password: isChanged ? old : next }), 'WrongPassword')
      // Whoever loads the agent brings the copy up to date, and takes the key out of the records before.
      expect(records).toEqual(upTo(records.length).map((number) => number + 1))
      const pems = records.map((number) => JSON.parse(readFileSync(`${privateKeyPath}.${number}`, 'utf8')).pem)
      expect(pems.pop()).toBe(readFileSync(privateKeyPath, 'utf8'))
      expect(pems.filter((pem) => pem !== null)).toEqual([])
      const beside = unfinished(dirname(privateKeyPath)).map((path) => basename(path))
      expect(beside.length).toBeLessThanOrEqual(1)
    }
    await sx.reencryptKey(password, PASSWORD)
    expect(unfinished(folder)).toEqual([])
  })
})
