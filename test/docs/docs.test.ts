// The documentation is true: its code runs and prints what it says, its links lead somewhere, its tables are those
// of the sources.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { createConfig, type DocumentWarning, SxAgent, SxError } from 'sx-agent'
import { verifyStandalone } from 'sx-agent/simple'
import { memoryStorage } from 'sx-agent/storage'
import { afterAll, describe, expect, it } from 'vitest'
import { codes } from '#codes'
import { EXIT } from '../../node/cli/exit.ts'
import { type Surface, tables } from '../../scripts/surfaces/tables.mjs'
import { commandPaths, Place } from '../cli/run.ts'
import agents from '../vectors/agents.json' with { type: 'json' }
import documents from '../vectors/documents.json' with { type: 'json' }
import texts from '../vectors/texts.json' with { type: 'json' }
import { type Block, type Page, readGuides, readPage, readPages, root } from './markdown.ts'
import { Project, promised } from './project.ts'

const pages = readPages()
/** First lines of shell blocks that cannot run here. */
const ELSEWHERE = /^# in (a checkout|your project)\n/
const guides = readGuides().map(({ path }) => path)

const where = (page: Page, block: Block): string => `${page.path}:${block.line}`

interface Document {
  readonly sxId: string
  readonly sxType: string
  readonly sxPublicKeys: readonly { readonly publicKey: string }[]
  readonly sxSignature?: unknown
}

/** The signed documents of a page. */
function documentsOf(page: Page): Document[] {
  const values = page.blocks
    .filter(({ language }) => language === 'json')
    .map(({ code }) => JSON.parse(code) as Document)
  return values.filter((value) => value.sxSignature !== undefined)
}

/** The keys that a page's agent documents hold. */
function keysOf(page: Page): Record<string, string> {
  const agents = documentsOf(page).filter(({ sxType }) => sxType === 'agent')
  return Object.fromEntries(agents.map(({ sxId, sxPublicKeys }) => [sxId, sxPublicKeys[0]?.publicKey ?? '']))
}

/** What a block does, beside what it should. */
async function outcome(project: Project, page: Page, { language, file, code }: Block): Promise<[unknown, unknown]> {
  if (page.path === 'docs/loading.md' && file !== undefined) return [true, true] // loading.test.ts runs them, by name
  if (file !== undefined) project.write(file, code)
  switch (language) {
    case 'js': {
      if (file === 'page.js') return [page.path, 'docs/keys.md'] // keys.test.ts opens it
      // A program in a file is run by a shell block of its page, as people are told to.
      if (file !== undefined) return [page.blocks.some((b) => b.language === 'sh' && b.code.includes(file)), true]
      return [(await project.module(code)).split('\n').slice(0, -1), promised(code)]
    }
    case 'sh':
      await project.shell(code) // throws if a command fails
      return [true, true]
    case 'json': {
      const isSigned = (JSON.parse(code) as Document).sxSignature !== undefined
      return [isSigned && verifyStandalone(code, { keyDirectory: keysOf(page) }).errors, isSigned && []]
    }
    case 'mermaid':
      return [page.path, 'docs/agreements.md'] // agreements.test.ts compares it with the code
    case 'http':
      return [page.path, 'docs/loading.md'] // page.test.ts sends it
    case 'text':
      return [file === undefined, false] // looked at by name, below
    default:
      return [`a block of '${language}'`, 'a block that there is a way to run']
  }
}

/** What runs here: of a guide only what is no part of its project, which test/packaging/guides.test.ts runs. */
const runnable = ({ path, blocks }: Page): Block[] =>
  blocks.filter(({ language, file, code }) =>
    guides.includes(path) ? language === 'js' && file === undefined : !ELSEWHERE.test(code),
  )

describe.each(pages.filter((page) => runnable(page).length > 0))('code of $path', (page) => {
  const project = new Project()
  afterAll(() => project.remove())
  it.each(runnable(page).map((block) => ({ block, at: where(page, block) })))('$at', async ({ block }) => {
    const [actual, expected] = await outcome(project, page, block)
    expect(actual).toEqual(expected)
  })
})

