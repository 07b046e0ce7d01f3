export declare function share(path: string): void
