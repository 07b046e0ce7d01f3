// The programs that building and testing need: looked for first, installed only when missing.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { devNull, homedir } from 'node:os'
import { join, relative } from 'node:path'
import { findBrowser } from '../browsers.mjs'
import { env, exe, hash, once, root, run, Stop, succeeds, wasm } from './shared.mjs'

const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** Where wasm-pack and wasm-bindgen are built. */
export const wasmTools = join(wasm, 'tools', 'target', 'debug')

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const { node } = json('package.json').engines // such as ^20.19 || >=22.12
  const ranges = Array.from(node.matchAll(/(\^|>=)(\d+)\.(\d+)/g), ([, sign, ...from]) => [sign, ...from.map(Number)])
  const fits = ([sign, fromMajor, fromMinor]) =>
    major === fromMajor ? minor >= fromMinor : sign === '>=' && major > fromMajor
  if (ranges.some(fits)) return
  throw new Stop(
    `Node ${process.versions.node} is not supported (${node}). Install another: nvm install, or see nodejs.org`,
  )
}

/** The toolchain of rust-toolchain.toml, with its target and components. */
export async function installRust() {
  const missing = []
  if (process.platform !== 'win32' && !succeeds('cc', ['--version'])) {
    const install = process.platform === 'darwin' ? 'xcode-select --install' : 'sudo apt-get install -y gcc libc6-dev'
    missing.push(`The C compiler cc is missing; Rust links with it. Install it: ${install}`)
  }
  if (!succeeds('rustup', ['--version'])) {
    const install = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --default-toolchain none"
    missing.push(`rustup is missing; it installs the Rust compiler. Install it: ${install}`)
  }
  if (missing.length > 0) throw new Stop(missing.join('\nsetup: '))
  const text = readFileSync(join(root, 'rust-toolchain.toml'), 'utf8')
  const values = (key) => Array.from(text.match(new RegExp(`^${key} = .*$`, 'm'))[0].matchAll(/"(.+?)"/g), ([, v]) => v)
  const [channel] = values('channel')
  const [profile] = values('profile')
  const targets = values('targets')
  const components = values('components')
  if (hasToolchain(channel, ['rustc', 'cargo', ...components, ...targets.map((target) => `rust-std-${target}`)])) return
  const parts = [...targets.flatMap((target) => ['-t', target]), ...components.flatMap((name) => ['-c', name])]
  const args = ['toolchain', 'install', channel, '--no-self-update', '--profile', profile, ...parts]
  await run(`Rust ${channel}`, `compiles the core, for ${targets.join(', ')}`, 'rustup', args)
}

/** Whether rustup has a toolchain with these components; asking rustup itself would need the network. */
function hasToolchain(channel, components) {
  const toolchains = join(process.env.RUSTUP_HOME ?? join(homedir(), '.rustup'), 'toolchains')
  const folder = existsSync(toolchains) && readdirSync(toolchains).find((name) => name.startsWith(`${channel}-`))
  const list = folder ? join(toolchains, folder, 'lib', 'rustlib', 'components') : ''
  if (!existsSync(list)) return false
  const installed = readFileSync(list, 'utf8').split('\n')
  return components.every((name) => installed.some((line) => line === name || line.startsWith(`${name}-`)))
}

/** Downloads crates, a second time if the network fails the first. */
export async function fetchCrates(cwd, why) {
  const fetch = () => run('crates', why, 'cargo', ['fetch', '--locked'], { cwd })
  try {
    await fetch().catch(fetch)
  } catch (error) {
    const manifest = relative(root, join(cwd, 'Cargo.toml'))
    const update = `cargo metadata --format-version 1 --manifest-path ${manifest} > ${devNull}`
    throw new Stop(`${error.message}\nIf a Cargo.toml was changed, bring its lock file up to date: ${update}`)
  }
}

/** wasm-pack and wasm-bindgen, inside the project and from its lock file. */
export async function installWasmTools() {
  const cwd = join(wasm, 'tools')
  const outputs = ['wasm-pack', 'wasm-bindgen'].map((name) => join(wasmTools, name + exe))
  await once('wasm-tools', [hash('', 'rust-toolchain.toml', 'wasm/tools')], outputs, async () => {
    await fetchCrates(cwd, 'sources of wasm-pack and wasm-bindgen')
    await run(
      'wasm tools',
      'turn the core into WebAssembly, about a minute',
      'cargo',
      ['build', '--locked', '--bins'],
      { cwd },
    )
  })
}

/** node_modules as the lock file says. What is there is compared, so that an `npm install` by hand counts too. */
export async function installNpmPackages() {
  const record = join(root, 'node_modules', '.package-lock.json')
  const wanted = Object.entries(json('package-lock.json').packages).filter(([path]) => path !== '')
  const installed = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')).packages : {}
  const isCurrent =
    wanted.every(([path, { version, optional }]) =>
      path in installed ? installed[path].version === version && existsSync(join(root, path)) : optional === true,
    ) && Object.keys(installed).every((path) => wanted.some(([name]) => name === path))
  if (isCurrent) return
  const shell = process.platform === 'win32' // npm is a batch file there
  const why = 'compiler, bundler and checkers of the TypeScript side'
  await run('npm packages', why, 'npm', ['ci', '--no-audit', '--no-fund'], { shell })
}

const browsers = {
  chromium: { name: 'Chromium', packages: ['chromium'] },
  firefox: { name: 'Firefox', packages: ['firefox-esr'] },
  webkit: { name: 'WebKitGTK', packages: ['webkit2gtk-driver', 'xvfb', 'xauth'] },
}

/** Their names. */
export const allBrowsers = Object.keys(browsers)

/** Browsers from the Debian archive: the tests in a page and the table of runtimes run in them. */
export async function installBrowsers(wanted) {
  const missing = wanted.filter((name) => !findBrowser(name)).map((name) => browsers[name])
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  const packages = missing.flatMap((browser) => browser.packages)
  const install = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  const skipped = `setup: ${names}: missing, what runs there is left out.`
  if (!succeeds('apt-get', ['--version'])) {
    console.error(`${skipped} Install it, or name the programs: SX_CHROMIUM, SX_FIREFOX, SX_WEBKIT.`)
    return
  }
  if (process.getuid?.() !== 0) {
    console.error(`${skipped} Install it: sudo apt-get update && sudo ${install}`)
    return
  }
  const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } }
  await run('package lists', 'to find browsers', 'apt-get', ['update', '-qq'], options)
  await run(names, 'for what runs in a page', 'apt-get', ['-qq', ...install.split(' ').slice(1)], options)
}
