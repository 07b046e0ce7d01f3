// Whether /simple, SxAgent, /verify and the table of operations agree: which there are, in which forms, what an editor shows
// of them, and where they stand. Asks the sources and what is built of them in dist. What is missing is said with the place
// to add it.
//
//   node scripts/surfaces.mjs
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { argumentsOf } from '../test/conformance/cases/twins.mjs'
import { root } from './setup/shared.mjs'
import { Editor } from './surfaces/editor.mjs'
import { functionsOf, methodsOf, tables } from './surfaces/tables.mjs'

const SURFACES = ['core', 'simple', 'agent', 'verify']

const TABLES = 'scripts/surfaces/tables.mjs'

/** File and line of an operation, in brackets; empty for one that is not in src/api. */
function placeOf(name) {
  const folder = join(root, 'src', 'api')
  for (const file of readdirSync(folder)) {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    const at = lines.findIndex((line) => line.startsWith('export const ') && /\w+/.exec(line.slice(13))?.[0] === name)
    if (at >= 0) return ` (src/api/${file}:${at + 1})`
  }
  return ''
}

/** What is there although no table has it, and the reverse. */
function compare(surface, found, expected) {
  const lacking = (name) => {
    const first = name.replace(/Sync$/, '')
    return first !== name && found.includes(first)
      ? `Add \`export const ${name} = twin(${first})\` below ${first}${placeOf(first)}.`
      : `Export it from a file of src/api, or take it out of ${TABLES}.`
  }
  const isOdd = (name) => !expected.includes(name)
  return [
    ...expected.filter((name) => !found.includes(name)).map((name) => `${surface} lacks ${name}. ${lacking(name)}`),
    ...found
      .filter(
        (name) =>
          isOdd(name) && !(name.endsWith('Sync') && found.includes(name.slice(0, -4)) && isOdd(name.slice(0, -4))),
      )
      .map((name) => `${surface} has ${name}${placeOf(name)}, which no table has. Add it to ${TABLES}.`),
  ]
}

/** What is wrong with what a program gets that imports the package. */
export async function runtimeFaults(tables) {
  const modules = [import('sx-agent'), import('sx-agent/simple'), import('sx-agent/verify')]
  const [core, simple, verify] = await Promise.all(modules)
  const { prototype } = core.SxAgent
  const agent = Object.fromEntries(methodsOf(prototype).map((name) => [name, prototype[name]]))
  return Object.entries({ core, simple, agent, verify }).flatMap(([surface, members]) => [
    ...compare(surface, Object.keys(members), [...functionsOf(tables[surface]), ...tables[surface].classes]),
    ...Object.keys(members)
      .filter((name) => members[name].name !== name)
      .map((name) => `${surface}.${name} is '${members[name].name}' in a stack trace.`),
    ...(surface === 'verify' ? Object.keys(members) : [])
      .filter((name) => members[name] !== (simple[name] ?? core[name]))
      .map((name) => `verify.${name} is another function than elsewhere.`),
  ])
}

/** What is wrong with the forms of the functions of a surface. */
function formFaults(editor, surface, { twins, direct, awaited }) {
  const returned = (name) => editor.signatures(surface, name).map(({ returns }) => returns)
  const areTwins = (name) => {
    const [[first, ...more], [twin, ...others]] = [name, `${name}Sync`].map((one) => editor.signatures(surface, one))
    if (first === undefined || twin === undefined || more.length + others.length > 0) return false
    return (
      first.returns === `Promise<${twin.returns}>` &&
      first.names.join() === twin.names.join() &&
      twin.types.every((type, at) => editor.isTaken(type, first.types[at]))
    )
  }
  const isThere = (name) => editor.members[surface].includes(name)
  const isPromise = (type) => type.startsWith('Promise<')
  return [
    ...twins
      .filter((name) => isThere(name) && isThere(`${name}Sync`) && !areTwins(name))
      .map((name) => `${surface}.${name} and ${name}Sync are no twins.`),
    ...direct
      .filter((name) => isThere(name) && returned(name).some(isPromise))
      .map((name) => `${surface}.${name} returns a Promise.`),
    ...awaited
      .filter((name) => isThere(name) && !returned(name).every(isPromise))
      .map((name) => `${surface}.${name} returns no Promise.`),
  ]
}

/** What a type holds that is shown as the compiler, not as people say it. */
const UNREADABLE = /\b(any|infer|keyof|typeof|Parameters|ReturnType|Awaited|Operation|Session)\b|\.\.\.| extends /

