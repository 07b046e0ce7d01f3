// NOTICE.md: who wrote what is linked into the WebAssembly modules, or installed beside them.
//
//   node scripts/notices.mjs           writes it
//   node scripts/notices.mjs --check   fails if it is out of date, or if a licence is not accepted
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { capture, root, Stop, wasm } from './setup/shared.mjs'
import { modules } from './setup/table.mjs'

/** Licences under which code may reach users. */
const accepted = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unicode-3.0',
  'Zlib',
])
/** And those of programs that only work here, on the way to a release. */
const acceptedInTools = new Set([
  ...accepted,
  'BlueOak-1.0.0',
  'BSL-1.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'MPL-2.0',
  'Unlicense',
])
/** Of packages that name no SPDX expression, what their licence file is. */
const named = {
  'node_modules/@contentauth/c2pa-types': 'MIT',
  'node_modules/json-schema-test-suite': 'MIT',
}
/** Crates without a licence file, and one of the same authors that has it. */
const siblings = {
  'jsonschema-regex': 'jsonschema-0',
  'jsonschema-value': 'jsonschema-0',
  'uuid-simd': 'outref-',
  vsimd: 'outref-',
}
/** For code under one of these the whole text must be passed on; that of Apache-2.0 is LICENSE-APACHE. */
const needsText = ['MIT', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'Unicode-3.0', 'Zlib']

/** The licences chosen from an SPDX expression: all of an AND, the first accepted of an OR; undefined if there is none. */
function choose(expression, isAccepted) {
  const tokens = expression.replace('/', ' OR ').match(/[()]|[^\s()]+/g)
  const either = () => {
    let chosen = both()
    while (tokens[0] === 'OR') {
      tokens.shift()
      const other = both()
      // Apache-2.0 first: it needs no text for each author, and its text comes with the package.
      if (chosen === undefined || other?.includes('Apache-2.0')) chosen = other ?? chosen
    }
    return chosen
  }
  const both = () => {
    let chosen = one()
    while (tokens[0] === 'AND') {
      tokens.shift()
      const other = one()
      chosen = chosen && other && [...chosen, ...other]
    }
    return chosen
  }
  const one = () => {
    const token = tokens.shift()
    if (token !== '(') return isAccepted(token) ? [token] : undefined
    const inner = either()
    tokens.shift()
    return inner
  }
  return either()
}

const chooseFor = (set) => (name, expression) => {
  const chosen = expression && choose(expression, (licence) => set.has(licence))
  if (!chosen) throw new Stop(`The licence of ${name} is not accepted: ${expression ?? 'it names none'}.`)
  return chosen
}
const ship = chooseFor(accepted)
const use = chooseFor(acceptedInTools)

async function crates() {
  const metadata = JSON.parse(
    (await capture('cargo', ['metadata', '--locked', '--format-version', '1'], { cwd: wasm })).stdout,
  )
  const others = metadata.packages.filter(({ source }) => source !== null)
  for (const { name, version, license } of others) use(`${name} ${version}`, license)
  const target = ['--target', 'wasm32-unknown-unknown', '--edges', 'normal,no-proc-macro']
  const bindings = new Set(Object.values(modules).map(({ build }) => join(wasm, build.crates.at(-1), 'Cargo.toml')))
  const ours = metadata.packages.filter(({ manifest_path }) => bindings.has(manifest_path))
  const named = ours.flatMap(({ name }) => ['--package', name])
  const args = ['tree', '--locked', ...named, ...target, '--prefix', 'none', '--format', '{p}']
  const linked = new Set(
    (await capture('cargo', args, { cwd: wasm })).stdout.split('\n').map((line) => line.replace(' (*)', '')),
  )
  return others
    .filter(({ name, version }) => linked.has(`${name} v${version}`))
    .map(({ name, version, license, manifest_path }) => ({ name, version, license, folder: dirname(manifest_path) }))
}

function npmPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const others = Object.entries(packages).filter(([path]) => path !== '')
  for (const [path, { license, dev }] of others) if (dev) use(path, named[path] ?? license)
  return others
    .filter(([, { dev }]) => !dev)
    .map(([path, { version, license }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license,
    }))
}

/** The licence file of a crate for one of the licences it is under. */
function licenceText({ name, folder }, licence) {
  const [word] = licence.split('-')
  const crates = dirname(folder)
  const sibling = siblings[name] && readdirSync(crates).find((other) => other.startsWith(siblings[name]))
  const from = sibling === undefined ? folder : join(crates, sibling)
  const files = readdirSync(from).filter((file) => /^(licen[cs]e|copying)/i.test(file))
  const file = files.find((file) => file.toLowerCase().includes(word.toLowerCase())) ?? files[0]
  if (file === undefined) throw new Stop(`${name} is under ${licence} but brings no licence file.`)
  return readFileSync(join(from, file), 'utf8').replaceAll('\r\n', '\n').trim()
}

async function notices() {
  const linked = (await crates()).map((crate) => ({ ...crate, chosen: ship(crate.name, crate.license) }))
  const installed = npmPackages().map((entry) => ({ ...entry, chosen: ship(entry.name, entry.license) }))
  const byName = (a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en')
  const table = (entries) =>
    ['| name | version | licence | used under |', '|---|---|---|---|']
      .concat(
        entries
          .sort(byName)
          .map(({ name, version, license, chosen }) => `| ${name} | ${version} | ${license} | ${chosen.join(', ')} |`),
      )
      .join('\n')
  const texts = new Map()
  for (const crate of linked)
    for (const licence of crate.chosen.filter((licence) => needsText.includes(licence))) {
      const text = licenceText(crate, licence)
      texts.set(text, [...(texts.get(text) ?? []), crate.name])
    }
  const quoted = [...texts].map(([text, names]) => `### ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\``)
  return `# Notices

Made by \`node scripts/notices.mjs\`. sx-agent itself is under Apache-2.0 or MIT, as you choose: LICENSE-APACHE, LICENSE-MIT.

## Linked into the WebAssembly modules

${table(linked)}

## Installed beside them

${table(installed)}

## Texts

The text of Apache-2.0 is LICENSE-APACHE.

${quoted.join('\n\n')}
`
}

try {
  const file = join(root, 'NOTICE.md')
  const text = await notices()
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text)
    throw new Stop('NOTICE.md is out of date. Run: node scripts/notices.mjs')
} catch (error) {
  console.error(error instanceof Stop ? error.message : error)
  process.exitCode = 1
}
