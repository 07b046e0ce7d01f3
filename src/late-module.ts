// Modules whose functions can be called without waiting, loaded when the first one is.
import { compiledModule, compiledModuleNow } from '#wasm'
import { checkModule, type ModuleName } from './core-module.ts'
import { SxError } from './errors.ts'
import { sourceOf } from './module-sources.ts'

/** A module of the table, and how it is started. */
interface LateModule<T> {
  readonly name: ModuleName
  readonly byDefault: () => unknown
  /** A function that it exports. */
  readonly mark: string
  readonly build: string
  /** Starts it. Whatever it throws is `WasmUnavailable`. */
  readonly start: (module: WebAssembly.Module) => unknown
  /** What calls it. */
  readonly calling: () => T
}

/**
 * Loads a module once; after a failure the next call tries again. Without waiting it can be had where files can be read at
 * once, and after `fetchModule`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function late<T>({ name, byDefault, mark, build, start, calling }: LateModule<T>): {
  async(): Promise<T>
  sync(): T
} {
  let loaded: { readonly calls: T } | undefined
  let pending: Promise<T> | undefined

  function started(module: WebAssembly.Module): T {
    if (loaded !== undefined) return loaded.calls
    const checked = checkModule(module, name, mark, build)
    try {
      start(checked)
    } catch (cause) {
      throw new SxError('WasmUnavailable', `The WebAssembly ${name} module cannot be started.`, { cause })
    }
    loaded = { calls: calling() }
    return loaded.calls
  }

  return {
    async: async () => {
      if (loaded !== undefined) return loaded.calls
      pending ??= compiledModule(sourceOf(name, byDefault), name)
        .then(started)
        .finally(() => {
          pending = undefined
        })
      return pending
    },
    sync: () => loaded?.calls ?? started(compiledModuleNow(sourceOf(name, byDefault), name)),
  }
}
