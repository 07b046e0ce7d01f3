/** How much is read of an input before the library is asked, in bytes: what it would refuse (protocol, section 14). */

/** Of a document or a text. */
export const LARGEST_TEXT: number = 32 << 20

/** Of an image. */
export const LARGEST_IMAGE: number = 256 << 20

/** Of a backup. */
export const LARGEST_BACKUP: number = 1 << 30
