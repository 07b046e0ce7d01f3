// Seeded pictures, and seeded ways to write them in scans: good ones, and ones with one fault.
import type { Random } from '../simulation/random.ts'
import type { Plane, ScanScript } from './jpegs.ts'

export interface Drawing {
  readonly size: readonly [width: number, height: number]
  readonly units: readonly [across: number, down: number]
  readonly planes: readonly Plane[]
}

const LAYOUTS: readonly (readonly (readonly [across: number, down: number])[])[] = [
  [[1, 1]],
  [[2, 2]],
  [
    [1, 1],
    [1, 1],
    [1, 1],
  ],
  [
    [2, 2],
    [1, 1],
    [1, 1],
  ],
  [
    [2, 1],
    [1, 2],
    [1, 1],
  ],
  [
    [1, 2],
    [1, 1],
  ],
  [
    [1, 1],
    [1, 1],
    [1, 1],
    [2, 1],
  ],
]

/** A picture; `density` is how many of its coefficients are not 0. */
export function drawing(random: Random, [least, most]: readonly [number, number], density: number): Drawing {
  const layout = random.pick(LAYOUTS)
  const size = [least + random.below(most - least + 1), least + random.below(most - least + 1)] as const
  const [acrossMost, downMost] = [Math.max(...layout.map(([h]) => h)), Math.max(...layout.map(([, v]) => v))]
  const units = [Math.ceil(size[0] / (8 * acrossMost)), Math.ceil(size[1] / (8 * downMost))] as const
  const isExtreme = random.chance(0.2)
  const value = (at: number): number => {
    if (at > 0 && !random.chance(density)) return 0
    const bits = isExtreme && random.chance(0.05) ? 15 : 1 + random.below(random.chance(0.2) ? 10 : 3)
    const magnitude = random.chance(0.3) ? 2 ** bits - 1 : random.below(2 ** bits)
    const fair = at === 0 ? magnitude >> 1 : magnitude
    return random.chance(0.5) ? fair : -fair
  }
  const planes = layout.map(([across, down], n): Plane => {
    const columns = Math.ceil(Math.ceil((size[0] * across) / acrossMost) / 8)
    const rows = Math.ceil(Math.ceil((size[1] * down) / downMost) / 8)
    const [stride, lines] = [units[0] * across, units[1] * down]
    const blocks = Array.from({ length: stride * lines }, (_, place) => {
      const isShown = place % stride < columns && place < stride * rows
      return Array.from({ length: 64 }, (_value, at) => (isShown || at === 0 ? value(at) : 0))
    })
    return { id: n + 1, across, down, columns, rows, blocks, stride }
  })
  return { size, units, planes }
}

/** A picture of 32 times 32 pixels and this many components. */
export function plainDrawing(count: number): Drawing {
  const blocks = Array.from({ length: 16 }, (_, n) =>
    Array.from({ length: 64 }, (_value, at) =>
      at === 0 ? n * 3 - 8 : (at * 7 + n) % 5 === 0 ? ((at + n) % 9) - 4 : 0,
    ),
  )
  const plane = { across: 1, down: 1, columns: 4, rows: 4, stride: 4, blocks }
  return { size: [32, 32], units: [4, 4], planes: Array.from({ length: count }, (_, n) => ({ ...plane, id: n + 1 })) }
}

function bandsOf(random: Random): [first: number, last: number][] {
  const bands: [number, number][] = []
  for (let first = 1; first < 64; ) {
    const last = random.chance(0.5) ? 63 : Math.min(63, first + random.below(20))
    bands.push([first, last])
    first = last + 1
  }
  return bands
}

/** The scans of a picture, in an order in which each comes after what it needs. */
export function goodScans({ planes }: Drawing, random: Random): ScanScript[] {
  const rest = (): Pick<ScanScript, 'interval' | 'longestRun' | 'overrun'> => ({
    interval: random.chance(0.3) ? 1 + random.below(9) : 0,
    longestRun: random.pick([1, 2, 7, 32_767]),
    overrun: 0,
  })
  const numbers = planes.map((_, n) => n)
  const isTogether = random.chance(0.5) && planes.reduce((sum, { across, down }) => sum + across * down, 0) <= 10
  const groups = isTogether || planes.length === 1 ? [numbers] : numbers.map((number) => [number])
  const chains: ScanScript[][] = []
  const chain = (group: readonly number[], first: number, last: number): ScanScript[] => {
    const start = random.pick([0, 0, 1, 2, 3, 13])
    return Array.from({ length: start + 1 }, (_, n) => {
      const low = start - n
      return { planes: group, first, last, high: n === 0 ? 0 : low + 1, low, ...rest() }
    })
  }
  const constants = groups.map((group) => chain(group, 0, 0))
  for (const scans of constants) chains.push(scans.slice(1))
  for (const number of numbers) for (const [first, last] of bandsOf(random)) chains.push(chain([number], first, last))
  const order = constants.map((scans) => scans[0]!)
  for (
    let left = chains.filter((scans) => scans.length > 0);
    left.length > 0;
    left = left.filter((scans) => scans.length > 0)
  )
    order.push(random.pick(left).shift()!)
  return order
}

/** The faults of scans by name; some of them leave good ones. */
export const faults: Readonly<Record<string, (scans: ScanScript[], at: number, random: Random) => void>> = {
  'a scan missing': (scans, at) => void scans.splice(at, 1),
  'a scan twice': (scans, at) => void scans.splice(at, 0, scans[at]!),
  'two scans exchanged': (scans, at, random) => {
    const to = random.below(scans.length)
    ;[scans[at], scans[to]] = [scans[to]!, scans[at]!]
  },
  'the last scan first': (scans) => void scans.unshift(scans.pop()!),
  'another band': (scans, at, random) => {
    const scan = scans[at]!
    const [first, last] = [scan.first + random.below(3) - 1, scan.last + random.below(3) - 1]
    scans[at] = { ...scan, first: Math.max(0, first), last: Math.max(0, last) }
  },
  'another shift': (scans, at, random) => {
    const scan = scans[at]!
    scans[at] = { ...scan, low: Math.max(0, scan.low + random.below(3) - 1) }
  },
  'other bits before': (scans, at, random) => {
    const scan = scans[at]!
    scans[at] = { ...scan, high: Math.max(0, scan.high + random.below(3) - 1) }
  },
  'a run too long': (scans, at, random) => {
    const scan = scans[at]!
    scans[at] = { ...scan, overrun: 1 + random.below(3), longestRun: 20_000 }
  },
  'another component': (scans, at, random) => {
    const scan = scans[at]!
    const numbers = scans.flatMap(({ planes }) => planes)
    scans[at] = { ...scan, planes: [random.pick(numbers)] }
  },
  'components exchanged': (scans, at) => {
    const scan = scans[at]!
    scans[at] = { ...scan, planes: scan.planes.toReversed() }
  },
}