describe('code that does not run here', () => {
  it('is shell blocks marked as such, and these only', () => {
    const marked = pages.flatMap((page) =>
      page.blocks.filter(({ code }) => ELSEWHERE.test(code)).map(({ language, code }) => ({ page, language, code })),
    )
    const commands = marked.map(({ page, language, code }) => {
      expect(language).toBe('sh')
      const lines = code.split('\n').slice(1)
      return [page.path, ...lines.map((line) => line.replace(/ *#.*$/, ''))]
    })
    expect(commands).toEqual([
      ['README.md', 'npm run build', 'npm pack'], // run by test/packaging
      ['README.md', 'npm install ../sx-agent/sx-agent-0.1.0.tgz'], // run by test/packaging/guides.slow.test.ts
      ['README.md', 'npm run demo', 'npm test'], // the second one runs this test
      ['CONTRIBUTING.md', 'npm run demo', 'npm test', 'npm run check'], // run by .ci/run
      [
        'CONTRIBUTING.md',
        'npm test -- rotation',
        'node scripts/setup.mjs --quick',
        'cargo test --manifest-path wasm/Cargo.toml document',
        'npx vitest run --project node test/docs',
        'npx vitest run --project browser test/conformance',
      ],
      ['CONTRIBUTING.md', 'npm run setup -- --modules ../other-checkout/wasm/dist'], // run by test/packaging/setup.test.ts
      [
        'docs/performance.md',
        'npm run bench',
        'npm run bench -- --only size,start',
        'npm run bench -- --only page --runs 9',
        'npm run bench -- --out results.md',
        'npm run bench -- --against ../other-checkout',
      ],
    ])
  })

  it('names scripts of the package', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
    const named = pages.flatMap(({ text }) => [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name))
    expect(named.length).toBeGreaterThan(0)
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
  })

  it('is text that has a name, so that something looks at it', () => {
    const texts = pages.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'text'))
    expect(texts.map(({ file }) => file)).toEqual([
      'small-order.txt',
      'record.txt',
      'directories.txt',
      'hashed.txt',
      'statement.txt',
      'signed.txt',
    ])
  })
})

describe('README', () => {
  it('is short', () => {
    const { text } = readPage('README.md')
    expect(text.split('\n').length).toBeLessThan(150)
    expect(text.split(/\s+/).length).toBeLessThan(1_000)
  })

  it('has first lines that find the same agent on the second day', async () => {
    const readme = readPage('README.md')
    const [lines, commands] = readme.blocks.slice(2)
    expect([lines?.language, lines?.file, commands?.language]).toEqual(['js', 'first.mjs', 'sh'])
    const project = new Project()
    try {
      project.write('first.mjs', lines?.code ?? '')
      expect(await project.shell(commands?.code ?? '')).toBe('true\n')
      const config = (): string => readFileSync(join(project.folder, 'sx.config.json'), 'utf8')
      const before = config()
      expect(await project.shell(commands?.code ?? '')).toBe('true\n')
      expect(config()).toBe(before)
      const keys = readdirSync(join(project.folder, 'sx_keys')).filter((name) => name.endsWith('.pem'))
      const [, agentId] = /"sxAgentIdAndVersion": "([^:]+):/.exec(before) ?? []
      expect(keys.sort()).toEqual([`${agentId}.public.pem`, 'sx.private.pem', 'sx.public.pem'].sort())
    } finally {
      project.remove()
    }
  })
})

describe('the table of functions', () => {
  const { text } = readPage('docs/api.md')
  const [, section = ''] = text.split('\n## Functions\n')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| [^|]+ \|(.*)\|(.*)\|$/gm)]
  const column = (at: number): string[] =>
    rows.flatMap((row) => [...(row[at] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).sort()
  const operations = ({ twins, direct, awaited }: Surface): string[] => [...twins, ...direct, ...awaited]
  const simple = operations(tables.simple).filter((name) => name !== 'init')
  const agent = operations(tables.agent).filter((name) => name !== 'init')

  it('says of every operation where it is', () => {
    expect(rows).toHaveLength(11)
    expect(agent.filter((name) => !simple.includes(name))).toEqual(['wrapA2aArtifact']) // the text below says why
    expect([column(1), column(2)]).toEqual([
      simple.filter((name) => agent.includes(name)).sort(),
      simple.filter((name) => !agent.includes(name)).sort(),
    ])
  })

  it('is followed by what is neither', () => {
    const named = [...section.split('\n## ')[0]!.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(named).toEqual(expect.arrayContaining([...operations(tables.core), ...tables.different, 'wrapA2aArtifact']))
  })
})

describe('the table of exit statuses', () => {
  it('has all of them, in order', () => {
    const [, section = ''] = readPage('docs/cli.md').text.split('\n## Exit status\n')
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (\d) \|/gm)].map(([, status]) => Number(status))
    expect(rows).toEqual(Object.values(EXIT))
  })
})

