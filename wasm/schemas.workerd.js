// Cloudflare Workers compile WebAssembly when they are deployed, from an import, and never later.
import schema from './dist/schema/schema_bg.wasm'

export const schemaSource = () => schema
