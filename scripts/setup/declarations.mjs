// Declarations that older compilers read too. TypeScript 5.7 has made `Uint8Array` generic and its compiler writes the
// argument out, which those before it refuse; those after it need to know that a result is no shared memory.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The type in every version; `Uint8Array.of` gives `Uint8Array<ArrayBuffer>` where there is such a thing. */
const written = [
  ['Uint8Array<ArrayBufferLike>', 'Uint8Array'],
  ['Uint8Array<ArrayBuffer>', 'ReturnType<typeof Uint8Array.of>'],
]

/** Rewrites the declarations of a folder. */
export function lowerDeclarations(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const path = join(folder, name)
    const text = readFileSync(path, 'utf8')
    const lowered = written.reduce((before, [from, to]) => before.replaceAll(from, to), text)
    if (lowered !== text) writeFileSync(path, lowered)
  }
}
