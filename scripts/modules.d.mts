/** A row of wasm/modules.json; see scripts/setup/table.mjs. */
export interface Row {
  readonly budget: number
  readonly build: { readonly crates: readonly string[] }
}
/** What of package.json is about modules. */
export interface Manifest {
  readonly imports: Readonly<Record<string, unknown>>
  readonly exports: Readonly<Record<string, unknown>>
  readonly files: readonly string[]
}
/** What package.json lacks of the modules with these names, and what it has of others. */
export declare function packageFaults(manifest: Manifest, names: readonly string[]): string[]
/** The same package.json with what {@link packageFaults} misses, and without what it finds odd. */
export declare function withModules(manifest: Manifest, names: readonly string[]): Manifest
/** The crates of modules that the workspace does not have. */
export declare function workspaceFaults(cargo: string, table: Readonly<Record<string, Row>>): string[]
/** Which modules are larger than they may be, or not there. */
export declare function sizeFaults(
  sizes: Readonly<Record<string, number>>,
  table: Readonly<Record<string, Row>>,
): string[]
/** How large each module is that is built, in bytes, compressed by brotli. */
export declare function builtSizes(): Record<string, number>
