// Signing and verifying images, in their metadata and in their picture, compared with C2PA.
import { child } from '../child.mjs'
import { sizeName } from '../documents.mjs'
import { plot } from '../plot.mjs'
import { number, spread, table, times } from '../report.mjs'

const KIB = 1024
const MIB = KIB * KIB
const jpegs = [10 * KIB, 130 * KIB, MIB, 10 * MIB, 50 * MIB]

const shown =
  '![CPU time of signing and verifying a JPEG over its size, on logarithmic axes, by the signature in the metadata and by the one in the picture.](growth-images.svg)'

/** CPU milliseconds of a call, by size; quotients with C2PA if it is installed. */
export async function images({ quick }) {
  const sizes = quick ? jpegs.slice(0, 3) : jpegs
  const rows = []
  for (const [format, size] of [...sizes.map((size) => ['jpg', size]), ['png', MIB]])
    rows.push(await child('images.mjs', [format, `${size}`, ...(quick ? ['--quick'] : [])]))
  const growing = rows.filter(({ format }) => format === 'jpg')
  const at = (size) => growing.find((row) => row.size === size)
  const { beside } = at(130 * KIB).verify
  const large = at(10 * MIB)
  return {
    tables: `${tableOf(rows)}\n\n${shown}`,
    targets: {
      ...(beside === undefined ? {} : { imageVerify: beside }),
      ...(large?.verify.beside === undefined ? {} : { imageVerifyLarge: large.verify.beside }),
      ...(large === undefined ? {} : { imageRobust: { median: large.sign.milliseconds.picture } }),
      imageTime: { median: Math.max(...['file', 'picture'].flatMap((name) => exponents(growing, name))) },
    },
    plots: { 'growth-images.svg': plotOf(growing) },
  }
}

function tableOf(rows) {
  const cell = (value) => (value === undefined ? '' : number(value))
  const theirs = ({ milliseconds, beside }) =>
    beside === undefined ? 'not installed' : `${number(milliseconds.c2pa)} → ${spread(beside, times)}`
  const works = ['sign', 'verify']
  return table(
    ['CPU milliseconds', ...works, ...works.map((work) => `robust: ${work}`), ...works.map((work) => `c2pa: ${work}`)],
    rows.map((row) => [
      `${row.format === 'png' ? 'PNG' : 'JPEG'}, ${sizeName(row.size)}`,
      ...works.map((work) => cell(row[work].milliseconds.file)),
      ...works.map((work) => cell(row[work].milliseconds.picture)),
      ...works.map((work) => theirs(row[work])),
    ]),
  )
}

/** The sizes that were measured: the largest pictures have too many pixels to be signed in them. */
const measured = (rows, name) => rows.filter((row) => row.sign.milliseconds[name] !== undefined)

/** Of signing and of verifying, in the last step. */
function exponents(rows, name) {
  const [before, last] = measured(rows, name).slice(-2)
  const grown = Math.log(last.bytes / before.bytes)
  return ['sign', 'verify'].map(
    (work) => Math.log(last[work].milliseconds[name] / before[work].milliseconds[name]) / grown,
  )
}

function plotOf(rows) {
  const panel = (title, name) => ({
    title: `${title}: CPU milliseconds`,
    nameX: sizeName,
    series: ['sign', 'verify'].map((work) => ({
      name: work,
      points: measured(rows, name).map((row) => [row.size, row[work].milliseconds[name]]),
    })),
  })
  return plot('Time by the size of a JPEG', [panel('metadata', 'file'), panel('robust', 'picture')])
}
