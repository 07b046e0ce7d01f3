/** Bytes in memory of their own: `Uint8Array<ArrayBuffer>` for TypeScript 5.7 and later, `Uint8Array` before. */
export type Bytes = ReturnType<typeof Uint8Array.of>
