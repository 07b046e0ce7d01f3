// Where the WebAssembly modules for images are; see module.js.
export function mediaSource() {
  try {
    return new URL('./dist/media/media_bg.wasm', import.meta.url)
  } catch {
    return undefined
  }
}

export function pixelsSource() {
  try {
    return new URL('./dist/pixels/pixels_bg.wasm', import.meta.url)
  } catch {
    return undefined
  }
}
