// Where callers have said that the WebAssembly modules are which are loaded when they are needed.
import type { ModuleSources } from '#modules'
import { compiledModule } from '#wasm'
import type { ModuleName } from './core-module.ts'

const given: ModuleSources<unknown> = {}

const fetched: ModuleSources<WebAssembly.Module> = {}

/** Says where modules are, by their names; a flag says nothing. What is loaded already stays. */
export function setModuleSources(sources: ModuleSources<unknown>): void {
  for (const name of Object.keys(sources) as ModuleName[]) {
    if (sources[name] !== undefined) given[name] = sources[name]
  }
}

/** Where a module is: as was said, or else where the package has it; itself, once it is fetched. */
export function sourceOf(name: ModuleName, byDefault: () => unknown): unknown {
  const source = fetched[name] ?? given[name]
  return source === undefined || typeof source === 'boolean' ? byDefault() : source
}

/** Fetches and compiles a module, so that it can be started without waiting. `WasmUnavailable`, `InvalidOption`. */
export async function fetchModule(name: ModuleName, byDefault: () => unknown): Promise<void> {
  fetched[name] = await compiledModule(sourceOf(name, byDefault), name)
}
