/** The core with few salts: in tests in Node, `#core` is this file. See `saltOf` of `derivations.mjs`. */
import * as core from '../wasm/dist/core/core.js'
import { saltOf } from './derivations.mjs'

export * from '../wasm/dist/core/core.js'

export const newKeyDerivation: typeof core.newKeyDerivation = (entropy) => core.newKeyDerivation(saltOf(entropy))