/** What is wrong with what an editor shows of the functions of a surface. */
function tooltipFaults(editor, surface, forms) {
  return functionsOf(forms)
    .filter((name) => editor.members[surface].includes(name))
    .flatMap((name) => {
      const { type, text, tags, lost } = editor.tooltip(surface, name)
      const first = forms.twins.find((one) => name === `${one}Sync`)
      const ofTwin = `The synchronous twin of {@link ${first}}.`
      const isDocumented = first === undefined ? text !== '' && tags.includes('example') : text === ofTwin
      const what =
        first === undefined ? 'a comment that says what it does, with an @example' : `the comment \`/** ${ofTwin} */\``
      return [
        ...(isDocumented
          ? []
          : [`${surface}.${name} is not documented as it should be: '${text}'. Add ${what} above it${placeOf(name)}.`]),
        ...(UNREADABLE.test(type) ? [`${surface}.${name} has a type that nobody can read: ${type}.`] : []),
        ...lost.map((link) => `${surface}.${name} refers to ${link}, which is not found from there.`),
      ]
    })
}

/** What is wrong with what is declared and shown. */
export function declaredFaults(tables, editor) {
  return SURFACES.flatMap((surface) => [
    ...compare(surface, editor.members[surface], [...functionsOf(tables[surface]), ...tables[surface].classes]),
    ...formFaults(editor, surface, tables[surface]),
    ...tooltipFaults(editor, surface, tables[surface]),
  ])
}

/** What is wrong with where the operations stand: each once, in the file of its topic. */
export function placeFaults({ different, ...forms }, editor) {
  const operations = new Set([...functionsOf(forms.agent), ...functionsOf(forms.simple)])
  return [...operations].flatMap((name) => {
    const found = ['agent', 'simple']
      .filter((surface) => editor.members[surface].includes(name))
      .flatMap((surface) => editor.definitions(surface, name))
    const places = new Map(found.map((place) => [`${place.file}:${place.at}`, place]))
    const expected = different.includes(name.replace(/Sync$/, '')) ? 2 : 1
    const isInTopic = (place) =>
      place.name === name && /^src\/(api\/[a-z-]+(\.agent|\.simple)?|utilities)\.ts$/.test(place.file)
    return [
      ...(found.length === 0 || places.size === expected
        ? []
        : [`${name} stands in ${places.size} places, not in ${expected}: ${[...places.keys()].join(', ')}.`]),
      ...[...places]
        .filter(([, place]) => !isInTopic(place))
        .map(([place]) => `${name} does not stand by its name in the file of a topic, but at ${place}.`),
    ]
  })
}

/** Options of operations that their shape does not declare, so that nobody copies them and refuses unknown ones. */
export function optionFaults(editor, folder = 'src/api/') {
  return editor
    .options(folder)
    .filter(({ isDeclared }) => !isDeclared)
    .map(({ name, at, names, file, line }) => {
      const own = names.map((one) => `${one}: true`).join(', ')
      return `${name} takes options as argument ${at}, but does not declare them. Add \`options: { at: ${at}, names: { ${own} } },\` below \`needs\` (${file}:${line}).`
    })
}

/** What is missing in the table of functions of docs/api.md, and among the rows that run both forms of each operation. */
export function listFaults({ simple, agent }, page, rows) {
  const [, section = ''] = page.split('\n## Functions\n')
  const named = new Set([...(section.split('\n## ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const operations = new Set([simple, agent].flatMap(({ twins, direct, awaited }) => [...twins, ...direct, ...awaited]))
  return [
    ...[...operations]
      .filter((name) => !named.has(name))
      .map((name) => `docs/api.md does not name ${name}. Add it to the table below "## Functions".`),
    ...agent.twins
      .filter((name) => rows[name] === undefined)
      .map((name) => `test/conformance/cases/twins.mjs has no arguments for ${name}. Add a row to \`ofClass\`.`),
  ]
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const sources = new Editor({ core: './src/index.ts', simple: './src/simple.ts', verify: './src/verify.ts' })
  const faults = [
    ...listFaults(tables, readFileSync(join(root, 'docs', 'api.md'), 'utf8'), argumentsOf),
    ...(await runtimeFaults(tables)),
    ...declaredFaults(tables, new Editor({ core: 'sx-agent', simple: 'sx-agent/simple', verify: 'sx-agent/verify' })),
    ...placeFaults(tables, sources),
    ...optionFaults(sources),
  ]
  for (const fault of new Set(faults)) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
