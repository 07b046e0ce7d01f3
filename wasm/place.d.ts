/**
 * Where the file of a module is in the package, for Node: its address as it was when a bundler read it.
 *
 * @throws TypeError in a bundle that does not know its own address
 */
export declare function moduleInPackage(name: string): URL
