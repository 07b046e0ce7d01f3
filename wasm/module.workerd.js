// Cloudflare Workers compile WebAssembly when they are deployed, from an import, and never later.
import module from './dist/core/core_bg.wasm'

export const coreSource = () => module
