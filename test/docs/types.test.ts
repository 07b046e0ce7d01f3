// The examples in comments and the blocks of some pages are TypeScript as they stand, also where there is no DOM.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compilers, linkTypesOfNode } from '../packaging/compilers.ts'
import { examplesOf, sources } from './examples.ts'
import { readPage, root } from './markdown.ts'
import { Project } from './project.ts'

/** What a compiler says of these files, in a project for Node; `rules` beside the usual ones. */
function faultsOf(compiler: string, files: Readonly<Record<string, string>>, rules: object = { strict: true }): string {
  const project = new Project()
  try {
    linkTypesOfNode(project.folder)
    for (const [name, text] of Object.entries(files)) project.write(name, text)
    const options = {
      ...rules,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2023'],
      types: ['node'],
    }
    project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['*'] }))
    const args = [compiler, '--pretty', 'false']
    const { stdout } = spawnSync(process.execPath, args, { cwd: project.folder, encoding: 'utf8' })
    return stdout
  } finally {
    project.remove()
  }
}

/** What examples can use without importing it: the exports of their entry, and a loaded agent. */
async function globals(): Promise<string> {
  const declared = new Map([['agent', "import('sx-agent').SxAgent"]])
  for (const entry of Object.keys(sources)) {
    for (const name of Object.keys((await import(entry)) as object)) {
      if (!declared.has(name)) declared.set(name, `typeof import('${entry}').${name}`)
    }
  }
  const lines = [...declared].map(([name, type]) => `  const ${name}: ${type}\n`)
  return `export {}\ndeclare global {\n${lines.join('')}}\n`
}

/** Where two entries mean different things by a name, the import that says which one an example means. */
async function ownImports(entry: string, code: string): Promise<string> {
  const [own, ...others] = await Promise.all(
    [entry, ...Object.keys(sources)].map(async (name) => (await import(name)) as Record<string, unknown>),
  )
  const differing = Object.keys(own ?? {}).filter(
    (name) =>
      new RegExp(`\\b${name}\\(`).test(code) && others.some((other) => name in other && other[name] !== own?.[name]),
  )
  return differing.length === 0 ? '' : `import { ${differing.join(', ')} } from '${entry}'\n`
}

/** Pages that show how the package is used; those of the protocol are plain JavaScript. */
const typed = ['README.md', 'docs/api.md', 'docs/guides/node.md', 'docs/verification.md'].map(readPage)

const fileOf = (...parts: (string | number)[]): string => `${parts.join('-').replaceAll(/\W/g, '-')}.ts`

// In one project: most of what a compiler does is reading the types of Node.
it.each(compilers)(
  'examples and blocks of pages are strict TypeScript for Node alone, says $name',
  async ({ compiler }) => {
    const found = Object.entries(sources).flatMap(([entry, files]) =>
      files.flatMap(examplesOf).map(({ name, code }, at) => ({ entry, file: fileOf(entry, at, name), code })),
    )
    const examples = await Promise.all(
      found.map(async ({ entry, file, code }) => [file, (await ownImports(entry, code)) + code]),
    )
    const blocks = typed.flatMap(({ path, blocks }) =>
      blocks.filter(({ language }) => language === 'js').map(({ line, code }) => [fileOf(path, line), code]),
    )
    expect([examples.length > 50, blocks.length > 2]).toEqual([true, true])
    const texts = [...examples, ...blocks].map(([file, code]) => [file, `${code}\nexport {}\n`])
    expect(faultsOf(compiler, { 'globals.d.ts': await globals(), ...Object.fromEntries(texts) })).toBe('')
  },
)

/** What the runtimes of the examples have beside what Node has. */
const runtimes = `declare const Deno: { serve(options: object, answer: (request: Request) => Promise<Response>): void }
declare const Bun: { serve(options: object): { url: URL } }
declare module 'sx-agent/core.wasm?module' {
  const module: CompiledModule
  export default module
}
type CompiledModule = NonNullable<NonNullable<Parameters<typeof import('sx-agent').init>[0]>['core']>
`

it.each(['edge/api', 'worker', 'deno', 'bun'])('the programs of examples/%s use what is declared', (folder) => {
  const from = join(root, 'examples', folder)
  const names = readdirSync(from).filter((name) => /\.m?js$/.test(name))
  expect(names).not.toEqual([])
  const programs = names.map((name) => [name, readFileSync(join(from, name), 'utf8')])
  const rules = { allowJs: true, checkJs: true, strictNullChecks: true, skipLibCheck: true } // plain JavaScript
  const compiler = compilers.find(({ name }) => name === 'TypeScript 6')?.compiler ?? ''
  const files = { 'runtimes.d.ts': runtimes, ...Object.fromEntries(programs) }
  expect(faultsOf(compiler, files, { strict: false, ...rules })).toBe('')
})

it('the page on the API names the oldest of them', () => {
  expect(readPage('docs/api.md').text).toContain(`The declarations need ${compilers[0]?.name}`)
})
