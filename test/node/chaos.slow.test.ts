// Processes that do everything at once with one agent, some of which are killed without a warning.
import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SxError } from 'sx-agent'
import * as sx from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import { isLong } from '../pace.ts'
import agents from '../vectors/agents.json' with { type: 'json' }
import { configIn, dataOf, entryPath, filesOf, newFolder, numbersOf, stagedIn, unfinished, upTo } from './fixtures.ts'
import { Child } from './processes.ts'

const SECONDS = isLong ? 60 : 8
const PROCESSES = 4
const PASSWORDS = ['password 0', 'password 1', 'password 2', 'password 3']
const [{ agentId: FOREIGN, raw, second }] = agents.agents as [(typeof agents.agents)[0]]
/** Versions of one foreign agent's document; an older one is not taken after a newer one. */
const OFFERS = [raw, second]

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const now = (): number => Number(process.hrtime.bigint())

/** A line of a child: what it is about to do, or what came of it. */
interface Line {
  readonly begin?: string
  readonly answer?: string
  readonly at: number
  readonly code?: string
  readonly message?: string
  readonly agentId?: string
  readonly created?: boolean
  readonly next?: string
  readonly trusts?: number
  readonly exact?: boolean
  readonly nothing?: boolean
  readonly id?: string
  readonly version?: string
  readonly previous?: string
  readonly n?: number
}

/** An operation of a child, answered or under way when the child died. */
interface Operation {
  readonly name: string
  readonly begin: number
  readonly end: number
  readonly intent: Line
  readonly answer: Line | undefined
}

function operationsOf(said: readonly unknown[], died: number): Operation[] {
  const lines = said as Line[]
  return lines.flatMap((intent, at) => {
    if (intent.begin === undefined) return []
    const answer = lines[at + 1]
    expect(answer?.answer ?? intent.begin).toBe(intent.begin)
    return { name: intent.begin, begin: intent.at, end: answer?.at ?? died, intent, answer }
  })
}

/** Refusals that are right, because another process was faster. */
const EXPECTED: Record<string, readonly string[]> = {
  update: ['VersionConflict', 'WrongPassword'],
  trust: ['Rollback'],
  reencrypt: ['WrongPassword'],
  load: ['WrongPassword'],
}

/** The operations that may have been the last one to take effect: none that was answered has begun after their end. */
function lastOf(operations: readonly Operation[]): Operation[] {
  const effective = operations.filter(({ answer }) => answer === undefined || answer.code === undefined)
  const begins = effective.filter(({ answer }) => answer !== undefined).map(({ begin }) => begin)
  const latest = Math.max(Number.NEGATIVE_INFINITY, ...begins)
  return effective.filter(({ end }) => end >= latest)
}

/** Lets processes work on a folder and kills some; gives what they did. */
async function work(folder: string): Promise<{ operations: Operation[]; kills: number }> {
  const stop = join(newFolder(), 'stop')
  const args = [JSON.stringify({ configPath: configIn(folder), stop, passwords: PASSWORDS, offers: OFFERS })]
  const start = (): Child => new Child('chaos', args)
  const children = Array.from({ length: PROCESSES }, start)
  const operations: Operation[] = []
  let kills = 0
  const kill = async (which: number): Promise<void> => {
    const child = children[which] as Child
    await child.kill()
    kills += 1
    operations.push(...operationsOf(child.said, now()))
    children[which] = start()
  }
  // One or two are killed while the agent comes into being.
  for (let which = randomInt(2); which < 2; which++) {
    await children[which]?.hasSaid(1)
    await pause(randomInt(1000))
    await kill(which)
  }
  // The time counts from when all are at work, however slow the machine is.
  await Promise.all(children.map((child) => child.hasSaid(5)))
  const until = now() + SECONDS * 1e9
  while (now() < until) {
    const which = randomInt(PROCESSES)
    // Most are killed when they have something to lose.
    const enough = randomInt(4) === 0 ? 1 : 4 + randomInt(40)
    while ((children[which]?.said.length ?? 0) < enough && now() < until) await pause(5)
    await pause(randomInt(30))
    if (now() < until) await kill(which)
  }
  writeFileSync(stop, '')
  for (const child of children) operations.push(...operationsOf(await child.finish(), now()))
  return { operations, kills }
}

/** Loads the agent with each password; gives those that open it. */
async function passwordsThatOpen(configPath: string): Promise<string[]> {
  const right: string[] = []
  for (const password of PASSWORDS) {
    try {
      await sx.load({ configPath, password, env: {} })
      right.push(password)
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'WrongPassword')) throw error
    }
  }
  return right
}

