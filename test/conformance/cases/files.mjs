// Files: the vectors, and signing, attaching and comparing bytes and Blobs.
import agents from '../../vectors/agents.json' with { type: 'json' }
import vectors from '../../vectors/files.json' with { type: 'json' }
import { equal, ok, refused } from '../assert.mjs'

const encoder = new TextEncoder()
const keyDirectory = Object.fromEntries(agents.agents.map(({ agentId, publicKey }) => [agentId, publicKey]))
const base64 = (bytes) => btoa(String.fromCharCode(...bytes))

/** Attachments as the vectors show them. */
const shown = (attachments) =>
  attachments.map(({ content, ...rest }) => (content === undefined ? rest : { ...rest, content: base64(content) }))

export function files({ SxError, simple, open }) {
  return [
    ...vectors.cases.map(({ name, text, code, attachments, warnings }) => [
      `files: ${name}`,
      async () => {
        const result = simple.verifyStandalone(text, { keyDirectory })
        equal(result.code ?? null, code, 'code')
        equal(shown(result.attachments), attachments, 'attachments')
        equal(result.warnings, warnings, 'warnings')
        for (const part of [...result.attachments, ...result.warnings, result.warnings])
          ok(Object.isFrozen(part), 'frozen')
      },
    ]),
    [
      'files: T29 names that are not safe',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        for (const { name, shown: safe } of vectors.names) {
          if (name === '') continue
          const { raw } = await agent.signFile({ name, data: encoder.encode('x') }, { noSave: true })
          equal((await agent.verify(raw)).attachments[0].filename, safe, JSON.stringify(name))
        }
      },
    ],
    [
      'files: bytes and Blobs are signed and compared',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7) % 251)
        for (const data of [bytes, new Blob([bytes])]) {
          const told = []
          const options = { embed: true, onProgress: (done, total) => told.push([done, total]) }
          const { raw } = await agent.signFile({ name: 'numbers.bin', data }, options)
          const { attachments } = await agent.verifyOrThrow(raw)
          equal(attachments[0].size, bytes.length, 'size')
          equal(base64(attachments[0].content.subarray(0, 1000)), base64(bytes.subarray(0, 1000)), 'content')
          equal(told.at(-1), [bytes.length, bytes.length], 'progress')
          equal((await agent.verifyFile(raw, data)).valid, true, 'the same')
          equal((await agent.verifyFile(raw, bytes.subarray(1))).code, 'FileMismatch', 'another')
          equal((await agent.verifyFile(raw, { name: 'NUMBERS.BIN', data })).valid, true, 'by another name')
        }
        equal(agent.verifyFileSync(agent.signFileSync({ name: 'x', data: bytes }).raw, bytes).valid, true, 'the twins')
        await refused(SxError, 'InvalidOption', () => agent.signFile(bytes))
      },
    ],
    [
      'files: what is attached stays until it is replaced',
      async () => {
        const { agent } = await open('ed25519', 'Author')
        const file = (name) => ({ name, data: encoder.encode(name) })
        const raw = await agent.createDocument({ a: 1 }, { attachments: [file('a'), file('b')], embed: true })
        const { sxId } = JSON.parse(raw)
        const names = async (text) => (await agent.verifyOrThrow(text)).attachments.map(({ filename }) => filename)
        equal(await names(raw), ['a', 'b'])
        equal(await names(await agent.updateDocument(sxId, '{"a":2}')), ['a', 'b'])
        equal(await names(await agent.updateDocument(sxId, '{"a":3}', file('c'))), ['c'])
        equal(await names(await agent.updateDocument(sxId, '{"a":4}', [])), [])
      },
    ],
  ]
}
