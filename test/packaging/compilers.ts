// The compilers that the declarations of the package have to suit.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { tool } from '../../scripts/matrix/tools.mjs'

const require = createRequire(import.meta.url)
const modules = join(require.resolve('typescript/package.json'), '..', '..')

/** By name, the program of each: the oldest that is promised, the one of the checkout, the native one. */
export const compilers: readonly { readonly name: string; readonly compiler: string }[] = [
  { name: 'TypeScript 5.5', compiler: tool('typescript5') ?? '' },
  { name: 'TypeScript 6', compiler: require.resolve('typescript/bin/tsc') },
  { name: 'TypeScript 7', compiler: tool('typescript7') ?? '' },
]

/** Gives a project the types of Node. */
export function linkTypesOfNode(project: string): void {
  mkdirSync(join(project, 'node_modules', '@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types']) {
    if (existsSync(join(modules, name)))
      symlinkSync(join(modules, name), join(project, 'node_modules', name), 'junction')
  }
}
