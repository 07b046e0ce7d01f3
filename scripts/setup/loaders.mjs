// What is written for each module of the table: where it is by default, and what JavaScript knows of them all.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { wasm } from './shared.mjs'
import { folderOf, listedNames, modules } from './table.mjs'

const MADE = '// Made from wasm/modules.json by scripts/setup.mjs.\n'

/** The files by which a module is found, by their names in its folder. package.json says which runtime takes which. */
const loaders = {
  // Bundlers find the module only through a literal `new URL(…, import.meta.url)`.
  'source.js': (name) => `export function ${name}Source() {
  try {
    return new URL('./${name}_bg.wasm', import.meta.url)
  } catch {
    return undefined // a bundle in a format without \`import.meta\`: the caller of \`init\` has to say
  }
}
`,
  'source.edge.js': (
    name,
  ) => `// Vercel's edge runtime is given modules by its bundler, under names that only that one knows.
export const ${name}Source = () => undefined
`,
  'source.workerd.js': (
    name,
  ) => `// Cloudflare Workers compile WebAssembly when they are deployed, from an import, and never later.
import module from './${name}_bg.wasm'

export const ${name}Source = () => module
`,
  'source.d.ts': (name) => `/**
 * Where the ${modules[name].noun} is by default: its address; in Cloudflare Workers, which compile nothing at run time,
 * the compiled module. \`undefined\` in a bundle that does not know its own address.
 */
export declare function ${name}Source(): URL | WebAssembly.Module | undefined
`,
}

/** The loaders of a module that are run, from the root of the package: they are published. */
export const loadersOf = (name) =>
  Object.keys(loaders).flatMap((file) => (file.endsWith('.js') ? [`wasm/dist/${name}/${file}`] : []))

/** The names of the modules, as options are named: an object of them. */
const names = () => `export const moduleNames = { ${listedNames.map((name) => `${name}: true`).join(', ')} }\n`

const declaredNames = () => `/** The modules, by their names. */
export declare const moduleNames: {
${listedNames.map((name) => `  readonly ${name}: true\n`).join('')}}
/** Where each module is, by its name. */
export interface ModuleSources<Source> {
${listedNames.map((name) => `  /** Where the ${modules[name].noun} is${whenLoaded(name)}; by default the file of the package. */\n  ${name}?: Source\n`).join('')}}
`

const whenLoaded = (name) => (modules[name].loaded === undefined ? '' : `, which is loaded ${modules[name].loaded}`)

/** Writes the loaders of every module, also of those that are not built, and the names of all. Nothing where they are there. */
export function writeLoaders() {
  for (const name of listedNames)
    for (const [file, textOf] of Object.entries(loaders)) write(join(folderOf(name), file), MADE + textOf(name))
  write(join(wasm, 'dist', 'modules.js'), MADE + names())
  write(join(wasm, 'dist', 'modules.d.ts'), MADE + declaredNames())
}

function write(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
