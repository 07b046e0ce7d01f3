/** Of an image, in bytes (protocol, section 14). */
export const LARGEST_IMAGE: number = 256 << 20
