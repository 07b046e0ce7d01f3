// Documents to measure with: an invoice with as many lines as its size asks for.

const articles = ['Bolt M8', 'Zahnriemen, größer', 'Garde-boue "léger"', 'ベアリング', 'Hex nut', 'O-ring 12×2']

function line(at) {
  return {
    article: `A-${10_000 + at}`,
    description: `${articles[at % articles.length]} – batch ${(at * 7919) % 1000}, as ordered and confirmed by mail`,
    quantity: 1 + (at % 12),
    unitPrice: ((at * 37) % 9973) / 100 + 0.05,
    taxed: at % 3 !== 0,
    note: at % 5 === 0 ? 'fragile' : null,
  }
}

/** JSON text of an object of about this many bytes in UTF-8. */
export function invoice(bytes) {
  const lines = []
  let size = 100
  for (let at = 0; size < bytes; at++) {
    const next = line(at)
    lines.push(next)
    size += Buffer.byteLength(JSON.stringify(next)) + 1
  }
  return JSON.stringify({ number: 'INV-2026-0815', customer: 'Müller & Söhne', currency: 'EUR', lines })
}

const KIB = 1024

/** A size as people write it. */
export function sizeName(bytes) {
  if (bytes < KIB) return `${bytes} B`
  return bytes < KIB * KIB ? `${bytes / KIB} KB` : `${bytes / KIB / KIB} MB`
}
