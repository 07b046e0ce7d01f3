// What the package for Node loads late. Node compiles all of a module before anything of it runs, and the functions that
// return directly cannot wait for an `import()`. So most of the library stands in a file of its own, `late.js`, which is
// required when something of it is called for the first time. Bundlers do not see that, so they are given it at once.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { root, Stop } from './shared.mjs'

/** Folders and files that are loaded late. To the rest of the library they export functions alone. */
const late = [
  'src/operations',
  'src/images/media.ts',
  'src/images/pixels.ts',
  'src/schemas/module.ts',
  'src/state',
  'src/storage/mirror.ts',
  'src/storage/prefix.ts',
  'src/web-sources.ts',
  'node/inspect.ts',
  'node/storage',
]

/** What the first verdict of `verifyStandalone` takes of them. */
const soon = ['src/operations/standalone.ts', 'src/operations/verify.ts']

const ENTRY = '\0late'
const CALLS = '\0calls:'
const GIVEN = '\0given'
const BUNDLED = '\0bundled'

const loader = join(root, 'node', 'late.ts')
const named = (file) => relative(root, file).replaceAll(sep, '/')
const isLate = (file) => {
  const name = named(file)
  return !soon.includes(name) && late.some((place) => name === place || name.startsWith(`${place}/`))
}

/** The functions that a file exports. */
const functionsOf = (file) => [
  ...new Set(
    Array.from(readFileSync(file, 'utf8').matchAll(/^export (?:async )?function\*? (\w+)/gm), ([, name]) => name),
  ),
]

/** What a function is called in `late.js`: names of two files may be the same. */
const publicName = (file, name) => `${name}$${named(file).replace(/\W/g, '_')}`

const files = () =>
  late
    .flatMap((place) =>
      place.endsWith('.ts')
        ? join(root, place)
        : readdirSync(join(root, place), { recursive: true })
            .filter((name) => name.endsWith('.ts'))
            .map((name) => join(root, place, name)),
    )
    .filter(isLate)

/** Exports the functions of a file from `late.js`. */
function exported(file) {
  const names = functionsOf(file).map((name) => `${name} as ${publicName(file, name)}`)
  return `export { ${names.join(', ')} } from ${JSON.stringify(file)}`
}

/** Stands in `shared.js`, and gives what is loaded late all that `shared.js` exports. */
const given = `import * as shared from './shared.js'
import { late } from ${JSON.stringify(loader)}
export const called = () => late(shared)`

/** Brings what is loaded late into a bundle. */
const bundled = `import start from './late.js'
import { give } from ${JSON.stringify(loader)}
give(start)`

/** What a file that is loaded late is to the others. */
function calls(file) {
  const functions = functionsOf(file).map(
    (name) => `export function ${name}(...given) { return called().${publicName(file, name)}(...given) }`,
  )
  return [`import { called } from '${GIVEN}'`, ...functions].join('\n')
}

/** Has what is loaded at once call what is loaded late by way of `node/late.ts`. */
export const calledLate = {
  name: 'called-late',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if ([ENTRY, GIVEN, BUNDLED].includes(source) || source.startsWith(CALLS)) return source
    const isBeside = importer === GIVEN || importer === BUNDLED
    if (isBeside && source.startsWith('./')) return { id: source, external: 'relative' }
    if (importer === undefined || importer.startsWith('\0') || isLate(importer)) return null
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    return found !== null && isLate(found.id) ? CALLS + found.id : found
  },
  load(id) {
    if (id === ENTRY) return files().map(exported).join('\n')
    if (id === GIVEN) return given
    if (id === BUNDLED) return bundled
    return id.startsWith(CALLS) ? calls(id.slice(CALLS.length)) : null
  },
  onLog(_, { code, message }) {
    if (code === 'IMPORT_IS_UNDEFINED' || code === 'MISSING_EXPORT')
      throw new Stop(
        `${message} What is loaded late exports functions alone; scripts/setup/late.mjs says what that is.`,
      )
  },
}

/** The class of agents does not stand in what every entry needs: its methods are made as it is read. */
export const withoutAgent = { test: (id) => named(id) !== 'src/agent.ts' }

export const lateEntries = { late: ENTRY, bundled: BUNDLED }

/**
 * Makes of the module `late.js` one that imports nothing, and exports a function that is given what it shares with
 * `shared.js`: loaded by whatever means, it never brings another copy of that with it.
 *
 * @param entries what bundlers get, in `bundled` beside the folder: the same, and what is loaded late at once
 */
export async function finishLate(folder, entries, minify) {
  const { build } = await import('vite')
  const file = join(folder, 'late.js')
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      write: false,
      target: 'es2022',
      rolldownOptions: {
        input: file,
        external: (id) => id.endsWith('shared.js'),
        onLog: (level, log, print) => {
          if (log.code !== 'EMPTY_IMPORT_META') print(level, log)
          else throw new Stop(`${log.message} What is loaded late has no address of its own.`)
        },
        output: { format: 'iife', name: 'late', globals: () => 'shared', minify },
      },
    },
  })
  writeFileSync(file, `export default(shared)=>{${output[0].code};return late}\n`)
  for (const entry of entries) {
    const place = join(folder, '..', 'bundled', `${entry}.js`)
    const up = '../'.repeat(entry.split('/').length)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, `import '${up}node/bundled.js'\nexport * from '${up}node/${entry}.js'\n`)
  }
}
