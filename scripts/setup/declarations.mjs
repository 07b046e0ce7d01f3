// The declarations that are published: those that the entries lead to, in words that older compilers read too.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * TypeScript 5.7 has made `Uint8Array` generic, and writes an argument that those before it refuse. Those after it have
 * to know that a result is no shared memory: there `Uint8Array.of` gives `Uint8Array<ArrayBuffer>`.
 */
const written = [
  ['Uint8Array<ArrayBufferLike>', 'Uint8Array'],
  ['Uint8Array<ArrayBuffer>', 'ReturnType<typeof Uint8Array.of>'],
]

/**
 * Rewrites the declarations that stand in a folder, and removes those that nobody can reach.
 *
 * @param entries names of files in it, `.d.ts`
 */
export async function finishDeclarations(folder, entries) {
  const { default: ts } = await import('typescript') // there only after npm's packages
  const reached = new Set()
  const visit = (path) => {
    if (reached.has(path)) return
    reached.add(path)
    const text = readFileSync(path, 'utf8')
    const lowered = written.reduce((before, [from, to]) => before.replaceAll(from, to), text)
    if (lowered !== text) writeFileSync(path, lowered)
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (fileName.startsWith('.')) visit(join(dirname(path), fileName.replace(/\.ts$/, '.d.ts')))
    }
  }
  for (const name of entries) visit(join(folder, name))
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name)
    if (name.endsWith('.d.ts') && !reached.has(path)) rmSync(path)
  }
}
