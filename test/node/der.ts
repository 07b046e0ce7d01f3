/** Just enough DER (X.690) to change a number inside a key file. */
const PEM = /-----BEGIN ([A-Z ]+)-----\s([\s\S]+?)-----END/

/** The label of a PEM text and its bytes. */
export function fromPem(pem: string): { label: string; der: Buffer } {
  const [, label = '', base64 = ''] = PEM.exec(pem) ?? []
  return { label, der: Buffer.from(base64, 'base64') }
}

/** A PEM text, 64 characters a line. */
export function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

function element(tag: number, content: Buffer): Buffer {
  const size: number[] = []
  for (let rest = content.length; rest > 0; rest >>>= 8) size.unshift(rest & 255)
  const head = content.length < 128 ? [tag, content.length] : [tag, 128 | size.length, ...size]
  return Buffer.concat([Buffer.from(head), content])
}

/** An INTEGER that is not negative, as short as it can be. */
export function integer(value: number): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return element(2, (bytes[0] ?? 0) < 128 ? bytes : Buffer.concat([Buffer.of(0), bytes]))
}

/** The same DER with every element equal to `from` replaced by `to`, lengths put right. */
export function replaced(der: Buffer, from: Buffer, to: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < der.length; ) {
    const tag = der.readUInt8(at)
    const first = der.readUInt8(at + 1)
    const extra = first < 128 ? 0 : first & 127
    const length = extra === 0 ? first : der.readUIntBE(at + 2, extra)
    const start = at + 2 + extra
    const whole = der.subarray(at, start + length)
    const content = whole.subarray(start - at)
    const constructed = (tag & 32) !== 0
    if (whole.equals(from)) parts.push(to)
    else parts.push(constructed ? element(tag, replaced(content, from, to)) : whole)
    at = start + length
  }
  return Buffer.concat(parts)
}
