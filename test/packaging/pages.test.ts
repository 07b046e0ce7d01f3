// What people read who have the package and no checkout: every link and every reference leads somewhere in it.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { codes } from '#codes'
import { readPage, root } from '../docs/markdown.ts'

let files: string[]

beforeAll(async () => {
  const shell = process.platform === 'win32' // npm is a batch file there
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--dry-run'], { cwd: root, shell })
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[]
  files = packed?.files.map(({ path }) => path) ?? []
})

const ending = (...suffixes: string[]): string[] =>
  files.filter((path) => suffixes.some((suffix) => path.endsWith(suffix)))

describe('pages', () => {
  it('are these', () => {
    expect(ending('.md').sort()).toEqual([
      'CHANGELOG.md',
      'NOTICE.md',
      'README.md',
      'SECURITY.md',
      'docs/agreement-rules.md',
      'docs/agreements.md',
      'docs/api.md',
      'docs/cli.md',
      'docs/faq.md',
      'docs/files.md',
      'docs/guides/bun.md',
      'docs/guides/deno.md',
      'docs/guides/html.md',
      'docs/guides/nextjs.md',
      'docs/guides/node.md',
      'docs/guides/testing.md',
      'docs/guides/vite.md',
      'docs/guides/workers.md',
      'docs/http.md',
      'docs/images.md',
      'docs/keys.md',
      'docs/loading.md',
      'docs/media.md',
      'docs/protocol.md',
      'docs/schemas.md',
      'docs/storage.md',
      'docs/texts.md',
      'docs/verification.md',
      'examples/README.md',
    ])
  })

  it('link to what is packed', () => {
    const broken = ending('.md').flatMap((page) =>
      readPage(page)
        .links.filter((link) => !/^[a-z]+:/.test(link))
        .filter((link) => {
          const [path = '', anchor] = link.split('#')
          const target = path === '' ? page : posix.join(dirname(page), path)
          if (!files.includes(target)) return true
          return anchor !== undefined && !readPage(target).anchors.has(anchor)
        })
        .map((link) => `${page}: ${link}`),
    )
    expect(broken).toEqual([])
  })

  it('link to the web for what is of others', () => {
    const hosts = new Set<string>()
    for (const page of ending('.md'))
      for (const link of readPage(page).links) if (URL.canParse(link)) hosts.add(new URL(link).origin)
    expect([...hosts].sort()).toEqual([
      'https://rustup.rs',
      'https://semver.org',
      'https://standardschema.dev',
      'https://unstorage.unjs.io',
      'https://www.w3.org',
    ])
  })
})

describe('references to the protocol', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')

  it('lead to sections that it has, and nothing names a specification that is not there', () => {
    const sections = new Set([...read('docs/protocol.md').matchAll(/^## (\d+)\. /gm)].map(([, number]) => number))
    const texts = [...ending('.d.ts', '.js').map(read), JSON.stringify(codes)].map((text) =>
      text.replaceAll(/\n *\* /g, ' '),
    )
    const named = texts.flatMap((text) =>
      [...text.matchAll(/protocol,? sections? (\d+(?:(?:, | and )\d+)*)/gi)].flatMap(([, list = '']) =>
        list.split(/, | and /),
      ),
    )
    expect(named.length).toBeGreaterThan(30)
    expect([...new Set(named)].filter((number) => !sections.has(number))).toEqual([])
    const elsewhere = texts.flatMap((text) => text.match(/(?<!core )specification \d\S*/gi) ?? [])
    expect(elsewhere).toEqual([])
  })

  it('say where it is', () => {
    for (const entry of ['index', 'simple'])
      expect(read(`dist/types/src/${entry}.d.ts`)).toContain('`docs/protocol.md` of the package')
  })
})
