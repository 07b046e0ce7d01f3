// The examples in the comments of the sources run and print what they say.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './markdown.ts'
import { Project, promised } from './project.ts'

const entries = {
  'src/simple.ts': 'sx-agent/simple',
  'src/agent.ts': 'sx-agent',
  'src/errors.ts': 'sx-agent',
  'src/utilities.ts': 'sx-agent',
}
const password = { SX_PRIVATE_KEY_PASSWORD: 'correct horse battery staple' }

/** The examples of a source: what follows `@example`, up to the next tag or the end of the comment. */
function examplesOf(source: string): string[] {
  const text = readFileSync(join(root, source), 'utf8')
  const found = text.matchAll(/^ *\* @example\n((?: *\* (?!@).*\n| *\*\n)+)/gm)
  return [...found].map(([, lines = '']) => lines.replaceAll(/^ *\* ?/gm, ''))
}

const examples = Object.entries(entries).flatMap(([source, entry]) =>
  examplesOf(source).map((code, at) => ({ name: `${source}, example ${at + 1}`, entry, code })),
)

describe('examples in comments', () => {
  let project: Project
  beforeAll(async () => {
    project = new Project()
    const start =
      "import { quickstart } from 'sx-agent/simple'\nawait quickstart({ name: 'Docs', domain: 'example.com' })"
    await project.module(start, password)
  })
  afterAll(() => project.remove())

  it('are found', () => {
    expect(Object.keys(entries).filter((source) => examplesOf(source).length === 0)).toEqual([])
  })

  // An example uses what its entry exports, and takes for granted a loaded `agent` and a `signed` text.
  it.each(examples)('$name', async ({ entry, code }) => {
    const names = Object.keys((await import(entry)) as object)
    const output = await project.module(
      `import { load as loadFirst, signMessage as sign } from 'sx-agent/simple'
import { SxAgent as Agent } from 'sx-agent'
import { ${names.join(', ')} } from '${entry}'
await loadFirst()
const agent = new Agent()
await agent.load()
const signed = (await sign('signed')).raw
{
${code}
}`,
      password,
    )
    expect(output.split('\n').slice(0, -1)).toEqual(promised(code))
  })
})
