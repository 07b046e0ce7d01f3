// A worker that several pages share: it keeps one agent and does for them what they ask.
import * as sx from 'sx-agent/simple'

const jobs: Readonly<Record<string, (...given: never[]) => Promise<unknown>>> = {
  start: async (options: object) => {
    const { agentId, created } = await sx.quickstart({
      name: 'Shared',
      domain: 'example.com',
      algorithm: 'ed25519',
      ...options,
    })
    return { agentId, created }
  },
  sign: async (n: number) => (await sx.signMessage({ n })).raw,
  verify: async (raw: string) => (await sx.verify(raw)).valid,
}

Object.assign(self, {
  onconnect: ({ ports }: MessageEvent) => {
    const [port] = ports
    if (port === undefined) return
    port.onmessage = ({ data: { call, job, given } }: MessageEvent<{ call: number; job: string; given: never[] }>) => {
      jobs[job]?.(...given).then(
        (value) => port.postMessage({ call, value }),
        (error: unknown) => {
          const { code, message } = error as sx.SxError
          port.postMessage({ call, code, message })
        },
      )
    }
  },
})
