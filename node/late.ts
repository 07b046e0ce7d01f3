import { SxError } from '../src/errors.ts'

/** The functions of the library that are loaded late, by the names that the build gives them. */
type Functions = Readonly<Record<string, (...given: unknown[]) => unknown>>
/** Makes them, out of what they share with the rest of the library. */
type Start = (shared: object) => Functions

let start: Start | undefined
let started: Functions | undefined

/**
 * What the package for Node does not read before something of it is called: all that neither the API nor the first
 * verdict consists of. The build puts a call of this into the place of each of its functions, `scripts/setup/late.mjs`.
 *
 * @throws SxError `Unsupported` in a bundle that was made of the files that Node itself gets
 */
export function late(shared: object): Functions {
  started ??= (start ?? required())(shared)
  return started
}

/** Has it be this, which a bundle has brought with it. */
export function give(brought: Start): void {
  start = brought
}

function required(): Start {
  try {
    // By an address beside this module, so that tools which copy what a program needs find the file.
    const place = new URL('./late.js', import.meta.url)
    return (process.getBuiltinModule('node:module').createRequire(place)('./late.js') as { default: Start }).default
  } catch (cause) {
    const found =
      'This bundle was made of files that Node loads itself. Have the bundler resolve the condition `module`.'
    throw new SxError('Unsupported', found, { cause })
  }
}
