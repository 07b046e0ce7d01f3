/** A PNG of noise, RGB of 8 bits. */
export declare function noise(width: number, height: number): Uint8Array<ArrayBuffer>

/** A chunk of a PNG; its data in one piece or several. */
export declare function pngChunk(kind: string, ...data: ArrayLike<number>[]): Uint8Array<ArrayBuffer>

/** A PNG with these compressed pixels, of 8 bits if nothing else is said. */
export declare function pngOf(
  width: number,
  height: number,
  colour: number,
  pixels: ArrayLike<number>,
  depth?: 8 | 16,
): Uint8Array<ArrayBuffer>

/** The zlib form of bytes, stored as they are. */
export declare function stored(bytes: Uint8Array): Uint8Array<ArrayBuffer>

/** What of a PNG is displayed, with what says how: its chunks but for texts and the like. */
export declare function shownOfPng(bytes: Uint8Array): string[]
