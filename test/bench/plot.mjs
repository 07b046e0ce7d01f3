// Plots as SVG that reads on light and on dark ground. Both axes are logarithmic: what grows linearly rises as many
// decades as it goes right, and what is constant is level.

const WIDTH = 820
const HEIGHT = 300
const style = `
    text { font: 12px system-ui, sans-serif; fill: #59636e; }
    .title { font-size: 14px; font-weight: 600; fill: #1f2328; }
    .series0 { stroke: #0969da; fill: #0969da; }
    .series1 { stroke: #bc4c00; fill: #bc4c00; }
    path { stroke-width: 2; }
    path.grid { stroke: #d1d9e0; stroke-width: 1; }
    path.series0, path.series1 { fill: none; }
    path.series1 { stroke-dasharray: 6 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #9198a1; }
      .title { fill: #f0f6fc; }
      path.grid { stroke: #3d444d; }
      .series0 { stroke: #4493f8; fill: #4493f8; }
      .series1 { stroke: #db6d28; fill: #db6d28; }
    }`

/** From one power of ten to another, around all values; far enough apart that noise does not look like a slope. */
function decades(values) {
  const powers = values.map(Math.log10)
  const low = Math.floor(Math.min(...powers))
  return { low, high: Math.max(low + 2, Math.ceil(Math.max(...powers))) }
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const round = (length) => Math.round(length * 10) / 10

function panelAt(left, width, { title, nameX, series }) {
  const [top, bottom] = [64, HEIGHT - 30]
  const xs = series[0].points.map(([x]) => x)
  const span = decades(series.flatMap(({ points }) => points.map(([, y]) => y)))
  const logX = (value) => (Math.log(value) - Math.log(xs[0])) / (Math.log(xs.at(-1)) - Math.log(xs[0]))
  const toX = (value) => round(left + logX(value) * width)
  const toY = (value) => round(bottom - ((Math.log10(value) - span.low) / (span.high - span.low)) * (bottom - top))
  const lines = [`<text class="title" x="${left}" y="24">${escape(title)}</text>`]
  for (let power = span.low; power <= span.high; power++) {
    const value = 10 ** power
    const name = value.toLocaleString('en-US', { maximumFractionDigits: 6 })
    lines.push(`<path class="grid" d="M${left} ${toY(value)}h${width}"/>`)
    lines.push(`<text x="${left - 8}" y="${toY(value) + 4}" text-anchor="end">${name}</text>`)
  }
  for (const x of xs) {
    lines.push(`<text x="${toX(x)}" y="${bottom + 20}" text-anchor="middle">${escape(nameX(x))}</text>`)
  }
  for (const [at, { name, points }] of series.entries()) {
    const places = points.map(([x, y]) => [toX(x), toY(y)])
    lines.push(`<path class="series${at}" d="M${places.map((place) => place.join(' ')).join('L')}"/>`)
    lines.push(...places.map(([x, y]) => `<circle class="series${at}" cx="${x}" cy="${y}" r="3"/>`))
    const key = left + at * 140
    lines.push(`<path class="series${at}" d="M${key} 42h24"/><text x="${key + 30}" y="46">${escape(name)}</text>`)
  }
  return lines
}

/**
 * A plot of panels side by side.
 *
 * @param panels each with a title, series of `{ name, points: [x, y][] }` over the same `x`, and how an `x` is called
 */
export function plot(title, panels) {
  const step = WIDTH / panels.length
  const lines = panels.flatMap((panel, at) => panelAt(at * step + 58, step - 90, panel))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title">
  <title id="title">${escape(title)}</title>
  <style>${style}
  </style>
  ${lines.join('\n  ')}
</svg>
`
}
