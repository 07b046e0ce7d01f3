/** Where the module for custom schemas is by default; as `coreSource` of module.js for the core. */
export declare function schemaSource(): URL | WebAssembly.Module | undefined
