'use client'
// A page of Next.js: sends its report to the address that its own names.
import { createElement, useEffect } from 'react'
import { createWorkerAgent } from 'sx-agent/worker'
import { equal, ok } from '../../assert.mjs'
import { main, report, simple, storage } from '../report.mjs'

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4: SHA-256 of "abc"

/** Both kinds of workers start and answer. */
async function workers() {
  const { Worker } = globalThis
  let answers = 0
  globalThis.Worker = class extends Worker {
    constructor(...given) {
      super(...given)
      this.addEventListener('message', () => {
        answers += 1
      })
    }
  }
  const options = { name: 'Many', algorithm: 'ed25519', password: 'a password for tests' }
  await simple.create({ ...options, storage: storage.memoryStorage() })
  answers = 0
  const { raw } = await simple.signMessage({ amount: 1 })
  const verdicts = await simple.verifyMany(Array.from({ length: 200 }, () => raw))
  equal(verdicts.filter(({ valid, trusted }) => valid && trusted).length, 200)
  ok(answers > 1, 'workers verify')
  await simple.close()
  const agent = await createWorkerAgent()
  equal(await agent.hashString('abc'), abc)
  await agent.close()
  globalThis.Worker = Worker
}

async function answer() {
  try {
    await main.init()
    const text = await report({ place: 'kept-next', short: true })
    await workers()
    return text
  } catch (error) {
    return `FAILED: ${error?.stack ?? error}`
  }
}

let isAsked = false

async function run() {
  const to = new URLSearchParams(location.search).get('to')
  if (to === null || isAsked) return
  isAsked = true
  await fetch(to, { method: 'POST', mode: 'no-cors', body: await answer() })
}

export default function Page() {
  useEffect(() => void run(), [])
  return createElement('p', null, 'Conformance')
}
