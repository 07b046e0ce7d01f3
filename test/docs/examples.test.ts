// Every public function has an example in its comment, and the examples run and print what they say.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SxAgent } from 'sx-agent'
import { beforeAll, describe, expect, it } from 'vitest'
import { codes } from '#codes'
import { methodsOf } from '../../scripts/surfaces/tables.mjs'
import { type Example, examplesOf, read, sources } from './examples.ts'
import { root } from './markdown.ts'
import { Project, promised } from './project.ts'

const password = { SX_PRIVATE_KEY_PASSWORD: 'correct horse battery staple' }

/** The functions, classes and methods that an entry exports, without the twins. */
async function exportsOf(entry: string): Promise<string[]> {
  const exported = Object.entries((await import(entry)) as Record<string, unknown>)
  const names = exported.flatMap(([name, value]) => {
    if (value === SxAgent) return [name, ...methodsOf(SxAgent.prototype)]
    const prototype: unknown = typeof value === 'function' ? value.prototype : undefined
    const methods = typeof prototype === 'object' && prototype !== null ? Object.getOwnPropertyNames(prototype) : []
    return [name, ...methods.filter((method) => method !== 'constructor').map((method) => `${name}.${method}`)]
  })
  return names.filter((name) => !name.endsWith('Sync')).sort()
}

interface Outcome {
  readonly name: string
  readonly output: readonly string[]
  readonly error?: string
}

/** Runs the examples of an entry in one process, since one for each would take longer than they do. */
async function run(entry: string, examples: readonly Example[]): Promise<Outcome[]> {
  const project = new Project()
  try {
    mkdirSync(join(project.folder, 'agent'))
    const begin = `process.chdir('agent')\nawait quickstart({ name: 'Billing', domain: 'example.com' })`
    await project.module(`import { quickstart } from 'sx-agent/simple'\n${begin}`, password)
    copyFileSync(join(root, 'wasm/media/tests/data/texture.jpg'), join(project.folder, 'agent', 'photo.jpg'))
    project.write('examples.json', JSON.stringify({ entry, examples }))
    let printed: string
    let end = 'It did not run.'
    try {
      printed = await project.module(read('test/docs/run-examples.mjs'), password)
    } catch (error) {
      printed = (error as { stdout?: string }).stdout ?? '' // of those that came to their end
      end = `The process ended before it did: ${String(error)}`
    }
    const lines = printed.split('\n').slice(0, -1)
    const outcomes = lines.map((line) => JSON.parse(line) as Outcome)
    return examples.map(({ name }, at) => outcomes[at] ?? { name, output: [], error: end }) // they come in their order
  } finally {
    project.remove()
  }
}

describe('comments of the public functions', () => {
  it('are looked at for every entry of the package', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, string | object> }
    const entries = Object.entries(exports).filter(([, target]) => typeof target === 'object')
    expect(Object.keys(sources).sort()).toEqual(entries.map(([name]) => `sx-agent${name.slice(1)}`).sort())
  })

  it.each(Object.keys(sources))('of %s have an example each', async (entry) => {
    const shown = new Set(
      Object.values(sources)
        .flat()
        .flatMap(examplesOf)
        .map(({ name }) => name),
    )
    const names = await exportsOf(entry)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !shown.has(name))).toEqual([])
  })

  it.each(Object.values(sources).flat())('of %s: no example is passed over', (source) => {
    expect(examplesOf(source).length).toBe(read(source).split('@example').length - 1)
  })

  it.each(Object.values(sources).flat())('of %s name no code that does not exist', (source) => {
    const throwing = [...read(source).matchAll(/^ *\* @throws ((?:.|\n *\* {3,})*)/gm)].map(([, text = '']) => text)
    const named = throwing.flatMap((text) => [...text.matchAll(/`([A-Z][a-z]\w+)`/g)].map(([, name = '']) => name))
    expect(named.filter((name) => !Object.hasOwn(codes, name))).toEqual([])
  })
})

describe('examples in comments', () => {
  const all = Object.entries(sources).map(([entry, files]) => ({ entry, found: files.flatMap(examplesOf) }))
  const examples = all.filter(({ found }) => found.length > 0)
  const outcomes = new Map<string, Outcome[]>()
  beforeAll(async () => {
    await Promise.all(examples.map(async ({ entry, found }) => outcomes.set(entry, await run(entry, found))))
  })

  describe.each(examples)('of $entry', ({ entry, found }) => {
    it.each(found.map((example, at) => ({ ...example, at })))('$name', ({ name, code, at }) => {
      const outcome = outcomes.get(entry)?.[at]
      expect(outcome).toEqual({ name, output: promised(code) })
    })
  })
})
