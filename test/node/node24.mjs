// Node 24, which knows ML-DSA: the npm package of its binary, installed into .cache at first use.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { arch, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

const VERSION = '24.21.0'
const PACKAGED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win-x64']

/** Path of Node 24's program; undefined where npm has none for this system. */
export function node24() {
  const system = `${platform === 'win32' ? 'win' : platform}-${arch}`
  if (!PACKAGED.includes(system)) return undefined
  const cache = fileURLToPath(new URL('../../.cache', import.meta.url))
  const folder = join(cache, `node-${VERSION}-${system}`)
  const program = platform === 'win32' ? 'node.exe' : 'node'
  const path = join(folder, 'node_modules', `node-${system}`, 'bin', program)
  if (!existsSync(path)) install(`node-${system}@${VERSION}`, cache, folder)
  return path
}

/** Installs beside the place and moves there, so that two test files may do it at the same time. */
function install(name, cache, folder) {
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'node-'))
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  try {
    execFileSync('npm', ['install', '--prefix', fresh, ...options, name], {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: platform === 'win32', // npm is a batch file there
      timeout: 300_000,
    })
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
