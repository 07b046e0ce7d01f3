// Cloudflare Workers compile WebAssembly when they are deployed, from an import, and never later.
import media from './dist/media/media_bg.wasm'
import pixels from './dist/pixels/pixels_bg.wasm'

export const mediaSource = () => media
export const pixelsSource = () => pixels
