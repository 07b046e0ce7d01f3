import * as core from '#core'
import { platform } from '#platform'
import { call, noteHandle } from './core.ts'
import type { Hasher } from './platform.ts'

/** So many bytes at once are handed to the core, whose memory never shrinks again. */
const PIECE = 1 << 20

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
