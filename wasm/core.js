// The core for every loader. It stands here because sources and dist lie at different depths,
// while bundlers find the module only through a literal `new URL(…, import.meta.url)`.
export * from './dist/core/core.js'
export { default } from './dist/core/core.js'

/** Address of the WebAssembly module. */
export const moduleUrl = new URL('./dist/core/core_bg.wasm', import.meta.url)
