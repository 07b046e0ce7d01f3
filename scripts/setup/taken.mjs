// Modules that were built elsewhere, for those who change TypeScript alone.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { buildOf, keysOf, more, planned, SOURCES, section } from './outputs.mjs'
import { cache, once, replace, root, run, Stop } from './shared.mjs'
import { folderOf, moduleNames } from './table.mjs'

/**
 * Takes modules that were built elsewhere from the same sources, so that nobody needs Rust who changes none of it.
 *
 * @param from `wasm/dist` of another checkout, or an archive (.tgz) with that folder in it
 */
export async function takeModules(from) {
  const given = resolve(root, from)
  if (!existsSync(given)) throw new Stop(`There is no file or folder ${given}.`)
  const isFolder = statSync(given).isDirectory()
  mkdirSync(cache, { recursive: true })
  const folder = isFolder ? given : mkdtempSync(join(cache, 'modules-'))
  try {
    if (!isFolder) await run('tar', `unpacks ${from}`, 'tar', ['-xzf', given, '-C', folder])
    const found = readdirSync(folder, { recursive: true }).find((path) => basename(path) === 'core_bg.wasm')
    if (found === undefined) throw new Stop(`${from} holds no core_bg.wasm. Pass a folder or archive of wasm/dist.`)
    const dist = join(folder, dirname(dirname(found)))
    for (const name of moduleNames) checkTaken(join(dist, name), name)
    for (const name of moduleNames) await take(join(dist, name), name)
  } finally {
    if (!isFolder) rmSync(folder, { recursive: true, force: true })
  }
}

/** Refuses a module that is not whole, or was built from other sources than those that are here. */
function checkTaken(folder, name) {
  const { sources, files } = planned(name)
  const missing = files.map((file) => basename(file)).filter((file) => !existsSync(join(folder, file)))
  if (missing.length > 0) throw new Stop(`The module ${name} is incomplete: ${folder} has no ${missing.join(', ')}.`)
  const said = readFileSync(join(folder, SOURCES), 'utf8').trim()
  if (!keysOf(sources, true).includes(said)) {
    throw new Stop(
      `The module ${name} was built from other sources (${said.slice(0, 12)}) than those of this checkout (${sources.slice(0, 12)}). ` +
        'Take modules of the same commit, or install Rust and run `npm run setup`.',
    )
  }
  const bytes = readFileSync(join(folder, `${name}_bg.wasm`))
  const [script] = more(name)
  const [, build] = /^export const build = '(\w+)'$/m.exec(readFileSync(join(folder, script), 'utf8')) ?? []
  const { body, build: signed } = unsigned(bytes)
  if (signed === undefined || signed !== build || buildOf(body) !== build) {
    throw new Stop(
      `The module ${name} is damaged: ${join(folder, `${name}_bg.wasm`)} is not the one that ${script} names.`,
    )
  }
}

async function take(folder, name) {
  const { files } = planned(name)
  const said = readFileSync(join(folder, SOURCES), 'utf8').trim()
  const fresh = join(cache, name)
  rmSync(fresh, { recursive: true, force: true })
  cpSync(folder, fresh, { recursive: true })
  const out = folderOf(name)
  await once(name, [said], files, async () => replace(fresh, out))
  rmSync(fresh, { recursive: true, force: true })
}

/** A module without that section, and the build that it named; `undefined` if it has none at its end. */
function unsigned(bytes) {
  const { length } = section(buildOf(bytes))
  const [body, build] = [bytes.subarray(0, -length), bytes.subarray(-16).toString('latin1')]
  return { body, build: section(build).equals(bytes.subarray(-length)) ? build : undefined }
}
