// The listing in section 12 of the protocol is what the program above it leaves.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Page, readPage } from './markdown.ts'
import { Project } from './project.ts'

const LISTING = 'directories.txt'
/** The folder of unfinished writes, which no entry is in. */
const SCRATCH = '.tmp'

/** Path and content of each file that the page lists. */
function listed({ blocks }: Page): Map<string, string> {
  const lines = blocks.find(({ file }) => file === LISTING)?.code.split('\n') ?? []
  return new Map(lines.map((line) => [line.split(' ')[0] ?? '', line.replace(/^\S+ +/, '')]))
}

/** The program that stands above the listing. */
function program({ blocks }: Page): string {
  const block = blocks[blocks.findIndex(({ file }) => file === LISTING) - 1]
  expect(block?.language).toBe('js')
  return block?.code ?? ''
}

/** Path and content of the files that the program leaves in a folder. */
function left(folder: string): Map<string, string> {
  const entries = ['sx_data', 'sx_keys'].flatMap((top) =>
    readdirSync(join(folder, top), { recursive: true, withFileTypes: true }).map((entry) => ({
      isFile: entry.isFile(),
      path: join(entry.parentPath, entry.name).slice(folder.length + 1),
    })),
  )
  const paths = ['sx.config.json', ...entries.filter(({ isFile }) => isFile).map(({ path }) => path)]
  expect(paths.filter((path) => path.split('/').includes(SCRATCH))).toEqual([])
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

const firstMatch = (text: string | undefined, pattern: RegExp): string => pattern.exec(text ?? '')?.[1] ?? 'nothing'

/** What the page calls the random values of these files. */
function namesOf(files: ReadonlyMap<string, string>): [value: string, name: string][] {
  const pathOf = (pattern: RegExp): string => [...files.keys()].find((path) => pattern.test(path)) ?? ''
  const config = files.get('sx.config.json')
  const billing = firstMatch(config, /"sxAgentIdAndVersion": "(.{36}):/)
  const message = firstMatch(pathOf(/\.3\.json$/), /([^/]{36})\.3\.json$/)
  const folder = `sx_data/documents/${message.slice(0, 2)}`
  const versions = [1, 2, 3].map((n) =>
    firstMatch(files.get(`${folder}/${message}.${n}.json`), /"sxVersion":"(.{36})"/),
  )
  const inText = (text = ''): string => JSON.stringify(text).slice(1, -1)
  const pem = files.get('sx_keys/sx.private.pem') ?? ''
  return [
    [billing, '<billing>'],
    [firstMatch(config, /"sxAgentIdAndVersion": ".{36}:(.{36})"/), '<v0>'],
    [message, '<message>'],
    ...versions.map((version, at): [string, string] => [version, `<v${at + 1}>`]),
    [firstMatch(pathOf(/trust\/.*\.1\.json$/), /([^/]{36})\.1\.json$/), '<warehouse>'],
    [firstMatch([...files.values()].join(''), /"sxTrustRemoved":"([A-Za-z0-9_-]{22})"/), '<nonce>'],
    [firstMatch(files.get('sx_keys/sx.private.pem.2'), /"previous":"([0-9a-f]{64})"/), '<hash>'],
    [inText(pem), '<private key>'],
    [pem, '<private key>'],
    [files.get('sx_keys/sx.public.pem') ?? 'nothing', '<public key>'],
  ]
}

/** Whether a content is what the page shows, where `…` stands for anything. */
function matches(content: string, shown: string): boolean {
  const parts = shown.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(content)
}

it('lists all files that its example leaves, with what they hold', async () => {
  const page = readPage('docs/protocol.md')
  const project = new Project()
  try {
    await project.module(program(page))
    const files = left(project.folder)
    const names = namesOf(files)
    const named = (text: string): string => names.reduce((all, [value, name]) => all.replaceAll(value, name), text)
    const shown = new Map(
      [...files].map(([path, content]) => [named(path).replace(/documents\/../, 'documents/<xx>'), named(content)]),
    )
    const expected = listed(page)
    expect([...shown.keys()].sort()).toEqual([...expected.keys()].sort())
    for (const [path, content] of expected) {
      const isShown = matches(shown.get(path) ?? '', content)
      expect([path, isShown ? content : shown.get(path)]).toEqual([path, content])
    }
  } finally {
    project.remove()
  }
})
