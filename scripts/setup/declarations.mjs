// The declarations that are published: those that the entries lead to, in words that older compilers read too.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** TypeScript 5.7 has made `Uint8Array` generic, and writes an argument out that those before it refuse. */
const WRITTEN = 'Uint8Array<ArrayBufferLike>'

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
    const lowered = text.replaceAll(WRITTEN, 'Uint8Array')
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
