/** Of an image, in bytes (protocol, section 14). */
export const LARGEST_IMAGE: number = 256 << 20

/** Of a picture that is decoded, in pixels (docs/images.md, section 2). */
export const MOST_PIXELS: number = 2 ** 26
