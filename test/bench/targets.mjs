// The targets, and whether they are met.
import { spread, times } from './report.mjs'

/** What was measured in several runs decides by its worse quarter, so that no lucky run does. */
const atLeast =
  (target) =>
  ({ median, low, runs }) =>
    (runs === undefined ? median : low) >= target
const atMost =
  (target) =>
  ({ median, high, runs }) =>
    (runs === undefined ? median : high) <= target
const ratio = (result) => `${spread(result, times)} ×`
const milliseconds = ({ median, low, high }) => `${median.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)}) ms`
const bytes = ({ median }) => `${median.toLocaleString('en-US')} bytes`
const mebibytes = ({ median }) => `${median.toFixed(1)} MiB`
const exponent = ({ median }) => `size to the power of ${median.toFixed(2)}`

const compared = (work, target, least) => ({ work, target, met: atLeast(least), show: ratio })

/** What the code before keys were kept warm gives in this benchmark: the median of ten runs (caf7124). */
const BEFORE = 1.44

/** By name: the work, the target in words, the test of it, and how the measured value is shown. */
const targets = {
  edVerify: compared('Ed25519: verify 1 KB, known signer', '≥ 1.8 × jose, bare', 1.8),
  edVerifySync: compared('Ed25519: verify 1 KB, known signer, sync', '≥ 2 × jose, bare', 2),
  edVerifyNative: compared(
    'Ed25519: verify 1 KB, known signer, against node:crypto',
    '≥ 1.3 × node:crypto, canonical text',
    1.3,
  ),
  edVerifyNeverSeen: compared(
    'Ed25519: verify 1 KB, unknown signer',
    `≥ ${BEFORE} × jose, canonical text, as before the key cache`,
    BEFORE,
  ),
  edVerify10KB: compared('Ed25519: verify 10 KB, known signer', '≥ 1.2 × jose, bare', 1.2),
  edVerify1MB: compared('Ed25519: verify 1 MB, known signer', '≥ 0.95 × jose, bare', 0.95),
  edSign: compared('Ed25519: sign 1 KB', '≥ 1.8 × jose, bare', 1.8),
  edSignNative: compared('Ed25519: sign 1 KB, against node:crypto', '≥ 1 × node:crypto, canonical text', 1),
  pqVerifyNative: compared('ML-DSA-87: verify 1 KB, known signer', '≥ 2 × node:crypto of Node 24, canonical text', 2),
  pqVerifyNoble: compared('ML-DSA-87: verify 1 KB, known signer, against noble', '≥ 20 × noble', 20),
  pqVerifyNeverSeen: compared(
    'ML-DSA-87: verify 1 KB, unknown signer',
    '≥ 1 × node:crypto of Node 24, canonical text',
    1,
  ),
  pqSignNative: compared('ML-DSA-87: sign 1 KB', '≥ 1.1 × node:crypto of Node 24, canonical text', 1.1),
  canonical: compared('read strictly and write canonically 1 MB', '≥ 1.5 × canonicalize', 1.5),
  core: { work: 'download of the core, brotli', target: '≤ 160,000 bytes', met: atMost(160_000), show: bytes },
  verifying: {
    work: 'JavaScript of a page that only verifies, brotli',
    target: '≤ 9,000 bytes',
    met: atMost(9_000),
    show: bytes,
  },
  images: {
    work: 'download of a page that verifies an image, brotli, modules included',
    target: '≤ 180,000 bytes',
    met: atMost(180_000),
    show: bytes,
  },
  schemaCompile: compared('custom schema: compile', '≥ 1 × ajv', 1),
  schemaCheck: compared('custom schema: check 1 KB', '≥ 1 × @cfworker/json-schema', 1),
  start: { work: 'import to first verify in Node, ML-DSA-87', target: '≤ 22 ms', met: atMost(22), show: milliseconds },
  page: {
    work: 'first verify in a page, ML-DSA-87, module included',
    target: '≤ 50 ms',
    met: atMost(50),
    show: milliseconds,
  },
  signersMemory: {
    work: 'memory of the core, 1,000,000 verifications of 100,000 signers',
    target: '≤ 16 MiB more than at the start',
    met: atMost(16),
    show: mebibytes,
  },
  signersFlat: {
    work: 'the same, growth in the second half',
    target: '0 MiB',
    met: atMost(0),
    show: mebibytes,
  },
  many: {
    work: '`verifyMany` of 1,000 ML-DSA-87 documents, two cores',
    target: '≤ 0.6 × one core',
    met: atMost(0.6),
    show: ratio,
  },
  batch: compared('`createDocuments` on files, documents per second', '≥ 10 × `createDocument`, one by one', 10),
  list: {
    work: '`listDocuments` of 2,000 documents on files',
    target: '≤ 100 ms',
    met: atMost(100),
    show: milliseconds,
  },
  time: growing('time of a document, 1 MB to 10 MB'),
  memory: growing('memory of a document, 1 MB to 10 MB'),
  verifyById: constant('`verifyById` in a store of 100,000 documents'),
  imageVerify: compared('verify a JPEG of 130 KB', '≥ 30 × c2pa', 30),
  imageVerifyLarge: compared('verify a JPEG of 10 MB', '≥ 1 × c2pa', 1),
  imageRobust: {
    work: 'sign a JPEG of 10 MB with `robust`, CPU time',
    target: '≤ 3,000 ms',
    met: atMost(3000),
    show: ({ median }) => `${Math.round(median).toLocaleString('en-US')} ms`,
  },
  imageTime: growing('time of a JPEG, in the last step of its size'),
  fileSpeed: compared('sign a file of 1 GB', '≥ 0.85 × node:crypto', 0.85),
  fileMemory: { work: 'memory of signing a file of 1 GB', target: '< 32 MiB', met: atMost(32), show: mebibytes },
  textLines: {
    work: 'verify 4 MiB of text, the slowest kind of lines',
    target: '≤ 5 × prose',
    met: atMost(5),
    show: ratio,
  },
  updateDocument: constant('`updateDocument` in a store of 100,000 documents'),
  agreement: {
    work: 'verify an agreement of 1,000 parties, Ed25519',
    target: '≤ 1.2 × `verify` of 1,000 documents',
    met: atMost(1.2),
    show: ratio,
  },
  agreementTime: growing('time of an agreement, 100 to 1,000 parties'),
  listDocuments: constant('`listDocuments({ limit: 20 })` in a store of 100,000 documents, per document'),
}

function growing(work) {
  return { work, target: 'at most linear (exponent ≤ 1.1)', met: atMost(1.1), show: exponent }
}

/** Rounds differ by more than a tenth on a busy machine; what depends on the size grows a hundredfold. */
function constant(work) {
  return { work, target: '≤ 1.5 × a store of 10', met: atMost(1.5), show: ratio }
}

const head = '| work | target | measured | target met? |\n|---|---|---|---|\n'

/**
 * The table with new results in it. Rows that were not measured now stay as they are, unless they were measured for
 * another target.
 */
export function updateTargets(before, results) {
  const lines = before.split('\n')
  const rows = Object.entries(targets).map(([name, { work, target, met, show }]) => {
    const result = results[name]
    if (result !== undefined) return `| ${work} | ${target} | ${show(result)} | ${met(result) ? 'met' : '**missed**'} |`
    const row = `| ${work} | ${target} |`
    return lines.find((line) => line.startsWith(row)) ?? `${row} not measured yet | **open** |`
  })
  return `\n${head}${rows.join('\n')}\n\n`
}
