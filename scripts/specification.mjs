// Writes docs/specification.md: whether each function of the specification is built, and which tests show each row of
// its tables. If a row on the page has lost its test, nothing is written.
//
//   node scripts/specification.mjs
//
// A test shows rows by its title, which begins with `spec 4.1 signFile: …` or `spec 4.1 verify, verifyById; 7 verify-invalid:
// …`, or has `spec 4.1 signFile` in it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { deviations, sections } from './specification/rows.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
export const page = join(root, 'docs', 'specification.md')

/** The rows that titles in a source name, as `section row`: a list at their beginning, or one anywhere in them. */
export function rowsNamedIn(source) {
  const lines = source.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)) // those of comments are no titles
  const lists = [...lines.join('\n').matchAll(/(['"`])spec (\d(?:\.\d)? [^:'"`\n]+): /g)].flatMap(([, , named]) =>
    named.split(/;\s*/).flatMap((part) => {
      const [, section, names] = /^(\d(?:\.\d)?) (.+)$/.exec(part) ?? [undefined, part, '']
      return names.split(/,\s*/).map((name) => `${section} ${name}`)
    }),
  )
  const single = /['"`].*?\bspec (\d(?:\.\d)?) ([A-Za-z$](?:[\w.$-]*\w)?)/g
  const others = lines.flatMap((line) => [...line.matchAll(single)].map(([, section, name]) => `${section} ${name}`))
  return [...new Set([...lists, ...others])]
}

/** Which files of tests name which row. */
export function namedInTests() {
  const found = new Map()
  const files = readdirSync(join(root, 'test'), { recursive: true }).filter((name) => /\.(test\.ts|mjs)$/.test(name))
  for (const file of files.map((name) => name.replaceAll('\\', '/')).sort((a, b) => (a < b ? -1 : 1))) {
    for (const row of rowsNamedIn(readFileSync(join(root, 'test', file), 'utf8'))) {
      found.set(row, [...new Set([...(found.get(row) ?? []), `test/${file}`])])
    }
  }
  return found
}

/** What is wrong with the rows that are named: those that there are not, and functions that no test shows. */
export function faults(named, all = sections) {
  const known = all.flatMap(({ number, rows }) => rows.map((row) => ({ ...row, id: `${number} ${row.name}` })))
  const ids = new Set(known.map(({ id }) => id))
  return [
    ...[...named.keys()].filter((id) => !ids.has(id)).map((id) => `${id} is no row; ${named.get(id).join(', ')}`),
    ...(all === sections ? Object.keys(deviations) : [])
      .filter((id) => !ids.has(id))
      .map((id) => `${id} is no row, and has a deviation`),
    ...known
      .filter(({ id, isBuilt }) => isBuilt && !named.has(id))
      .map(({ id }) => `${id} is built, and no test names it`),
    ...known
      .filter(({ id, isBuilt }) => isBuilt === false && named.has(id))
      .map(({ id }) => `${id} has a test, and is said not to be built`),
  ]
}

/** The rows that a page says are shown. */
export function shownOn(text) {
  let section = ''
  return text.split('\n').flatMap((line) => {
    section = /^## (\S+) /.exec(line)?.[1] ?? section
    const [, name, rest] = /^\| `([^`]+)` \|(.*)$/.exec(line) ?? []
    return rest?.includes('](') ? [`${section} ${name}`] : []
  })
}

const HEAD = `# Coverage of the specification

\`npm run specification\` writes this page, and a test compares it. *Built* applies to functions: the function is in the [tables of the surfaces](../scripts/surfaces/tables.mjs), which a test compares with the exports of the package. A test that shows a row has the name of the row in its title. The last column says where the library deviates from the specification or adds to it.
`

/** The text of the page. */
export function written(named, all = sections) {
  const tests = (id) =>
    (named.get(id) ?? []).map((file) => `[${file.replace(/^test\//, '')}](../${file})`).join(', ') || '–'
  const table = ({ number, title, rows }) => {
    const areFunctions = rows.some(({ isBuilt }) => isBuilt !== undefined)
    const head = areFunctions
      ? '| | built | shown by | deviation |\n|---|---|---|---|'
      : '| | shown by | deviation |\n|---|---|---|'
    const lines = rows.map(({ name, isBuilt }) => {
      const status = areFunctions ? ` ${isBuilt ? 'yes' : 'not yet'} |` : ''
      const id = `${number} ${name}`
      return `| \`${name}\` |${status} ${tests(id)} | ${deviations[id] ?? ''} |`
    })
    return `## ${number} ${title}\n\n${head}\n${lines.join('\n')}\n`
  }
  return `${HEAD}\n${all.map(table).join('\n')}`
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const named = namedInTests()
  const lost = shownOn(readFileSync(page, 'utf8')).filter((id) => !named.has(id))
  const wrong = [...faults(named), ...lost.map((id) => `${id} was shown by a test, and is no more`)]
  for (const fault of wrong) console.error(fault)
  if (wrong.length === 0) writeFileSync(page, written(named))
  process.exitCode = wrong.length === 0 ? 0 : 1
}
