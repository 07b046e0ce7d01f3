/** A PNG of noise, RGB of 8 bits. */
export declare function noise(width: number, height: number): Uint8Array<ArrayBuffer>

/** A chunk of a PNG; its data in one piece or several. */
export declare function pngChunk(kind: string, ...data: ArrayLike<number>[]): Uint8Array<ArrayBuffer>

/** A PNG of 8 bits with these compressed pixels. */
export declare function pngOf(
  width: number,
  height: number,
  colour: number,
  pixels: ArrayLike<number>,
): Uint8Array<ArrayBuffer>

/** What of a PNG is displayed, with what says how: its chunks but for texts and the like. */
export declare function shownOfPng(bytes: Uint8Array): string[]
