export * from './dist/core/core.js'
export { default } from './dist/core/core.js'

/** Address of the WebAssembly module. */
export declare const moduleUrl: URL