describe('the table of commands', () => {
  it('has all of them', async () => {
    const [, section = ''] = readPage('docs/cli.md').text.split('\n## Commands\n')
    const cells = [...section.matchAll(/^\| (`sx .*?) \|/gm)].map(([, cell = '']) => cell)
    const named = cells.flatMap((cell) => [...cell.matchAll(/`sx (.*?)`/g)].map(([, name = '']) => name))
    const place = new Place()
    try {
      const paths = await commandPaths(place)
      const groups = paths.filter((path) => paths.some((other) => other.startsWith(`${path} `)))
      expect(named.sort()).toEqual([...paths.filter((path) => !groups.includes(path)), 'help'].sort())
    } finally {
      place.remove()
    }
  })
})

describe('links', () => {
  it.each(pages)('of $path lead to files and headings', (page) => {
    const inside = page.links.filter((link) => !/^[a-z]+:/.test(link))
    const broken = inside.filter((link) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page.path : relative(root, resolve(root, dirname(page.path), path))
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !readPage(target).anchors.has(anchor)
    })
    expect(broken).toEqual([])
    for (const link of page.links.filter((link) => /^[a-z]+:/.test(link))) expect(link).toMatch(/^https:\/\//)
  })

  it.each(pages)('of $path: the paths it names are there', (page) => {
    const missing = page.paths.filter((path) => !existsSync(join(root, path)))
    expect(missing).toEqual([])
    const folders = page.paths.filter((path) => path.endsWith('/'))
    expect(folders.filter((path) => !statSync(join(root, path)).isDirectory())).toEqual([])
  })
})

describe('protocol', () => {
  const protocol = readPage('docs/protocol.md')
  const source = readFileSync(join(root, 'wasm/core/src/text/warnings.rs'), 'utf8')
  const [, kinds = ''] = source.split('\nkinds! {\n')
  const warnings = [...(kinds.split('\n}')[0] ?? '').matchAll(/^ {4}(\w+): /gm)].map(([, name = '']) => name)

  it('lists the error codes of the core with their sentences, in its order', () => {
    const [, section = ''] = protocol.text.split('\n## 16. Error codes\n')
    const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, code, what]) => [
      code,
      what,
    ])
    expect(rows).toEqual(Object.entries(codes).map(([code, { what }]) => [code, what]))
  })

  const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
  /** Those that no error has, as the type has them. */
  const ofRequests = [...textOf('src/types/requests.ts').matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code = '']) => code)

  it('says when a request is refused with which code', () => {
    const [, table = ''] = protocol.text.split('\n### The checks\n')
    const named = new Set([...table.matchAll(/`([A-Z]\w+)`/g)].map(([, code]) => code))
    const ofServers = ['BodyAlreadyConsumed', 'PublicOriginMissing'] // no matter of the protocol
    expect(ofRequests.filter((code) => !named.has(code))).toEqual(ofServers)
    const inModule = [...textOf('wasm/exchange/src/codes.rs').matchAll(/^ {4}(\w+): "/gm)].map(([, code = '']) => code)
    expect(inModule.filter((code) => !ofRequests.includes(code))).toEqual(['InvalidOption'])
  })

  it('names no code that does not exist', () => {
    const named = [...protocol.text.matchAll(/`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(50)
    const ofFiles: DocumentWarning['code'][] = ['UnsafeFilename', 'SameFilename']
    const known = [...Object.keys(codes), ...ofRequests, ...warnings, ...ofFiles, 'SxError']
    expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([])
  })

  it('lists the warnings on texts that the core has, in its order', () => {
    const [, section = ''] = protocol.text.split('\n### Warnings\n')
    const listed = [...(section.split('\n### ')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(warnings)
    expect(warnings).toHaveLength(8)
  })

  it('shows a signed text of the test vectors', () => {
    const shown = protocol.blocks.find(({ file }) => file === 'signed.txt')?.code
    expect(texts.texts.map(({ text }) => text)).toContain(`${shown}\n`)
  })

  it('works its example out as the test vectors do', () => {
    const block = (file: string): string => protocol.blocks.find((one) => one.file === file)?.code ?? ''
    const [agent] = agents.agents
    const [document] = documents.documents
    expect(JSON.parse(block('agent.json'))).toEqual(JSON.parse(agent?.raw ?? ''))
    expect(JSON.parse(block('document.json'))).toEqual(JSON.parse(document?.raw ?? ''))
    expect(protocol.text).toContain(`of the message \`${document?.input}\`:`)
    expect(block('hashed.txt')).toBe(document?.hashed)
    expect(protocol.text).toContain(`the SHA-256 of these ${Buffer.byteLength(block('hashed.txt'))} bytes`)
    expect(block('statement.txt').endsWith(` ${document?.signed}`)).toBe(true)
    expect(Buffer.byteLength(block('statement.txt'))).toBe(document?.statement.length)
  })

  it('shows what the agent of its example publishes', async () => {
    const { agentId = '', raw = '', publicKey = '' } = agents.agents[0] ?? {}
    const { sxVersion } = JSON.parse(raw) as { sxVersion: string }
    const storage = memoryStorage()
    const entries = {
      'sx.config.json': createConfig({ sxAgentIdAndVersion: `${agentId}:${sxVersion}` }),
      [`sx_data/documents/${agentId.slice(0, 2)}/${agentId}.1.json`]: raw,
      'sx_keys/sx.public.pem': publicKey,
    }
    for (const [key, text] of Object.entries(entries)) storage.putSync(key.split('/'), Buffer.from(text))
    const agent = new SxAgent({ storage, verifyOnly: true })
    await agent.load()
    const block = (file: string): string => protocol.blocks.find((one) => one.file === file)?.code ?? ''
    expect(agent.getDnsRecord('agents.example.com')).toBe(block('record.txt'))
    expect(agent.getWellKnownJson()).toEqual(JSON.parse(block('well-known.json')))
  })

  it('lists the files of the test vectors', () => {
    const files = readdirSync(join(root, 'test/vectors')).filter((name) => name.endsWith('.json'))
    const [, section = ''] = protocol.text.split('\n## 17. Test vectors\n')
    const listed = [...section.matchAll(/^\| `([\w-]+\.json)` \|/gm)].map(([, name = '']) => name)
    expect(listed.sort()).toEqual(files.sort())
  })

  it('lists the contexts of the core, in its order', () => {
    const source = readFileSync(join(root, 'wasm/core/src/statement.rs'), 'utf8')
    const known = [...source.matchAll(/^ {4}\w+ = "(.*)";$/gm)].map(([, context]) => context)
    const [, section = ''] = protocol.text.split('\n## 3. Bytes to sign\n')
    const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(.*?)` \|/gm)].map(([, context]) => context)
    expect(listed).toEqual(known)
    expect(known.length).toBeGreaterThan(0)
  })

  it('T08 lists keys of small order, which are refused as weak', () => {
    const document = protocol.blocks.find(({ file }) => file === 'document.json')?.code ?? ''
    const { sxSignature } = JSON.parse(document) as { sxSignature: { agentID: string } }
    const points = protocol.blocks.find(({ file }) => file === 'small-order.txt')?.code.split('\n') ?? []
    expect(new Set(points).size).toBe(8)
    for (const point of points) {
      const der = Buffer.from(`302a300506032b6570032100${point}`, 'hex').toString('base64')
      const pem = `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`
      expect(verifyStandalone(document, { keyDirectory: { [sxSignature.agentID]: pem } }).code).toBe('WeakPublicKey')
    }
  })

  it('accepts and refuses the numbers of its table', () => {
    const [, section = ''] = protocol.text.split('\n### Numbers\n')
    const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| (`.*?) \| (.*?) \| (`.*?) \| (.*?) \|$/gm)
    const tokens = (cell = ''): string[] => [...cell.matchAll(/`(.*?)`/g)].map(([, token = '']) => token)
    const document = protocol.blocks.find(({ file }) => file === 'document.json')?.code ?? ''
    const codeOf = (token: string): string | undefined =>
      verifyStandalone(document.replace('"amount": 1,', `"amount": ${token},`), { keyDirectory: keysOf(protocol) }).code
    let count = 0
    for (const [, accepted, as = '', refused, why = ''] of rows) {
      count++
      for (const token of tokens(accepted)) {
        // What the signature does not fit was read.
        expect([token, codeOf(token)]).toEqual([token, 'BadSignature'])
        const [written = token] = tokens(as).slice(tokens(as).length > 1 ? tokens(accepted).indexOf(token) : 0)
        expect(String(Number(token))).toBe(String(Number(written)))
      }
      const code = why.includes('NotJson') ? 'NotJson' : 'LossyNumber'
      for (const token of tokens(refused)) expect([token, codeOf(token)]).toEqual([token, code])
    }
    expect(count).toBe(6)
    expect(codeOf('1.0')).toBeUndefined() // the same value under another spelling is what was signed
  })

  it('has an answer of the kind it says for what is no document', () => {
    expect(() => verifyStandalone('{}', { keyResolution: 'dns' })).toThrow(SxError)
    for (const [text, code] of [
      ['', 'NotJson'],
      ['[]', 'InvalidDocument'],
      ['{}', 'MissingSignature'],
      ['{"sxId":1}', 'InvalidDocument'],
      ['{"sxId":1,"sxFiles":[]}', 'InvalidDocument'],
      ['{"sxId":1,"sxOther":{}}', 'UnsupportedFormat'],
      ['{"$schema":7,"jacsId":""}', 'InvalidDocument'],
      ['{"$schema":"urn:sx-agent:schemas/header/v2/header.schema.json"}', 'UnsupportedFormat'],
      ['{"$schema":"urn:example","sxId":1}', 'MissingSignature'],
    ] as const) {
      expect([text, verifyStandalone(text, { keyDirectory: {} }).code]).toEqual([text, code])
    }
  })
})
