// What is built of TypeScript: dist, the package as it is published.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitOf } from './commit.mjs'
import { finishDeclarations } from './declarations.mjs'
import { more } from './outputs.mjs'
import { hash, once, replace, root, run, Stop, wasm } from './shared.mjs'
import { listedNames, moduleNames } from './table.mjs'

/** The declarations of the entries; some entries are not for every runtime. */
function declared(condition) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.values(exports).flatMap((target) => (target[condition] === null ? [] : (target.types ?? [])))
}

/** The published modules by where they stand in `dist/<runtime>`, with their sources. */
function modules(condition) {
  return Object.fromEntries(
    declared(condition).map((path) => [path.match(/^\.\/dist\/types\/src\/(.+)\.d\.ts$/)[1], sourceOf(path)]),
  )
}

/** A file that is started as a worker. */
const worker = (runtime, name) => ({ [`${name}-worker`]: `${runtime}/${name}-worker.ts` })

/** The source that a declaration in dist was made of. */
const sourceOf = (path) => path.replace('./dist/types/', '').replace(/\.d\.ts$/, '.ts')

/** Has what is bundled find the modules from `dist/<runtime>`. */
const fromDist = {
  name: 'from-dist',
  transform(code, id) {
    const [, folder] = /[\\/](wasm|wasm[\\/]dist[\\/]\w+)[\\/](?:place|source)\.js$/.exec(id) ?? []
    return folder && code.replaceAll("'./", `'../../${folder.replaceAll('\\', '/')}/`)
  },
}

/**
 * Node compiles what it reads at each start: local names are short, and traces still name functions. Lines stay, as Node
 * prints the one that an error was thrown in.
 */
const small = {
  compress: { joinVars: false, sequences: false, keepNames: { function: true, class: true } },
  mangle: { toplevel: false, keepNames: { function: true, class: true } },
  codegen: false,
}

/**
 * Cuts what several entries need into files, so that each entry loads little that it has no use for: what verifying
 * workers of pages need, what `sx-agent/verify` needs besides, the rest. A worker must not lead to a file that starts it:
 * bundlers that follow both would never end.
 */
function cut() {
  const needed = new Map()
  return {
    plugin: {
      name: 'cut',
      buildEnd() {
        for (const id of this.getModuleIds()) {
          if (this.getModuleInfo(id).isEntry) needed.set(/([\w-]+)\.ts$/.exec(id)[1], reachedFrom(this, id))
        }
      },
    },
    isNeededBy: (entry) => (id) => needed.get(entry)?.has(id) ?? false,
  }
}

/** Breaks the lines on which files import from and export to each other, which name hundreds of things. */
const brokenLists = {
  name: 'broken-lists',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      file.code = file.code.replaceAll(/^(?:import|export) \{ .+ \}.*;$/gm, (line) =>
        line.replaceAll(LIST_PART, '$1,\n  '),
      )
    }
  },
}

/** As many names as fit into a line. */
const LIST_PART = /(.{60,100}?), /g

/**
 * Puts the few lines that the bundler lets files share into each of them: to find and to read one more file takes Node a
 * millisecond.
 */
const withoutRuntime = {
  name: 'without-runtime',
  generateBundle(_, files) {
    const { [RUNTIME]: runtime, ...others } = files
    if (runtime === undefined) return
    const [, code, exported] = /^([^]*)\nexport \{ (\w+) as t \};\s*$/.exec(runtime.code) ?? []
    for (const file of Object.values(others)) {
      file.code = file.code.replace(`import { t as ${exported} } from "./${RUNTIME}";`, () => code)
      if (file.code.includes(RUNTIME)) throw new Stop(`${file.fileName} imports more of ${RUNTIME} than one function.`)
    }
    delete files[RUNTIME]
  },
}

const RUNTIME = 'rolldown-runtime.js'

/** A module and all that it imports. */
function reachedFrom(context, start) {
  const reached = new Set([start])
  for (const id of reached) for (const next of context.getModuleInfo(id)?.importedIds ?? []) reached.add(next)
  return reached
}

/** The files of a module that the package is made of. */
const glueOf = (name) => [`${name}.js`, `${name}.d.ts`, ...more(name)].map((file) => `wasm/dist/${name}/${file}`)

/** What says where a module is. */
const sourceIn = (name) => `#modules/${name}/source.js`

/** The class of agents does not stand in what every entry needs: its methods are made as it is read. */
const isNoAgent = (id) => !/[\\/]src[\\/]agent\.ts$/.test(id)

