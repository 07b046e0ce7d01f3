// Where the module for custom schemas is. Apart from what calls it, so that a page that uses no schemas loads none of that.
import { schemaSource } from '#modules/schema/source.js'
import { compiledModule } from '#wasm'
import { sourceOf } from '../module-sources.ts'

let fetched: WebAssembly.Module | undefined

/** Where it is. */
export function whereSchemas(): unknown {
  return fetched ?? sourceOf('schema', schemaSource)
}

/** Fetches and compiles it, so that it can be started without waiting. `WasmUnavailable`, `InvalidOption`. */
export async function fetchSchemas(): Promise<void> {
  fetched = await compiledModule(whereSchemas(), 'schema')
}
