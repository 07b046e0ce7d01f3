// An empty project that installs the packed package, as a user's does, with the conformance suite in it.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture, root } from '../setup/shared.mjs'

const shell = process.platform === 'win32' // npm is a batch file there

/** The path of the tarball that would be published, made in a folder. */
export async function pack(folder) {
  const { stdout } = await capture('npm', ['pack', '--json', '--pack-destination', folder], { shell })
  return join(folder, JSON.parse(stdout)[0].filename)
}

/** Makes a project that nothing is installed in yet. */
export function emptyProject(folder) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  return folder
}

/** Installs a tarball by npm, and other packages beside it. */
export function npmInstall(project, tarball, ...more) {
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...more]
  if (more.length > 0) args.push('--ignore-scripts') // of others; a package of ours that had one would show
  return capture('npm', args, { cwd: project, shell })
}

/** Puts the suite, its vectors and its runners into a project, where they stand in the checkout. */
export function copySuite(project) {
  for (const path of ['test/conformance', 'test/vectors', 'scripts/surfaces/tables.mjs'])
    cpSync(join(root, path), join(project, path), { recursive: true, filter: (name) => !name.endsWith('.test.ts') })
}
