// Reads the pages of the documentation: their blocks of code, their headings and their links.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** A fenced block of code. Its info string is a language and, perhaps, the name of a file to write it to. */
export interface Block {
  readonly language: string
  readonly file: string | undefined
  readonly code: string
  /** Where it begins, counted from 1. */
  readonly line: number
}

/** A page by its path in the repository. */
export interface Page {
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  /** What its headings are called in links. */
  readonly anchors: ReadonlySet<string>
  /** Targets of its links and images. */
  readonly links: readonly string[]
  /** Paths it names in code, such as `src/core.ts`. */
  readonly paths: readonly string[]
}

/** Every page whose code runs in the tests. */
export function readPages(): Page[] {
  return ['README.md', 'CONTRIBUTING.md', ...pathsIn('docs'), ...pathsIn(GUIDES)].map(readPage)
}

const GUIDES = 'docs/guides'

/** The pages that begin with a project: test/packaging/guides.test.ts runs their files and commands. */
export function readGuides(): Page[] {
  return pathsIn(GUIDES).map(readPage)
}

function pathsIn(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

/** Reads one page. */
export function readPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8')
  const blocks: Block[] = []
  const prose: string[] = []
  let open: { info: string[]; lines: string[]; line: number } | undefined
  for (const [at, line] of text.split('\n').entries()) {
    if (open === undefined && line.startsWith('```')) open = { info: line.slice(3).split(' '), lines: [], line: at + 1 }
    else if (open === undefined) prose.push(line)
    else if (line !== '```') open.lines.push(line)
    else {
      const [language = '', file] = open.info
      blocks.push({ language, file, code: open.lines.join('\n'), line: open.line })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: the block does not end.`)
  const plain = prose.join('\n')
  return {
    path,
    text,
    blocks,
    anchors: anchorsOf(prose),
    links: [...plain.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    paths: [...plain.matchAll(/`((?:wasm|src|node|browser|scripts|test|examples|docs)\/[^`\s]*)`/g)].map(
      ([, named = '']) => named.replace(/\*.*$/, ''),
    ),
  }
}

/** As the site that shows the repository names headings. */
function anchorsOf(prose: readonly string[]): Set<string> {
  const anchors = new Set<string>()
  for (const line of prose) {
    const [, heading] = /^#{1,6} (.*)$/.exec(line) ?? []
    if (heading === undefined) continue
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}
