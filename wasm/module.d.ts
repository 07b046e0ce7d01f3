/**
 * Where the WebAssembly module is by default: its address; in Cloudflare Workers, which compile nothing at run time, the
 * compiled module. `undefined` in a bundle that does not know its own address.
 */
export declare function coreSource(): URL | WebAssembly.Module | undefined
/**
 * Where the file of a module stands in the package, for Node: its address as it was when a bundler read it.
 *
 * @throws TypeError in a bundle that does not know its own address
 */
export declare function moduleInPackage(name: string): URL
