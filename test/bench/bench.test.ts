// What the benchmark says of its targets. bench.slow.test.ts runs it.
import { describe, expect, it } from 'vitest'
import { ofRuns } from './measure.mjs'
import { updateTargets } from './targets.mjs'

describe('a target', () => {
  const START = '| import to first verify in Node, ML-DSA-87 | ≤ 22 ms |'
  const SIGN = '| Ed25519: sign 1 KB | ≥ 1.8 × jose, bare |'
  const rowOf = (table: string, begin: string): string[] => table.split('\n').filter((line) => line.startsWith(begin))

  it('is met by the worse quarter of the runs, not by their median', () => {
    const of = (sign: number[], start: number[]): string[] => {
      const table = updateTargets('', { edSign: ofRuns(sign), start: ofRuns(start) })
      return [...rowOf(table, SIGN), ...rowOf(table, START)].map((row) => row.replace(/.* (\S+) \|$/, '$1'))
    }
    expect(of([1.7, 1.8, 1.9, 2, 2.1], [30, 22, 21, 20, 19])).toEqual(['met', 'met'])
    expect(of([1.7, 1.79, 1.9, 2, 2.1], [30, 22.1, 21, 20, 19])).toEqual(['**missed**', '**missed**'])
  })

  it('of one run is met by the median of its rounds', () => {
    const table = updateTargets('', { many: { median: 0.6, low: 0.5, high: 0.7 } })
    expect(table).toContain('| 0.60 (0.50–0.70) × | met |')
  })

  it('keeps what was measured for it, and is open where that was for another one', () => {
    const kept = `${START} 20.0 (19.0–21.0) ms | met |`
    const table = updateTargets(`${kept}\n| Ed25519: sign 1 KB | ≥ 1.3 × jose | 2.18 (2.12–2.32) × | met |\n`, {})
    expect(rowOf(table, START)).toEqual([kept])
    expect(rowOf(table, '| Ed25519: sign 1 KB |')).toEqual([`${SIGN} not measured yet | **open** |`])
    expect(updateTargets(table, {})).toBe(table)
  })
})