describe('Real processes', () => {
  it(`${PROCESSES} on one folder for ${SECONDS} s with kill -9 at random, on files`, async () => {
    const folder = newFolder()
    const configPath = configIn(folder)
    const { operations, kills } = await work(folder)
    const ofName = (wanted: string): Operation[] => operations.filter(({ name }) => name === wanted)

    // What was refused was refused because another one was faster.
    const wrong = operations.filter(
      ({ name, answer }) => answer?.code !== undefined && !EXPECTED[name]?.includes(answer.code),
    )
    expect(wrong.map(({ answer }) => answer)).toEqual([])
    expect(kills).toBeGreaterThan(0)

    // One agent, made by one process, unless that was killed before it could say so.
    const quickstarts = ofName('quickstart').flatMap(({ answer }) => answer ?? [])
    const agentIds = new Set(quickstarts.map(({ agentId }) => agentId))
    expect(agentIds.size).toBe(1)
    expect(quickstarts.filter(({ created }) => created).length).toBeLessThanOrEqual(1)

    // One password opens the key: one that may have been the last.
    const changes = ofName('reencrypt')
    const last = new Set(lastOf(changes).map(({ intent }) => intent.next))
    if (changes.every(({ answer }) => answer === undefined || answer.code !== undefined)) last.add(PASSWORDS[0])
    const right = await passwordsThatOpen(configPath)
    expect(right).toHaveLength(1)
    expect([...last]).toContain(right[0])
    const password = right[0] as string
    const info = await sx.load({ configPath, password, env: {} })
    expect(info.agentId).toBe([...agentIds][0])
    expect(stagedIn(folder)).toEqual([])

    // The key's records have no hole, the last one is what the key file holds, and no other still has a key.
    const answered = changes.filter(({ answer }) => answer !== undefined && answer.code === undefined)
    const records = filesOf(info.keyDirectory)
      .flatMap((name) => /^sx\.private\.pem\.([0-9]+)$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b)
    expect(records).toEqual(upTo(records.length).map((number) => number + 1))
    expect(records.length).toBeGreaterThanOrEqual(answered.length)
    expect(records.length).toBeLessThanOrEqual(answered.length + kills)
    const pems = records.map(
      (number) => JSON.parse(readFileSync(`${info.privateKeyPath}.${number}`, 'utf8')).pem as string | null,
    )
    if (pems.length > 0) expect(pems.pop()).toBe(readFileSync(info.privateKeyPath, 'utf8'))
    expect(pems.filter((pem) => pem !== null)).toEqual([])

    // Every version that was reported is there, valid, and the only one that follows the one before.
    const made = [...ofName('sign'), ...ofName('update')].flatMap(({ answer }) =>
      answer?.version === undefined ? [] : (answer as Required<Line>),
    )
    expect(made.length).toBeGreaterThan(PROCESSES)
    const links = made.flatMap(({ previous }) => previous ?? [])
    expect(new Set(links).size).toBe(links.length)
    for (const { id, version, n } of made) {
      const result = await sx.verifyById(`${id}:${version}`)
      expect(result.errors).toEqual([])
      expect(dataOf(result)).toEqual({ n })
    }

    // The chains have no holes, no two entries of a number, and nothing that nobody made.
    let versions = 0
    const documents = (await sx.listDocuments()).map((key) => key.slice(0, 36)).filter((id) => id !== info.agentId)
    expect(documents).toEqual(expect.arrayContaining([...new Set(made.map(({ id }) => id))]))
    for (const id of documents) {
      const numbers = numbersOf(dirname(entryPath(folder, id, 1)), id)
      expect(numbers).toEqual(upTo(numbers.length))
      versions += numbers.length
      let previous: string | undefined
      for (const number of numbers) {
        const document = JSON.parse(readFileSync(entryPath(folder, id, number), 'utf8'))
        expect(document).toMatchObject({ sxId: id, content: { n: number } })
        expect(document.sxPreviousVersion).toBe(previous)
        previous = document.sxVersion
        expect((await sx.verifyById(`${id}:${previous}`)).errors).toEqual([])
      }
      expect(await sx.verifyById(id)).toMatchObject({ valid: true, data: { n: numbers.length } })
    }
    expect(versions).toBeGreaterThanOrEqual(made.length)
    expect(versions).toBeLessThanOrEqual(made.length + kills)

    // Trust is what the last decision left.
    const decisions = ofName('trust')
    const states = new Set(lastOf(decisions).map(({ intent }) => intent.trusts))
    if (decisions.every(({ answer }) => answer === undefined || answer.code !== undefined)) states.add(-1)
    const trusted = sx.isTrusted(FOREIGN) ? OFFERS.indexOf(sx.getTrustedAgent(FOREIGN)) : -1
    expect([...states]).toContain(trusted)
    expect(sx.listTrustedAgents()).toEqual(trusted === -1 ? [] : [FOREIGN])
    if (decisions.length > 0) {
      const numbers = numbersOf(join(folder, 'sx_data', 'trust'), FOREIGN)
      expect(numbers).toEqual(upTo(numbers.length))
    }

    // Files of the dead go with the next write in each of the two directories.
    await sx.signMessage({ n: 1 })
    await sx.reencryptKey(password, 'the end')
    expect(unfinished(folder)).toEqual([])
    expect(stagedIn(folder)).toEqual([])
  })
})
