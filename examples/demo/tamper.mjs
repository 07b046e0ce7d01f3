/** Ways to change a signed document, and what each is refused with. */

/** Changes a document through its parsed form. */
const edit = (change) => (text, other) => {
  const document = JSON.parse(text)
  change(document, JSON.parse(other))
  return JSON.stringify(document)
}

/**
 * Each with a name, the code it is refused with, and the change: from the document's text and that of
 * another document, to a text that must not pass for valid.
 */
export const tamperings = [
  {
    name: 'change an amount',
    code: 'BadSignature',
    change: edit(({ content }) => {
      content.totals.due = '235.73'
    }),
  },
  {
    name: 'add a member',
    code: 'BadSignature',
    change: edit(({ content }) => {
      content.approvedBy = 'accounting'
    }),
  },
  {
    name: "put another document's signature in",
    code: 'InvalidDocument',
    change: edit((document, other) => {
      document.sxSignature = other.sxSignature
    }),
  },
  {
    name: 'only its signature bytes',
    code: 'BadSignature',
    change: edit((document, other) => {
      document.sxSignature.signature = other.sxSignature.signature
    }),
  },
  {
    name: 'name another algorithm',
    code: 'KeyMismatch',
    change: edit(({ sxSignature }) => {
      sxSignature.signingAlgorithm = 'pq2025'
    }),
  },
  {
    name: 'say the amount twice',
    code: 'DuplicateKey',
    change: (text) => text.replace('"due":', '"due":"0.00","due":'),
  },
  {
    name: 'set the clock back',
    code: 'BadSignature',
    change: edit((document) => {
      const date = '2020-01-01T00:00:00.000Z'
      document.sxVersionDate = date
      document.sxOriginalDate = date
      document.sxSignature.date = date
    }),
  },
]

/** The same members in another order and with other white space: the same JSON, so still valid. */
export function rearrange(text) {
  const reversed = (value) => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reversed(member)]),
    )
  }
  return JSON.stringify(reversed(JSON.parse(text)), null, 2)
}
