export declare function share(path: string): void
export declare function saltOf(entropy: Uint8Array | number[]): Uint8Array | number[]
export declare function randomSalts(): void
export declare function forget(): void
