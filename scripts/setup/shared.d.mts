export declare const root: string
export declare const cache: string

/** SHA-256 over a salt and the names and contents of files and folders, without build folders; hexadecimal. */
export declare function hash(salt: string, ...paths: string[]): string
