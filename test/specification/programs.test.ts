// Programs that are written from the specification's tables compile strictly, and do what these say.
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { run } from './programs.ts'

const program = fileURLToPath(new URL('programs.ts', import.meta.url))

it('spec 3 quickstart-new, quickstart-existing, load, document-exists, updateDocument; 5 trust-store, keyResolution; 6 no-events; 8 ttl, noSave; 9 document-versions, schema-migration: programs from the tables run', async () => {
  expect(await run('correct horse battery staple')).toEqual({
    isSame: true,
    isDated: true,
    data: [true, { amount: 1 }, undefined, 1],
    updated: { amount: 2 },
    attachment: ['note.txt', true, true, 'Dear all\n'],
    text: ['signed', 1],
    standalone: true,
    record: true,
    trusted: 0,
    audit: [expect.any(String), true, true, expect.any(String)],
    loaded: [true, 'Billing'],
    agent: 'Billing',
    copy: 1,
    refused: ['SxError', ' SchemaViolation'],
    next: 2,
    found: [true, true, true],
    isText: true,
    artifact: 'com.example.result',
    payload: { method: 'balance' },
    config: './records',
    hash: 'ba7816bf',
    pem: '-----BEGIN PUBLIC KEY-----',
  })
})

it('they compile strictly against what is published', () => {
  const strict: ts.CompilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    noUnusedLocals: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  }
  const found = ts.getPreEmitDiagnostics(ts.createProgram([program], strict))
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
})
