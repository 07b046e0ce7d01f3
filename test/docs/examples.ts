// The examples in the comments of the public functions.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown.ts'

export const read: (source: string) => string = (source) => readFileSync(join(root, source), 'utf8')

/** The operations by topic, each file with what one surface has alone or both have. */
const topics = readdirSync(join(root, 'src', 'api')).map((name) => `src/api/${name}`)
const ofAgent = topics.filter((name) => name.endsWith('.agent.ts'))

/** Where the examples stand that run with an entry: what both surfaces have is shown as functions of /simple. */
export const sources: Record<string, readonly string[]> = {
  'sx-agent': [
    'src/agent.ts',
    'src/deprecated.ts',
    'src/errors.ts',
    'src/simple-agent.ts',
    'src/utilities.ts',
    ...ofAgent,
  ],
  'sx-agent/simple': topics.filter((name) => !ofAgent.includes(name)),
  'sx-agent/http': ['memory-replay-store', 'verify-request'].map((name) => `src/requests/${name}.ts`),
  'sx-agent/verify': [], // functions of /simple, which are shown there
  'sx-agent/storage': ['contract', 'memory', 'mirror', 'prefix', 'unstorage'].map((name) => `src/storage/${name}.ts`),
  'sx-agent/worker': ['src/worker.ts'],
  'sx-agent/storage/testing': ['src/storage/testing.ts'],
}
export interface Example {
  /** The function or class whose comment it stands in; of a method `Class.method`. */
  readonly name: string
  readonly code: string
}

/** The examples of a source: what follows `@example` in a comment, up to its end, and what is declared after it. */
export function examplesOf(source: string): Example[] {
  let inside = ''
  return [...read(source).matchAll(/^(?: *\/\*\*\n((?: *\*(?: .*)?\n)+?) *\*\/\n)?( *)(.*)$/gm)].flatMap(
    ([, comment = '', indent, line = '']) => {
      const [, kind, top] = /^(?:export )?(?:async )?(class|const|function)\*? (\w+)/.exec(line) ?? []
      const [, method] = /^(?:static |get )?(?:async )?(\w+)\(/.exec(line) ?? []
      if (indent === '' && kind === 'class') inside = top ?? ''
      const name = indent === '' ? top : method && `${inside}.${method}`
      const [, example] = /^ *\* @example\n((?: *\*(?: (?!@).*)?\n)+)$/m.exec(comment) ?? []
      if (name === undefined || example === undefined) return []
      return [{ name, code: example.replaceAll(/^ *\* ?/gm, '') }]
    },
  )
}
