/** Bytes of zero, deflated by hand: as references to the byte before, 258 at a time, of which eight take 13 bytes. */
export declare function deflatedZeros(count: number): Uint8Array<ArrayBuffer>

/** A grey PNG of 8 bits that is black all over: 1,000 times as large as its file. */
export declare function blackPng(width: number, height: number): Uint8Array<ArrayBuffer>

/** A PNG chunk of text that inflates to so many bytes. */
export declare function textBomb(count: number): Uint8Array<ArrayBuffer>
