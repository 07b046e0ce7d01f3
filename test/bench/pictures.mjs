// Pictures to measure with: soft colours under the noise of a sensor, as large as is asked for.
import { spawnSync } from 'node:child_process'
import { crc32, deflateSync } from 'node:zlib'

/** Samples of red, green and blue; the same ones every time. */
function samples(side) {
  const bytes = Buffer.alloc(side * side * 3)
  let state = 1
  let at = 0
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const [a, b] = [Math.sin(x / 90), Math.cos(y / 70)]
      for (const base of [120 + 60 * a, 110 + 50 * b, 128 + 40 * a * b]) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        bytes[at++] = base + (state >>> 24) / 8 - 16
      }
    }
  }
  return bytes
}

function jpegOf(side) {
  const input = Buffer.concat([Buffer.from(`P6 ${side} ${side} 255\n`), samples(side)])
  const args = ['-quality', '92']
  const { stdout, error, status } = spawnSync('cjpeg', args, { input, maxBuffer: 1 << 28 })
  if (error?.code === 'ENOENT') throw new Error('cjpeg is not here: apt-get install libjpeg-turbo-progs')
  if (status !== 0) throw error ?? new Error(`cjpeg ends with ${status}`)
  return stdout
}

function pngOf(side) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data])
    const around = Buffer.alloc(8)
    around.writeUInt32BE(data.length)
    around.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
  }
  const pixels = samples(side)
  const rows = Array.from({ length: side }, (_, y) => [
    Buffer.alloc(1),
    pixels.subarray(y * side * 3, (y + 1) * side * 3),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side)
  header.writeUInt32BE(side, 4)
  header.set([8, 2], 8)
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
}

/** A picture of about this many bytes. */
export function picture(format, bytes) {
  const make = format === 'png' ? pngOf : jpegOf
  const tried = 256
  const side = Math.round(Math.sqrt(bytes / (make(tried).length / tried ** 2)) / 16) * 16
  return make(Math.max(side, 16))
}
