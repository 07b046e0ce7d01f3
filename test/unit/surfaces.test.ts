// What `npm run check` says of the surfaces of the API, asked here of sources, and of surfaces that are wrong.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Editor } from '../../scripts/surfaces/editor.mjs'
import { type Surface, tables } from '../../scripts/surfaces/tables.mjs'
import { declaredFaults, listFaults, optionFaults, placeFaults, runtimeFaults } from '../../scripts/surfaces.mjs'
import { argumentsOf } from '../conformance/cases/twins.mjs'

const sources = new Editor({ core: './src/index.ts', simple: './src/simple.ts', verify: './src/verify.ts' })
const nothing: Surface = { twins: [], direct: [], awaited: [], classes: [] }

test('the sources are as the tables say', async () => {
  expect(await runtimeFaults(tables)).toEqual([])
  expect(declaredFaults(tables, sources)).toEqual([])
  expect(placeFaults(tables, sources)).toEqual([])
  expect(optionFaults(sources)).toEqual([])
  expect(sources.options('src/api/').length).toBeGreaterThan(30)
  expect(listFaults(tables, readFileSync('docs/api.md', 'utf8'), argumentsOf)).toEqual([])
})

test('an editor shows what an operation does, and leads to it', () => {
  expect(sources.tooltip('simple', 'signMessage')).toEqual({
    type: expect.stringMatching(
      /^const signMessage: \(data: unknown, options\?: .*\) => Promise<core\.SignedDocument>$/s,
    ),
    text: expect.stringMatching(/^Signs a value as a document/),
    tags: ['param', 'param', 'throws', 'example'],
    lost: [],
  })
  expect(sources.tooltip('simple', 'signMessageSync')).toEqual({
    type: expect.stringMatching(/^const signMessageSync: \(data: unknown, options\?: .*\) => core\.SignedDocument$/s),
    text: 'The synchronous twin of {@link signMessage}.',
    tags: [],
    lost: [],
  })
  expect(sources.tooltip('agent', 'verifySignatureSync')).toMatchObject({
    type: '(property) verifySignatureSync: (documentString: string, signatureField?: string | undefined) => boolean',
    text: 'The synchronous twin of {@link verifySignature}.',
  })
  expect(sources.tooltip('agent', 'trustAgent')).toMatchObject({
    type: '(property) trustAgent: (json: string) => core.TrustedAgent',
    text: expect.stringMatching(/^Adds another agent to the trust store/),
  })
  const leads = (surface: string, name: string): unknown => sources.definitions(surface, name)
  expect(leads('simple', 'signMessageSync')).toMatchObject([{ file: 'src/api/documents.ts', name: 'signMessageSync' }])
  expect(leads('agent', 'createDocument')).toMatchObject([{ file: 'src/api/documents.ts', name: 'createDocument' }])
  expect(leads('agent', 'trustAgent')).toMatchObject([{ file: 'src/api/trust.ts', name: 'trustAgent' }])
})

test('what is wrong is found and named', async () => {
  const agent = { ...tables.agent, direct: tables.agent.direct.map((name) => name.replace('isTrusted', 'isKnown')) }
  expect(await runtimeFaults({ ...tables, agent })).toEqual([
    'agent lacks isKnown. Export it from a file of src/api, or take it out of scripts/surfaces/tables.mjs.',
    expect.stringMatching(
      /^agent has isTrusted \(src\/api\/trust\.ts:\d+\), which no table has\. Add it to scripts\/surfaces\/tables\.mjs\.$/,
    ),
  ])
  const twins = [...tables.agent.twins, 'isTrusted']
  expect(await runtimeFaults({ ...tables, agent: { ...tables.agent, twins } })).toEqual([
    expect.stringMatching(
      /^agent lacks isTrustedSync\. Add `export const isTrustedSync = twin\(isTrusted\)` below isTrusted \(src\/api\/trust\.ts:\d+\)\.$/,
    ),
  ])
  expect(listFaults({ ...tables, agent: { ...tables.agent, twins: ['count'] } }, '', { load: [] })).toEqual(
    expect.arrayContaining([
      'docs/api.md does not name count. Add it to the table below "## Functions".',
      'test/conformance/cases/twins.mjs has no arguments for count. Add a row to `ofClass`.',
    ]),
  )
  const faults = './test/unit/faulty-surfaces.ts'
  const faulty = new Editor({ core: faults, simple: faults, verify: faults })
  const wrong = {
    simple: {
      twins: ['unlike', 'other'],
      direct: [
        'twice',
        'undocumented',
        'unshown',
        'lost',
        'unreadable',
        'late',
        'missing',
        'undeclared',
        'halfDeclared',
      ],
      awaited: ['atOnce'],
      classes: [],
    },
    agent: { ...nothing, direct: ['twice'] },
    core: nothing,
    verify: nothing,
    different: [],
  }
  const ofSimple = declaredFaults(wrong, faulty).filter((fault) => fault.startsWith('simple'))
  expect(ofSimple.sort()).toEqual([
    'simple has SxAgent, which no table has. Add it to scripts/surfaces/tables.mjs.',
    'simple lacks missing. Export it from a file of src/api, or take it out of scripts/surfaces/tables.mjs.',
    'simple.atOnce returns no Promise.',
    'simple.late returns a Promise.',
    'simple.lost refers to nothing, which is not found from there.',
    'simple.other and otherSync are no twins.',
    "simple.undocumented is not documented as it should be: ''. Add a comment that says what it does, with an @example above it.",
    'simple.unlike and unlikeSync are no twins.',
    "simple.unlikeSync is not documented as it should be: 'The synchronous twin of {@link twice}.'. Add the comment `/** The synchronous twin of {@link unlike}. */` above it.",
    expect.stringMatching(/^simple\.unreadable has a type that nobody can read: .* extends /),
    "simple.unshown is not documented as it should be: 'Without an example.'. Add a comment that says what it does, with an @example above it.",
  ])
  expect(optionFaults(faulty, 'test/unit/faulty-surfaces.ts')).toEqual([
    expect.stringMatching(
      /^undeclared takes options as argument 1, but does not declare them\. Add `options: \{ at: 1, names: \{ type: true, after: true, limit: true \} \},` below `needs` \(test\/unit\/faulty-surfaces\.ts:\d+\)\.$/,
    ),
    expect.stringMatching(/^halfDeclared takes options as argument 0, .* names: \{ signal: true, timeout: true \} \},/),
  ])
  const places = placeFaults(wrong, faulty)
  expect(places).toContainEqual(expect.stringMatching(/^twice stands in 2 places, not in 1: test.*, test.*\.$/))
  expect(places).toContainEqual(
    expect.stringMatching(/^lost does not stand by its name in the file of a topic, but at test/),
  )
})
