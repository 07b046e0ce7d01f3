// What the pages say of agreements is what the tables of the module say.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPage, root } from './markdown.ts'

const source = (name: string): string => readFileSync(join(root, 'wasm/agreement/src', name), 'utf8')
const lower = (name: string): string => name.toLowerCase()
const words = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word)

/** The table of the code: what has an effect in each state, and where it leads. */
const table = (() => {
  const [, body = ''] = source('table.rs').split('pub const TABLE: &[Row] = &[\n')
  const rows = (body.split('\n];')[0] ?? '').split(/^ {4}\(/m).slice(1)
  return rows.map((row) => {
    const [, state = ''] = /^\s*(\w+),/.exec(row) ?? []
    const events = [...row.matchAll(/\((\w+), &\[([\w, ]+)\]\)/g)].map(([, event = '', to = '']) => ({
      event: lower(event),
      to: to.split(', ').map(lower),
    }))
    return { state: lower(state), events }
  })
})()

/** Where time alone leads, as the comment of the table says it. */
const inTime = (() => {
  const [, text = ''] = /\/\/\/ Time alone leads from ((?:.|\n\/\/\/ )*?)\. A notary/.exec(source('table.rs')) ?? []
  return text
    .replaceAll('\n///', '')
    .split(/, (?:and )?from /)
    .flatMap((part) => {
      const names = words(part.replace('from ', ''))
      const date = names.at(-1) ?? ''
      const to = names.at(-2) ?? ''
      return names.slice(0, -2).map((from) => `${from} --> ${to}: after ${date}`)
    })
})()

const page = readPage('docs/agreements.md')
const rules = readPage('docs/agreement-rules.md')
const protocol = readPage('docs/protocol.md')

/** The part of a page under a heading. */
function section(text: string, heading: string): string {
  const [level = ''] = /^#+/.exec(heading) ?? []
  const [, rest = ''] = text.split(`\n${heading}\n`)
  return rest.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0] ?? ''
}

describe('the states of agreements', () => {
  it('are in the table of the page, with the events that the code allows', () => {
    const rows = [...section(page.text, '### States').matchAll(/^\| `(\w+)` \| .+ \| (.*) \|$/gm)]
    const shown = rows.map(([, state, events = '']) => ({ state, events: words(events).toSorted() }))
    const known = table.map(({ state, events }) => ({ state, events: events.map(({ event }) => event).toSorted() }))
    expect(shown).toEqual(known)
    expect(known).toHaveLength(13)
  })

  it('are drawn with all their changes, and no others', () => {
    const drawn = page.blocks.find(({ language }) => language === 'mermaid')?.code.split('\n') ?? []
    expect(drawn.slice(0, 2)).toEqual(['stateDiagram-v2', '  [*] --> draft'])
    const arrows = drawn.slice(2).flatMap((line) => {
      const [, from, to, label = ''] = /^ {2}(\w+) --> (\w+): (.+)$/.exec(line) ?? []
      return label.split(', ').map((event) => `${from} --> ${to}: ${event}`)
    })
    const known = table.flatMap(({ state, events }) =>
      events.flatMap(({ event, to }) =>
        to.filter((next) => next !== state).map((next) => `${state} --> ${next}: ${event}`),
      ),
    )
    expect(inTime).toHaveLength(4)
    expect(arrows.toSorted()).toEqual([...known, ...inTime].toSorted())
  })
})

describe('the rules of agreements', () => {
  it('list the codes of ignored events with their sentences, in the order of the code', () => {
    const [, body = ''] = source('codes.rs').split('\ncodes! {\n')
    const known = [...(body.split('\n}')[0] ?? '').matchAll(/^ {4}(\w+): "(.*)";$/gm)].map(([, code, what]) => [
      code,
      what,
    ])
    const shown = section(rules.text, '## 9. Codes of ignored events').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)
    expect([...shown].map(([, code, what]) => [code, what])).toEqual(known)
    expect(known.length).toBeGreaterThan(20)
  })

  it('give each code of that table in one of the steps', () => {
    const [, codes = ''] = rules.text.split('\n## 9. ')
    const steps = rules.text.replace(codes, '')
    const unused = words(codes).filter((code) => /^[A-Z]/.test(code) && !steps.includes(`\`${code}\``))
    expect(unused).toEqual([])
  })

  it('number the steps as the sources do', () => {
    const numbers = [...rules.text.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
    expect(numbers).toEqual(Array.from({ length: 14 }, (_, at) => at + 1))
  })
})

describe('section 24 of the protocol', () => {
  const events = section(protocol.text, '### Events')

  const rows = [...events.matchAll(/^\| `(\w+)` \| (any|[a-z, ]+) \| (.*) \|$/gm)].slice(-14)

  it('lists the types of events with the members of their data', () => {
    const [, body = ''] = source('event.rs').split('let names: &[&str] = match kind {\n')
    const arms = (body.split('};')[0] ?? '').matchAll(/^ +((?:Kind::\w+(?: \| )?)+) => &\[(.*)\],$/gm)
    const known = [...arms].flatMap(([, kinds = '', names = '']) => {
      const members = [...names.matchAll(/"(\w+)"/g)].map(([, name = '']) => name).toSorted()
      return [...kinds.matchAll(/Kind::(\w+)/g)].map(([, kind = '']) => [lower(kind), members] as const)
    })
    // What stands in brackets or after a colon says what is in a member.
    const members = (cell: string): string[] => words(cell.replaceAll(/\(.*?\)|: .*$|, as in.*$/g, '')).toSorted()
    expect(Object.fromEntries(rows.map(([, type = '', , cell = '']) => [type, members(cell)]))).toEqual(
      Object.fromEntries(known),
    )
    expect(known).toHaveLength(14)
  })

  it('lists the roles that may make them', () => {
    const [, body = ''] = source('table.rs').split('pub fn roles(')
    const arms = [...body.matchAll(/^ {8}([\w: |]+) => &\[([\w, ]+)\],$/gm)]
    const known = arms.flatMap(([, kinds = '', roles = '']) => {
      const names = roles.split(', ').map(lower)
      return kinds
        .split(' | ')
        .map((kind) => [lower(kind.replace('Kind::', '')), names.length === 5 ? 'any' : names.join(', ')])
    })
    expect(Object.fromEntries(rows.map(([, type, roles]) => [type, roles]))).toEqual(Object.fromEntries(known))
    expect(known).toHaveLength(14)
  })

  it('lists the members of the policy that the module knows', () => {
    const [, body = ''] = source('terms/policy.rs').split('const MEMBERS: &[&str] = &[\n')
    const known = [...(body.split('];')[0] ?? '').matchAll(/"(\w+)"/g)].map(([, name = '']) => name)
    const [, policy = ''] = section(protocol.text, '### Terms').split('The *policy* is')
    const rows = [...policy.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) => words(cell))
    expect(rows.toSorted()).toEqual(known.toSorted())
    const inTable = [...section(page.text, '### Policies').matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)]
    expect(inTable.flatMap(([, cell = '']) => words(cell)).toSorted()).toEqual(known.toSorted())
  })
})
