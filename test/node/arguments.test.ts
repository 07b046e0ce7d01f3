// Wrong arguments to every function: one SxError that says what to do, and nothing is written.
import * as sx from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import { refusal } from './fixtures.ts'
import { ROWS } from './wrong-arguments.ts'
import { agent, bytes, document, NOT_TEXT, wrong } from './wrong-values.ts'

describe('an argument behind the options', () => {
  it('is refused, since the options are the last one', async () => {
    const { documentId } = document
    const options = { type: 'order', noSave: true }
    for (const call of [
      () => agent.createDocument('{}', options, 'x.json'),
      () => agent.createDocument('{}', options, null, true),
      () => agent.createDocument('{}', options, null, null, { name: 'x', data: new Uint8Array() }),
      () => agent.createDocument('{}', options, null, null, null, false),
      () => agent.updateDocument(documentId, '{}', { attachments: [] }, true),
      () => sx.updateDocument(documentId, {}, { attachments: [] }, false),
    ]) {
      expect((await refusal(call, 'InvalidOption')).found).toContain('The options must be the last argument')
    }
  })
})

describe('a wrong argument', () => {
  for (const [name, { call, values, codes }] of Object.entries(ROWS)) {
    it(`is refused: ${name}`, async () => {
      for (const value of values) await refusal(() => call(wrong(value)), codes)
    })
  }
})

describe('what is no document', () => {
  it('is no valid one, and no reason to throw', async () => {
    for (const value of [...NOT_TEXT, '', '\uD800', 'x']) {
      const text = wrong(value)
      for (const result of [
        await sx.verify(text),
        sx.verifySync(text),
        sx.verifyStandalone(text),
        sx.verifyStandalone(text, { keyDirectory: {} }),
      ]) {
        expect(result).toMatchObject({ valid: false, data: undefined, signerId: '', code: expect.any(String) })
        expect(result.errors).toHaveLength(1)
        expect(Object.isFrozen(result)).toBe(true)
      }
      expect(await agent.verifyDocument(text)).toBe(false)
      expect(agent.verifyDocumentSync(text)).toBe(false)
      expect(await agent.verifySignature(text)).toBe(false)
      await refusal(() => agent.verifyOrThrow(text), ['NotJson', 'InvalidDocument', 'MissingSignature'])
    }
  })

  it('is no signature of a string either', () => {
    const key = bytes()
    const good = agent.signStringSync('x')
    expect(agent.verifyStringSync('x', good, key, 'ring-Ed25519')).toBe(true)
    const bad = ['', 'x', '=', good.slice(1), good.slice(0, -4), `${good} `, `${good}\n`, good.replace(/=+$/, ''), '\0']
    for (const signature of bad) expect(agent.verifyStringSync('x', signature, key, 'ed25519')).toBe(false)
    for (const type of ['', 'rsa', 'pq2025', 'ED25519'])
      expect(agent.verifyStringSync('x', good, key, type)).toBe(false)
    for (const other of [new Uint8Array(), new Uint8Array(32), new Uint8Array(31), key.subarray(1)])
      expect(agent.verifyStringSync('x', good, other, 'ed25519')).toBe(false)
  })
})
