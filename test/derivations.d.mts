export declare function share(path: string): void
export declare function forget(): void
