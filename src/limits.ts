import * as core from '#core'
import { call } from './core.ts'
import { SxError } from './errors.ts'

/** How much a document or a text may hold. */
export interface TextLimits {
  /** Levels of arrays and objects; default 128, at most 512. */
  depth?: number
  /** Members of objects and items of arrays, in all; default 500,000, at most 50,000,000. */
  members?: number
  /** Bytes of the text in UTF-8; default 32 MiB, at most 1 GiB. */
  bytes?: number
}

/**
 * How much a document or an image may hold before it is refused with `LimitExceeded` (protocol, section 14).
 * Whole numbers from 1; anything else is `InvalidOption`.
 */
export interface Limits extends TextLimits {
  /**
   * Pixels of a picture that is decoded, to sign it with `robust` or to look for such a signature; default and at most
   * 67,108,864. It bounds the memory: 8 bytes for each pixel of a PNG; for a JPEG 2 for each sample, and 128 for each
   * byte of the file if that is less.
   */
  image?: number
}

let defaults: Required<TextLimits> | undefined

/** The limits where none are given; the core has them. */
export function defaultLimits(): Required<TextLimits> {
  defaults ??= JSON.parse(call(() => core.defaultLimits())) as Required<TextLimits>
  return defaults
}

/** These limits, with the defaults for those that are not given. */
export function allLimits(limits: TextLimits | undefined): Required<TextLimits> {
  const { depth, members, bytes } = defaultLimits()
  return { depth: limits?.depth ?? depth, members: limits?.members ?? members, bytes: limits?.bytes ?? bytes }
}

/** Limits for agent documents that are held already: the caller's are about what is offered, so they only raise. */
export function heldLimits(limits: Limits | undefined): string {
  return limitsText(raised(limits))
}

/** The same, not as the core reads them. */
export function raised(limits: Limits | undefined): TextLimits | undefined {
  if (limits === undefined) return undefined
  const [least, own] = [defaultLimits(), allLimits(limits)]
  return {
    depth: Math.max(own.depth, least.depth),
    members: Math.max(own.members, least.members),
    bytes: Math.max(own.bytes, least.bytes),
  }
}

/** Limits as the core reads them; the empty text means the defaults. */
export function limitsText(limits: Limits | undefined): string {
  if (limits === undefined) return ''
  const { image: _, ...ofTexts } = limits // the core decodes no pictures
  return JSON.stringify(ofTexts)
}

/**
 * Refuses a text that cannot be within the limits before it is copied into the core, whose memory
 * never shrinks again. A character takes at least one byte, so this never refuses too much.
 */
export function checkSize(text: string, limits: Limits | undefined): string {
  const bytes = limits?.bytes ?? defaultLimits().bytes
  if (text.length <= bytes) return text
  throw new SxError('LimitExceeded', `The text has more than the limit of ${bytes} bytes.`)
}
