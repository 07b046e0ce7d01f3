// Where the WebAssembly module for custom schemas is; see module.js.
export function schemaSource() {
  try {
    return new URL('./dist/schema/schema_bg.wasm', import.meta.url)
  } catch {
    return undefined
  }
}
