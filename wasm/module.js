// The address of the WebAssembly module, outside of what is bundled: sources and dist lie at
// different depths, while bundlers find the module only through a literal `new URL(…, import.meta.url)`.
export const moduleUrl = new URL('./dist/core/core_bg.wasm', import.meta.url)
