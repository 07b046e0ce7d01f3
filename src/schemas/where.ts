// Where the module for custom schemas is. Apart from what calls it, so that a page that uses no schemas loads none of that.
import { schemaSource } from '#schemas'
import { compiledModule } from '#wasm'
import type { CoreSource } from '../types.ts'

let given: unknown

/** Says where the module is; what is loaded already stays. */
export function setSchemaSource(source: CoreSource | undefined): void {
  given ??= source
}

/** Where it is. */
export function whereSchemas(): unknown {
  return given ?? schemaSource()
}

/** Fetches and compiles it, so that it can be started without waiting. `WasmUnavailable`, `InvalidOption`. */
export async function fetchSchemas(): Promise<void> {
  given = await compiledModule(whereSchemas(), 'schema')
}
