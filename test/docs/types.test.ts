// The examples in comments and the blocks of the README are TypeScript as they stand, also where there is no DOM.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Example, examplesOf, sources } from './examples.ts'
import { readPage, root } from './markdown.ts'
import { Project } from './project.ts'

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** What the compiler says of these files, in a project for Node with strict rules. */
function faultsOf(files: Readonly<Record<string, string>>): string {
  const project = new Project()
  try {
    mkdirSync(join(project.folder, 'node_modules', '@types'))
    for (const name of ['@types/node', 'undici-types']) {
      const from = join(root, 'node_modules', name)
      if (existsSync(from)) symlinkSync(from, join(project.folder, 'node_modules', name), 'junction')
    }
    for (const [name, text] of Object.entries(files)) project.write(name, text)
    const lib = ['es2023', 'esnext.disposable']
    const compilerOptions = { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', lib, types: ['node'] }
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false'], {
      cwd: project.folder,
      encoding: 'utf8',
    })
    return stdout
  } finally {
    project.remove()
  }
}

/** What the examples of an entry can use without importing it: its exports, and a loaded agent. */
async function globalsOf(entry: string): Promise<string> {
  const names = Object.keys((await import(entry)) as object)
  const declared = names.map((name) => `  const ${name}: typeof import('${entry}').${name}`)
  return `export {}\ndeclare global {\n${declared.join('\n')}\n  const agent: import('sx-agent').SxAgent\n}\n`
}

const fileOf = ({ name }: Example, at: number): string => `${at + 1}-${name}.ts`

describe('compiled strictly, for Node alone', () => {
  it.each(Object.entries(sources))('the examples of %s', async (entry, files) => {
    const examples = files.flatMap(examplesOf)
    const texts = examples.map((example, at) => [fileOf(example, at), `${example.code}\nexport {}\n`])
    expect(faultsOf({ 'globals.d.ts': await globalsOf(entry), ...Object.fromEntries(texts) })).toBe('')
  })

  it('the blocks of the README', () => {
    const blocks = [readPage('README.md')].flatMap(({ path, blocks }) => blocks.map((block) => ({ ...block, path })))
    const texts = blocks
      .filter(({ language }) => language === 'js')
      .map(({ path, line, code }) => [`${path.replaceAll(/\W/g, '-')}-${line}.ts`, `${code}\nexport {}\n`])
    expect(texts.length).toBeGreaterThan(2)
    expect(faultsOf(Object.fromEntries(texts))).toBe('')
  })
})
