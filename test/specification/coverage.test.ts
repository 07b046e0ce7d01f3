// Which tests show which row of the specification: the page says so, and no row that was shown is lost.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { faults, namedInTests, page, rowsNamedIn, shownOn, written } from '../../scripts/specification.mjs'

it('docs/specification.md is what the tests say; `npm run specification` writes it', () => {
  const named = namedInTests()
  expect(faults(named)).toEqual([])
  expect(readFileSync(page, 'utf8')).toBe(written(named))
})

it('titles name rows: of one section or several at their beginning, one anywhere in them', () => {
  const titles = ["it('sp", "ec 4.1 a, b; 7 c-d: what it does')", "\n['sp", "ec 2.4 $ref: x']"].join('')
  expect(rowsNamedIn(titles)).toEqual(['4.1 a', '4.1 b', '7 c-d', '2.4 $ref'])
  expect(rowsNamedIn(["it('says (sp", "ec 4.1 a.b).')"].join(''))).toEqual(['4.1 a.b'])
  expect(rowsNamedIn(["// 'sp", "ec 4.1 a: a comment'"].join(''))).toEqual([])
})

it('says what is wrong, and what a page has shown', () => {
  const sections = [
    { number: '2.1', title: 'Fields', rows: [{ name: 'field' }] },
    {
      number: '4.1',
      title: 'Functions',
      rows: [
        { name: 'is', isBuilt: true },
        { name: 'later', isBuilt: false },
      ],
    },
  ]
  const named = new Map([
    ['2.1 field', ['test/a.test.ts']],
    ['4.1 later', ['test/b.test.ts']],
    ['4.1 other', ['test/b.test.ts']],
  ])
  expect(faults(named, sections)).toEqual([
    '4.1 other is no row; test/b.test.ts',
    '4.1 is is built, and no test names it',
    '4.1 later has a test, and is said not to be built',
  ])
  expect(shownOn(written(named, sections))).toEqual(['2.1 field', '4.1 later'])
  expect(shownOn(written(new Map(), sections))).toEqual([])
})
