// What a module worker is asked to do with the library.
import { load, quickstart, type SxError, signMessage, verifyOrThrow } from 'sx-agent/simple'

const jobs: Readonly<Record<string, (...values: never[]) => Promise<unknown>>> = {
  /** An agent of the worker's own: creates it, signs, verifies. */
  async signed(algorithm: 'pq2025' | 'ed25519') {
    const { agentId, created } = await quickstart({ name: 'Worker', domain: 'example.com', algorithm })
    const { raw } = await signMessage({ from: 'worker' })
    const { valid, trusted, data } = await verifyOrThrow(raw)
    return { agentId, created, raw, valid, trusted, data }
  },
  /** What asking for a passkey comes to. */
  async passkey() {
    const { code, message } = await load({ passkey: true }).then(
      () => ({ code: 'none', message: '' }),
      (error: SxError) => error,
    )
    return { code, message }
  },
  /** The agent that the page made. */
  async loaded() {
    return (await load()).agentId
  },
}

self.onmessage = ({ data: { job, values } }: MessageEvent<{ job: string; values: never[] }>) => {
  const work = jobs[job]
  if (work === undefined) throw new Error(`No such job: ${job}`)
  work(...values).then(
    (value) => self.postMessage({ value }),
    (error: unknown) => self.postMessage({ error: String(error) }),
  )
}
