import * as core from '#core'
import { platform } from '#platform'
import { joined } from './bytes.ts'
import { call, noteHandle } from './core.ts'
import { type EffectOf, kind } from './effects.ts'
import type { Hasher } from './platform.ts'

/** So many bytes at once are handed to the core, whose memory never shrinks again. */
const PIECE = 1 << 20

/** From so many bytes on, and up to so many, a page hashes faster than the core. More would be in memory three times. */
const [LEAST, MOST] = [256 << 10, 64 << 20]

/** SHA-256 of bytes that come in pieces: by the runtime where that is faster, else by the core. */
export function newHasher(): Hasher {
  if (platform.sha256 !== undefined) return platform.sha256()
  const handle = noteHandle(call(() => core.hashStart()))
  return {
    add: (bytes) => {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const part = bytes.subarray(at, at + PIECE)
        call(() => core.hashAdd(handle, part))
      }
    },
    finish: () => call(() => core.hashFinish(handle)),
    drop: () => call(() => core.free(handle)),
  }
}

/** Whether so many bytes that are in memory are better hashed by {@link digest}, at once. */
export function isHashedAtOnce(size: number): boolean {
  return platform.digest !== undefined && size >= LEAST && size <= MOST
}

function digestNow(pieces: readonly Uint8Array[]): string {
  const hash = newHasher()
  for (const piece of pieces) hash.add(piece)
  return hash.finish()
}

/** By the runtime, where it can and it pays. */
function digestAtOnce(pieces: readonly Uint8Array[]): Promise<string> | undefined {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (!isHashedAtOnce(size)) return undefined
  const [first = new Uint8Array(), ...others] = pieces
  return platform.digest?.(others.length > 0 ? joined(pieces, size) : first)
}

const DIGEST = /* @__PURE__ */ kind('digest', {
  async: ({ pieces }) => digestAtOnce(pieces)?.catch(() => digestNow(pieces)) ?? digestNow(pieces),
  sync: ({ pieces }) => digestNow(pieces),
})

/** SHA-256 of bytes that are in memory, one piece after the other. */
export function digest(pieces: readonly Uint8Array[]): EffectOf<'digest'> {
  return { kind: DIGEST, pieces }
}
