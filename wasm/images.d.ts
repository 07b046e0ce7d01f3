/** Where the module for the metadata of images is by default; as `coreSource` of module.js for the core. */
export declare function mediaSource(): URL | WebAssembly.Module | undefined
/** Where the module for their pixels is. */
export declare function pixelsSource(): URL | WebAssembly.Module | undefined
