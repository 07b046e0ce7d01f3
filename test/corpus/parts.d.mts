/** A chunk of a PNG. */
export declare function chunk(kind: string, ...parts: Uint8Array[]): Buffer
/** A PNG with another chunk directly after IHDR. */
export declare function gained(png: Buffer, part: Uint8Array): Buffer
/** A colour profile with the primaries of sRGB and a gamma of 2.2. */
export declare function profile(): Buffer
/** A JPEG with another one behind it and a Multi-Picture index of both. */
export declare function withSecondImage(first: Buffer, second: Buffer): Buffer
