// What was aimed at, and whether it was reached.
import { spread, times } from './report.mjs'

const atLeast =
  (target) =>
  ({ median }) =>
    median >= target
const atMost =
  (target) =>
  ({ median }) =>
    median <= target
const ratio = (result) => `${spread(result, times)} ×`
const milliseconds = ({ median, low, high }) => `${median.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)}) ms`
const bytes = ({ median }) => `${median.toLocaleString('en-US')} bytes`
const mebibytes = ({ median }) => `${median.toFixed(1)} MiB`
const exponent = ({ median }) => `size to the power of ${median.toFixed(2)}`

const compared = (work, target, least) => ({ work, target, met: atLeast(least), show: ratio })

/** By name: the work, the target in words, the test of it, and how the measured value is shown. */
const targets = {
  edSign: compared('Ed25519: sign 1 KB', '≥ 1.3 × jose', 1.3),
  edSignSync: compared('Ed25519: sign 1 KB, sync', '≥ 1.6 × jose', 1.6),
  edVerify: compared('Ed25519: verify 1 KB', '≥ 1.3 × jose', 1.3),
  edVerifySync: compared('Ed25519: verify 1 KB, sync', '≥ 1.6 × jose', 1.6),
  pqSign: compared('ML-DSA-87: sign 1 KB', '≥ 8 × noble', 8),
  pqSignNative: compared('ML-DSA-87: sign 1 KB, beside Node 24’s own', '≥ 1 × node:crypto', 1),
  pqVerify: compared('ML-DSA-87: verify 1 KB', '≥ 10 × noble', 10),
  pqVerifyNative: compared('ML-DSA-87: verify 1 KB, beside Node 24’s own', '≥ 1.5 × node:crypto', 1.5),
  canonical: compared('read strictly and write canonically 1 MB', '≥ 1.5 × canonicalize', 1.5),
  core: { work: 'download of the core, brotli', target: '≤ 150,000 bytes', met: atMost(150_000), show: bytes },
  verifying: {
    work: 'JavaScript of a page that only verifies, brotli',
    target: '≤ 9,000 bytes',
    met: atMost(9_000),
    show: bytes,
  },
  images: {
    work: 'download of a page that verifies an image, brotli, modules included',
    target: '≤ 210,000 bytes',
    met: atMost(210_000),
    show: bytes,
  },
  schemaCompile: compared('custom schema: compile', '≥ 1 × ajv', 1),
  schemaCheck: compared('custom schema: check 1 KB', '≥ 1 × @cfworker/json-schema', 1),
  start: { work: 'import to first verify in Node', target: '≤ 25 ms', met: atMost(25), show: milliseconds },
  page: { work: 'first verify in a page, module included', target: '≤ 60 ms', met: atMost(60), show: milliseconds },
  many: {
    work: '`verifyMany` of 1,000 ML-DSA-87 documents, two cores',
    target: '≤ 0.6 × one core',
    met: atMost(0.6),
    show: ratio,
  },
  time: growing('time of a document, 1 MB to 10 MB'),
  memory: growing('memory of a document, 1 MB to 10 MB'),
  verifyById: constant('`verifyById` among 100,000 documents'),
  imageVerify: compared('verify a JPEG of 130 KB', '≥ 30 × c2pa', 30),
  imageTime: growing('time of a JPEG, 10 MB to 50 MB'),
  fileSpeed: compared('sign a file of 1 GB', '≥ 0.85 × node:crypto', 0.85),
  fileMemory: { work: 'memory of signing a file of 1 GB', target: '< 32 MiB', met: atMost(32), show: mebibytes },
  updateDocument: constant('`updateDocument` among 100,000 documents'),
  listDocuments: constant('`listDocuments({ limit: 20 })` among 100,000 documents, for each'),
}

function growing(work) {
  return { work, target: 'at most linear (exponent ≤ 1.1)', met: atMost(1.1), show: exponent }
}

/** Rounds differ by more than a tenth on a busy machine; what depends on the size grows a hundredfold. */
function constant(work) {
  return { work, target: 'as among 10 (≤ 1.5 ×)', met: atMost(1.5), show: ratio }
}

const head = '| work | target | measured | target met? |\n|---|---|---|---|\n'

/** The table with new results in it; rows that were not measured now stay as they are. */
export function updateTargets(before, results) {
  const lines = before.split('\n')
  const rows = Object.entries(targets).flatMap(([name, { work, target, met, show }]) => {
    const result = results[name]
    if (result === undefined) return lines.filter((line) => line.startsWith(`| ${work} |`))
    return `| ${work} | ${target} | ${show(result)} | ${met(result) ? 'met' : '**missed**'} |`
  })
  return `\n${head}${rows.join('\n')}\n\n`
}