/** Puts the sources for one runtime into few files: finding and reading each costs Node a millisecond. */
async function bundle(outDir, condition, entries, plugins = []) {
  const { build } = await import('vite') // there only after npm's packages
  const isNode = condition === 'node'
  // What the glue of a module does as it is evaluated, not every bundler leaves out of a file that it needs.
  const apart = isNode ? [] : [{ name: 'images', test: /[\\/]wasm[\\/]dist[\\/](?!core[\\/])\w+[\\/]/ }]
  // Where the modules are stands in files of their own, for bundlers, of which each takes Node time to find and to read.
  const places = isNode ? [] : listedNames.map(sourceIn)
  const external = [/^node:/, ...places, 'commander', 'idb-keyval']
  const { plugin, isNeededBy } = cut()
  await build({
    root,
    configFile: false,
    logLevel: plugins.length > 0 ? 'error' : 'warn', // what is not built is missed
    plugins: [...plugins, plugin, fromDist, withoutRuntime, brokenLists],
    ssr: { resolve: { conditions: [condition] } }, // no library is pulled in, nothing is changed for a page
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      rolldownOptions: {
        input: entries,
        external,
        platform: 'neutral', // or it imports node:module for a `require` that nothing calls
        preserveEntrySignatures: 'strict',
        output: {
          // Some bundlers copy a worker for Node to a place where `.js` means CommonJS.
          entryFileNames: ({ name }) => (isNode && name.endsWith('-worker') ? '[name].mjs' : '[name].js'),
          chunkFileNames: '[name].js',
          comments: { annotation: true, jsdoc: false, legal: true }, // documentation stands in the declarations
          minify: isNode && small, // else readable without a source map, which would double what is downloaded
          codeSplitting: {
            groups: [
              ...apart,
              { name: 'verdict', minShareCount: 2, test: isNeededBy('verify-worker') }, // runtime,
              { name: 'verifying', minShareCount: 2, test: isNeededBy('verify') },
              { name: 'shared', minShareCount: 2, ...(isNode && { test: isNoAgent }) },
            ],
          },
        },
      },
    },
  })
}

/** Replaces the glue of modules that are not built. Using such a module fails with `WasmUnavailable`. */
const withoutModules = {
  name: 'without-modules',
  enforce: 'pre',
  resolveId: (id) => (/^#glue\/(?!core\/)/.test(id) ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0#') ? `export const build = 'none'` : undefined),
}

/**
 * dist: the package as it is published.
 *
 * @param coreOnly only what runs in Node and needs no module but the core, without declarations, if there is no more yet
 */
export async function buildDist({ coreOnly = false } = {}) {
  const inputs = ['src', 'node', 'browser', 'edge']
  const settings = [
    'tsconfig.json',
    'tsconfig.build.json',
    'package.json',
    'package-lock.json',
    'wasm/place.js',
    'wasm/place.d.ts',
    'wasm/dist/modules.js',
    'wasm/dist/modules.d.ts',
    ...listedNames.flatMap((name) => ['js', 'd.ts'].map((end) => `wasm/dist/${name}/source.${end}`)),
  ]
  const steps = ['dist', 'declarations'].map((name) => `scripts/setup/${name}.mjs`)
  const key = (names) => hash('', ...inputs, ...settings, ...steps, ...names.flatMap(glueOf))
  const main = join(root, 'dist', 'node', 'index.js')
  const isBuilt = (name) => glueOf(name).every((path) => existsSync(join(root, path)))
  const whole = moduleNames.every(isBuilt) ? [key(moduleNames)] : []
  await once('dist', coreOnly ? [`${key(['core'])} core`, ...whole] : whole, [main], async () => {
    const fresh = join(root, '.dist')
    rmSync(fresh, { recursive: true, force: true })
    if (coreOnly) {
      console.error('setup: dist: TypeScript to what runs in Node')
      await bundle(join(fresh, 'node'), 'node', modules('node'), [withoutModules])
    } else {
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
      const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', join(fresh, 'types')]
      await run('types', 'what the published package declares', process.execPath, args)
      await finishDeclarations(
        join(fresh, 'types'),
        declared().map((path) => path.replace('./dist/types/', '')),
      )
      console.error('setup: dist: TypeScript to the published package')
      const main = { ...modules('node'), ...worker('node', 'agent'), 'cli/main': 'node/cli/main.ts' }
      await bundle(join(fresh, 'node'), 'node', main)
      // One file, which runs also where a bundler has copied it to.
      await bundle(join(fresh, 'node'), 'node', worker('node', 'verify'))
      const inPage = { ...modules('browser'), ...worker('browser', 'agent'), ...worker('browser', 'verify') }
      await bundle(join(fresh, 'browser'), 'browser', inPage)
      await bundle(join(fresh, 'edge'), 'workerd', modules('workerd'))
    }
    replace(fresh, join(root, 'dist'))
  })
  // Beside what the stamp stands for: a commit may change nothing that is built.
  const [, core] = /^\[workspace\.package\]\r?\nversion = "(.+)"/m.exec(readFileSync(join(wasm, 'Cargo.toml'), 'utf8'))
  const build = { core, commit: await commitOf(root) }
  writeFileSync(join(root, 'dist', 'build.json'), `${JSON.stringify(build)}\n`)
}
