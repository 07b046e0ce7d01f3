// The same for a manifest of C2PA, with its reference implementation for pages; as its documentation says.
import { createC2pa } from '@contentauth/c2pa-web'
import wasmSrc from '@contentauth/c2pa-web/resources/c2pa.wasm?url'

export async function verifier() {
  const c2pa = await createC2pa({ wasmSrc })
  return async (image) => {
    const reader = await c2pa.reader.fromBlob('image/jpeg', new Blob([image], { type: 'image/jpeg' }))
    const { validation_state: state } = await reader.manifestStore()
    await reader.free()
    if (state !== 'Valid') throw new Error(`C2PA says ${state}`)
  }
}
