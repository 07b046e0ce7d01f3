// Whether package.json and the workspace of Rust say of the WebAssembly modules what wasm/modules.json does, and whether
// each module that is built is within its budget. What is missing is said with the line to add.
//
//   node scripts/modules.mjs           fails if something is missing or too large
//   node scripts/modules.mjs --write   writes the lines into package.json
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { loadersOf } from './setup/loaders.mjs'
import { root, wasm } from './setup/shared.mjs'
import { checkTable, fileOf, listedNames, modules } from './setup/table.mjs'

const WRITE = 'node scripts/modules.mjs --write'

/** What npm has to find in package.json of a module. */
function entriesOf(name) {
  const [byDefault, edge, workerd] = loadersOf(name).map((path) => `./${path}`)
  return {
    imports: { [`#modules/${name}/source.js`]: { workerd, 'edge-light': edge, default: byDefault } },
    exports: { [`./${name}.wasm`]: `./${fileOf(name)}` },
    files: [fileOf(name), ...loadersOf(name)],
  }
}

/** What of package.json is about modules. */
const isOfModule = {
  imports: (key) => key.startsWith('#modules/'),
  exports: (key) => key.endsWith('.wasm'),
  files: (path) => /^wasm\/dist\/.+\.(?:wasm|js)$/.test(path),
}

/** Whether two parts of package.json say the same, conditions in the same order. */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other)

/** A member of an object as JSON text, with its name. */
const line = (key, value) =>
  JSON.stringify({ [key]: value }, null, 1)
    .slice(1, -1)
    .replaceAll(/\s+/g, ' ')
    .trim()

/** What package.json lacks of the modules with these names, and what it has of others. */
export function packageFaults(manifest, names) {
  const wanted = names.map(entriesOf)
  const faults = ['imports', 'exports'].flatMap((part) => {
    const all = Object.assign({}, ...wanted.map((entries) => entries[part]))
    return [
      ...Object.entries(all)
        .filter(([key, value]) => !isSame(manifest[part][key], value))
        .map(([key, value]) => `package.json lacks in "${part}": ${line(key, value)}`),
      ...Object.keys(manifest[part])
        .filter((key) => isOfModule[part](key) && !(key in all))
        .map((key) => `package.json has "${key}" in "${part}", of a module that wasm/modules.json does not have.`),
    ]
  })
  const files = wanted.flatMap((entries) => entries.files)
  const missing = files.filter((path) => !manifest.files.includes(path))
  const odd = manifest.files.filter((path) => isOfModule.files(path) && !files.includes(path))
  faults.push(
    ...missing.map((path) => `package.json lacks in "files": "${path}"`),
    ...odd.map((path) => `package.json has "${path}" in "files", of a module that wasm/modules.json does not have.`),
  )
  return faults.length === 0 ? [] : [...faults, `Change these lines, or run: ${WRITE}`]
}

/** The same package.json with what {@link packageFaults} misses, and without what it finds odd. */
export function withModules(manifest, names) {
  const wanted = names.map(entriesOf)
  const replaced = (part) => {
    const all = Object.assign({}, ...wanted.map((entries) => entries[part]))
    const old = Object.entries(manifest[part])
    const at = old.findIndex(([key]) => isOfModule[part](key))
    const others = old.filter(([key]) => !isOfModule[part](key))
    return Object.fromEntries(others.toSpliced(at < 0 ? others.length : at, 0, ...Object.entries(all)))
  }
  const others = manifest.files.filter((path) => !isOfModule.files(path))
  const at = manifest.files.findIndex(isOfModule.files)
  const files = others.toSpliced(at < 0 ? others.length : at, 0, ...wanted.flatMap((entries) => entries.files))
  return { ...manifest, imports: replaced('imports'), exports: replaced('exports'), files }
}

/** The crates of modules that the workspace does not have. */
export function workspaceFaults(cargo, table) {
  const [, list = ''] = /^members = \[([^\]]*)\]/m.exec(cargo) ?? []
  const members = new Set(Array.from(list.matchAll(/"([^"]+)"/g), ([, name]) => name))
  const crates = new Set(Object.values(table).flatMap(({ build }) => build.crates))
  return [...crates]
    .filter((crate) => !members.has(crate))
    .map((crate) => `wasm/Cargo.toml does not have the crate of a module. Add "${crate}" to its members.`)
}

const shown = (bytes) => bytes.toLocaleString('en-US')

/** Which modules are larger than they may be, or not there. */
export function sizeFaults(sizes, table) {
  return Object.entries(table).flatMap(([name, { budget }]) => {
    const size = sizes[name]
    if (size === undefined) return `The module ${name} is not built. Run: npm run setup`
    if (size <= budget) return []
    return (
      `The module ${name} has ${shown(size)} bytes, compressed by brotli, and its budget is ${shown(budget)}. ` +
      'Make it smaller, or raise "budget" in its row of wasm/modules.json.'
    )
  })
}

/** How large each module is that is built, in bytes, compressed by brotli. */
export function builtSizes() {
  const built = listedNames.filter((name) => existsSync(join(root, fileOf(name))))
  return Object.fromEntries(
    built.map((name) => [name, brotliCompressSync(readFileSync(join(root, fileOf(name)))).length]),
  )
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  checkTable()
  const path = join(root, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  if (argv.includes('--write')) {
    writeFileSync(path, `${JSON.stringify(withModules(manifest, listedNames), null, 2)}\n`)
  } else {
    const faults = [
      ...packageFaults(manifest, listedNames),
      ...workspaceFaults(readFileSync(join(wasm, 'Cargo.toml'), 'utf8'), modules),
      ...sizeFaults(builtSizes(), modules),
    ]
    for (const fault of faults) console.error(fault)
    process.exitCode = faults.length === 0 ? 0 : 1
  }
}
