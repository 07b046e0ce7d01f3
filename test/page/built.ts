// The pages that the tests open, built once for all files of tests.
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { cache, hash } from '../../scripts/setup/shared.mjs'

const NAME = 'test-pages-'
const SOURCES = [
  'src',
  'browser',
  'edge',
  'wasm/dist',
  'examples/page',
  'examples/agreement',
  'test/page/probe',
  'README.md',
]
const SETTINGS = ['vite.config.ts', 'package.json', 'package-lock.json']

export const configFile: string = fileURLToPath(new URL('../../vite.config.ts', import.meta.url))
const agreement = fileURLToPath(new URL('../../examples/agreement', import.meta.url))
const probe = fileURLToPath(new URL('./probe', import.meta.url))

/**
 * The folder with the example page, in `agreement` the example of agreements, and in `probe` a page of bare library calls.
 * Nobody writes into it.
 */
export async function builtPages(): Promise<string> {
  const folder = join(cache, NAME + hash('', ...SOURCES, ...SETTINGS).slice(0, 16))
  if (existsSync(folder)) return folder
  const fresh = await mkdtemp(join(cache, 'pages-'))
  const common = { configFile, mode: 'production', logLevel: 'error' } as const
  await build({ ...common, build: { outDir: fresh, emptyOutDir: true } })
  await build({ ...common, root: agreement, build: { outDir: fresh, emptyOutDir: true } })
  await build({
    ...common,
    root: probe,
    base: '/probe/',
    worker: { format: 'es' },
    build: { outDir: join(fresh, 'probe'), emptyOutDir: true, target: 'es2022' },
  })
  for (const name of await readdir(cache)) {
    if (name.startsWith(NAME) && join(cache, name) !== folder)
      await rm(join(cache, name), { recursive: true, force: true })
  }
  try {
    await rename(fresh, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // else another process was faster
    await rm(fresh, { recursive: true })
  }
  return folder
}
