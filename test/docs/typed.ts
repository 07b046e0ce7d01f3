/** What compilers say of the examples in comments, and of blocks of pages. */
import { spawnSync } from 'node:child_process'
import { linkTypesOfNode } from '../packaging/compilers.ts'
import { examplesOf, sources } from './examples.ts'
import { readPage } from './markdown.ts'
import { Project } from './project.ts'

/** What a compiler reports for these files in a Node.js project, with `rules` in addition to the usual ones. */
export function faultsOf(
  compiler: string,
  files: Readonly<Record<string, string>>,
  rules: object = { strict: true },
): string {
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
    project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['**/*'] }))
    const args = [compiler, '--pretty', 'false']
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project.folder, encoding: 'utf8' })
    return stdout + stderr // it is the runtime that says on standard error that there is no such compiler
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

/** What a compiler says of all of them in one project: most of what it does is reading the types of Node. */
export async function faultsOfExamples(compiler: string): Promise<string> {
  const found = Object.entries(sources).flatMap(([entry, files]) =>
    files.flatMap(examplesOf).map(({ name, code }, at) => ({ entry, file: fileOf(entry, at, name), code })),
  )
  const examples = await Promise.all(
    found.map(async ({ entry, file, code }) => [file, (await ownImports(entry, code)) + code]),
  )
  const blocks = typed.flatMap(({ path, blocks }) =>
    blocks.filter(({ language }) => language === 'js').map(({ line, code }) => [fileOf(path, line), code]),
  )
  if (examples.length < 50 || blocks.length < 3) throw new Error('Examples are missing.')
  const texts = [...examples, ...blocks].map(([file, code]) => [file, `${code}\nexport {}\n`])
  return faultsOf(compiler, { 'globals.d.ts': await globals(), ...Object.fromEntries(texts) })
}
