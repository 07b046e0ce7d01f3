/** The names of the WebAssembly modules as people list them: the core, then the others by the alphabet. */
export declare const listedNames: readonly string[]
/** The rows of wasm/modules.json, by name. */
export declare const modules: Readonly<
  Record<string, { readonly budget: number; readonly build: { readonly crates: readonly string[] } }>
>
/** Where the WebAssembly of a module is, from the root of the package. */
export declare function fileOf(name: string): string
