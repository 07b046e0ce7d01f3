/** The loaders of a module that are run, from the root of the package: they are published. */
export declare function loadersOf(name: string): string[]
