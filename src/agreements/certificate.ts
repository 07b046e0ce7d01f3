/**
 * The record of a complete agreement as a page to print: one HTML document without scripts, which loads nothing.
 *
 * @module
 */
import type {
  AgreementAttachment,
  AgreementCertificate,
  AgreementCertificateLine,
  AgreementState,
  AgreementTerms,
  UnprovedSignature,
} from '../types.ts'

/** What stands on the page. */
export interface CertificatePage {
  readonly certificate: AgreementCertificate
  readonly terms: AgreementTerms
  readonly status: AgreementState
  /** When the agreement had this status. */
  readonly at: string
  /** The agents whose keys whoever made the page trusts. */
  readonly trusted: ReadonlySet<string>
  /** What does not count yet. */
  readonly unproved: readonly UnprovedSignature[]
}

/** HTML that is escaped already: only {@link escaped} and {@link html} make it. */
interface Html {
  readonly html: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Characters that nobody sees, or that reorder what is around them. Not where they have a meaning that is seen: joiners in
 * scripts and emoji that have them, and the choice between text and emoji.
 */
const UNSEEN = new RegExp(
  [
    String.raw`(?![\t\n\r])`,
    String.raw`(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|\ufe0f\u20e3)`,
    String.raw`(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic}))`,
    String.raw`(?!(?<=(?![\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Zyyy}])[\p{L}\p{M}])[\u200c\u200d])`,
    String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  ].join(''),
  'gu',
)

/** In the name of the page, which has no elements in it. */
const REPLACEMENT = '\ufffd'

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** A text of somebody's choice. What would be invisible and could deceive is named. */
function escaped(text: string): Html {
  const safe = text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
  return { html: safe.replaceAll(UNSEEN, (character) => `<mark>${nameOf(character)}</mark>`) }
}

/** Puts values into HTML: texts escaped, HTML as it is, lists joined. */
function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  const inserted = values.map((value) => {
    if (typeof value === 'string') return escaped(value).html
    return 'html' in value ? value.html : value.map((one) => one.html).join('')
  })
  return { html: String.raw({ raw: parts }, ...inserted) }
}

/** Light, and readable on paper and on a phone. */
const STYLE: Html = {
  html: `
:root { color-scheme: light; }
body { margin: 0; background: #fff; color: #1a1a1a; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.75rem; }
h2 { margin: 2rem 0 .75rem; padding-top: .75rem; border-top: 1px solid #767676; font-size: 1.25rem; }
h3 { margin: 0 0 .25rem; font-size: 1.05rem; }
ol { margin: 0; padding-left: 1.5rem; }
li { margin-bottom: 1.25rem; break-inside: avoid; }
dl { display: grid; grid-template-columns: 8.5rem 1fr; gap: .1rem 1rem; margin: 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
code { font: .875em/1.5 ui-monospace, monospace; }
mark { background: #ffe08a; font: .75em ui-monospace, monospace; }
.kind { margin: 0; color: #555; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 32rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
@media print { main { max-width: none; padding: 0; } h2, h3 { break-after: avoid; } }
`,
}

type Row = readonly [name: string, value: Html]

const code = (value: string): Html => html`<code>${value}</code>`
const time = (date: string): Html => html`<time>${date}</time>`
const list = (rows: readonly Row[]): Html =>
  html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`

function lineOf(line: AgreementCertificateLine, trusted: ReadonlySet<string>): Html {
  const { partyId, displayName, agentId, by, timeProof } = line
  // A delegate signs in the name of the party, which has signed the delegation.
  const isTrusted = trusted.has(by) && trusted.has(agentId)
  const rows: Row[] = [
    ['Party', html`<bdi>${partyId}</bdi>, ${line.role}`],
    ['Agent id', code(agentId)],
    ...(by === agentId ? [] : [['Signed for it by', code(by)] as const]),
    ['Date', html`${time(line.at)}, as the signer states`],
    ['Time proof', timeProof === null ? html`none` : html`${time(timeProof)}, by a notary that had seen it`],
    ['Algorithm', html`${line.algorithm}`],
    ['Key id', code(line.keyId)],
    ['Key trusted', html`${isTrusted ? 'yes' : 'no'}, by the agent that made this page`],
    ['Event id', code(line.eventId)],
  ]
  return html`<li>
<h3 dir="auto">${displayName?.trim() ? displayName : partyId}</h3>
${list(rows)}
</li>
`
}

function attachmentOf({ name, mediaType, size, sha256 }: AgreementAttachment): Html {
  const rows: Row[] = [
    ['Type', html`${mediaType}`],
    ['Size', html`${String(size)} bytes`],
    ['SHA-256', code(sha256)],
  ]
  return html`<li>
<h3 dir="auto">${name}</h3>
${list(rows)}
</li>
`
}

function attachmentsOf({ attachments = [] }: AgreementTerms): Html {
  if (attachments.length === 0) return html``
  return html`<h2>Attachments</h2>
<ol>
${attachments.map(attachmentOf)}</ol>
`
}

function unprovedOf({ terms, unproved }: Pick<CertificatePage, 'terms' | 'unproved'>): Html {
  if (unproved.length === 0) return html``
  const names = new Map(terms.parties.map(({ partyId, displayName }) => [partyId, displayName]))
  const line = ({ partyId, by, at, eventId }: UnprovedSignature): Html => html`<li>
<h3 dir="auto">${names.get(partyId)?.trim() || partyId}</h3>
${list([
  ['Party', html`<bdi>${partyId}</bdi>`],
  ['Signed by', code(by)],
  ['Date', html`${time(at)}, as the signer states`],
  ['Event id', code(eventId)],
])}
</li>
`
  return html`<h2>Signed, but no notary has confirmed the date yet</h2>
<ol>
${unproved.map(line)}</ol>
`
}

/** The page. */
export function certificatePage({ certificate, terms, status, at, trusted, unproved }: CertificatePage): string {
  const { title, sxId, agreementHash, completeAt, lines } = certificate
  const facts: Row[] = [
    ['Complete since', time(completeAt)],
    ['Status', html`${status} (on ${time(at)})`],
    ['Agreement id', code(sxId)],
    ['Agreement hash', code(agreementHash)],
  ]
  const summary = terms.summary === undefined ? html`` : html`<p class="text" dir="auto">${terms.summary}</p>\n`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Certificate of completion: ${title.replaceAll(UNSEEN, REPLACEMENT)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="kind">Certificate of completion</p>
<h1 dir="auto">${title}</h1>
${list(facts)}
<h2>Signatures</h2>
<ol>
${lines.map((line) => lineOf(line, trusted))}</ol>
${unprovedOf({ terms, unproved })}<h2>What was agreed</h2>
${summary}<div class="text" dir="auto">${terms.terms}</div>
${attachmentsOf(terms)}<h2>How to verify this</h2>
<p>This page is a report, not a proof. The proof is the file of the agreement: it contains the terms and each event
with its signature. The agreement hash identifies the terms, and each event names it. To verify all events again, run
<code>sx agreement check --json</code> with that file, and compare the hash, the event ids and the key ids with this
page.</p>
</main>
</body>
</html>
`.html
}
