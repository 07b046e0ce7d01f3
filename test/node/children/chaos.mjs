// Works with others on the agent of one folder until a file is there: signs, updates documents of all, decides on a
// foreign agent, changes the password, loads again. Prints a line of JSON before each operation and one with its answer:
//
//   node chaos.mjs '{"configPath", "stop", "passwords": […], "offers": […]}'
//
//   {"begin": "update"|…, "at", …}      what it is about to do
//   {"answer": "update"|…, "at", …}     with "code" if it was refused
//
// `at` is in nanoseconds of the clock that all processes of a machine share.
import { randomInt } from 'node:crypto'
import { existsSync, writeSync } from 'node:fs'
import { SxAgent, SxError } from 'sx-agent'
import * as simple from 'sx-agent/simple'

const { configPath, stop, passwords, offers } = JSON.parse(process.argv[2])
const foreign = JSON.parse(offers[0]).sxId

const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`)
const now = () => Number(process.hrtime.bigint())
const oneOf = (list) => list[randomInt(list.length)]
const pointOf = (raw) => {
  const { sxId, sxVersion, sxPreviousVersion, content } = JSON.parse(raw)
  return { id: sxId, version: sxVersion, previous: sxPreviousVersion, n: content.n }
}

/** Does something and tells of it. Any other error than an SxError ends the process. */
async function report(name, intent, work) {
  print({ begin: name, at: now(), ...intent })
  let answer
  try {
    answer = await work()
  } catch (error) {
    if (!(error instanceof SxError)) throw error
    answer = { code: error.code, message: error.message }
  }
  print({ answer: name, at: now(), ...intent, ...answer })
}

/** Tries one password after the other, the one that was right last first. */
let right = passwords[0]
async function withPassword(work) {
  for (const password of [right, ...passwords.filter((other) => other !== right)]) {
    try {
      const result = await work(password)
      right = password
      return result
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'WrongPassword')) throw error
    }
  }
  throw new SxError('WrongPassword') // it has been changed all the time
}

const options = { name: 'Chaos', domain: 'example.com', algorithm: 'ed25519', configPath, env: {} }

/** The same agent on the class, whose state is its own. */
let signer
async function loadSigner(password) {
  const agent = new SxAgent({ password, env: {} })
  await agent.load(configPath)
  return agent
}

/** One of the documents that are there. */
async function anyDocument() {
  const { agentId } = simple.getAgentInfo()
  return oneOf((await simple.listDocuments()).filter((key) => !key.startsWith(agentId)))
}

const operations = {
  sign: () => report('sign', {}, async () => pointOf((await simple.signMessage({ n: 1 })).raw)),
  update: () =>
    report('update', {}, async () => {
      const key = await anyDocument()
      if (key === undefined) return { nothing: true }
      const { data, errors, documentId, version } = await simple.verifyById(key.slice(0, 36))
      if (errors.length > 0) return { code: 'invalid', message: errors.join() }
      // By the id alone it would follow whatever is the latest version by then, with a number from the one before.
      return pointOf((await simple.updateDocument(`${documentId}:${version}`, { n: data.n + 1 })).raw)
    }),
  updateExact: () =>
    report('update', { exact: true }, async () => {
      const key = await anyDocument()
      if (key === undefined) return { nothing: true }
      const current = JSON.parse(await simple.getDocument(key))
      const content = { n: current.content.n + 1 }
      signer ??= await withPassword(loadSigner)
      return pointOf(await signer.updateDocument(key, JSON.stringify({ ...current, content })))
    }),
  trust: () => {
    const offer = randomInt(offers.length)
    return report('trust', { trusts: offer }, () => void simple.trustAgent(offers[offer]))
  },
  untrust: () => report('trust', { trusts: -1 }, () => ({ wasTrusted: simple.untrustAgent(foreign) })),
  reencrypt: () => {
    const next = oneOf(passwords.filter((password) => password !== right))
    return report('reencrypt', { next }, async () => {
      await withPassword((password) => simple.reencryptKey(password, next))
      right = next
    })
  },
  load: () =>
    report('load', {}, () =>
      withPassword((password) => simple.load({ configPath, env: {}, password })).then(() => ({})),
    ),
}

// The first one makes the agent.
await report('quickstart', {}, async () => {
  for (;;) {
    try {
      const { agentId, created } = await withPassword((password) => simple.quickstart({ ...options, password }))
      return { agentId, created }
    } catch (error) {
      if (!(error instanceof SxError && error.code === 'WrongPassword')) throw error
    }
  }
})
const FREQUENT = ['update', 'update', 'update', 'updateExact', 'trust', 'untrust']
const ALL = [...FREQUENT, ...FREQUENT, 'sign', 'reencrypt', 'load']
if (simple.isLoaded()) await operations.sign()
while (simple.isLoaded() && !existsSync(stop)) await operations[oneOf(ALL)]()
