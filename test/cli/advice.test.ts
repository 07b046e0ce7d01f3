// What is advised at the command line can be done there.
import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { codes } from '#codes'
import { adviceOn } from '../../node/cli/advice.ts'
import { failureOf, ofAgreement, ofDocument, setUp } from '../../node/cli/exit.ts'
import { tables } from '../../scripts/surfaces/tables.mjs'
import { SxError, type SxErrorCode } from '../../src/errors.ts'
import { Place } from './run.ts'

const place = new Place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
afterAll(() => place.remove())

const NAMES = [tables.simple, tables.agent, tables.core]
  .flatMap(({ twins, direct, awaited }) => [...twins, ...twins.map((name) => `${name}Sync`), ...direct, ...awaited])
  .filter((name, at, names) => names.indexOf(name) === at)
/** Names that are no words of a language, wherever they stand; all others where they can only mean the function. */
const API = new RegExp(
  [
    ...NAMES.filter((name) => /[a-z][A-Z]/.test(name)).map((name) => `\\b${name}\\b`),
    ...NAMES.map((name) => `\\b${name}\\(|\`${name}\``),
    '\\b(?:[Cc]all|await|asynchronous|function|header)\\b',
    '`limits`|`password`|`raw`|verifyOnly|getRandomValues|\\bloads? opens\\b|plain objects',
  ].join('|'),
)
const all = Object.keys(codes) as SxErrorCode[]

describe('the advice', () => {
  it('of the library is recognised as such', () => {
    const theirs = all.filter((code) => API.test(new SxError(code).advice))
    expect(theirs).toEqual(
      expect.arrayContaining(['LimitExceeded', 'InvalidAgent', 'NotInitialized', 'WasmUnavailable']),
    )
  })

  it.each(all)('on %s names nothing of the API, whatever it is that has failed', (code) => {
    const error = new SxError(code)
    for (const found of [error, setUp(error), ofDocument(error), ofAgreement(error)]) {
      const { message } = failureOf(found)
      expect(message).toMatch(/^[A-Z].*\. .*\S\.$/)
      expect(message).not.toMatch(API)
    }
    expect(failureOf(error).message).toBe(`${error.found} ${adviceOn(code)}`)
  })

  it('calls options by their names at the command line', () => {
    const message = (found: string): string => failureOf(new SxError('InvalidOption', found)).message
    expect(message("The option 'configPath' ends with .agent.")).toMatch(
      /^The option --config ends with \.agent\. See --/,
    )
    expect(message("The option 'name' is empty.")).toMatch(/^The option --name is empty\. /)
  })

  it('is printed, with --json and in the reasons of a verdict too', async () => {
    await place.quickstart()
    const signed = await place.done(['sign'], { input: '1' })
    const big = `[${'0,'.repeat(1_000_000)}0]`
    writeFileSync(place.at('big.json'), big)
    const cases: [string[], string, SxErrorCode][] = [
      [['inspect', 'big.json'], '', 'LimitExceeded'],
      [['verify', 'big.json'], '', 'LimitExceeded'],
      [['verify'], '{', 'NotJson'],
      [['verify'], '{"jacsId":"x","jacsSignature":{}}', 'UnsupportedFormat'],
      [['verify'], '{"sxId":1}', 'InvalidDocument'],
      [['trust', 'add'], signed, 'InvalidAgent'],
    ]
    for (const [args, input, expected] of cases) {
      const { value } = await place.json(args, { input })
      const { code = '', message = '' } = value.error ?? {}
      const printed = await place.sx(args, { input })
      for (const text of [
        message,
        printed.stdout + printed.stderr,
        ...((value['errors'] as string[] | undefined) ?? []),
      ]) {
        expect({ args, text }).toEqual({ args, text: expect.stringContaining(adviceOn(code as SxErrorCode)) as string })
        expect({ args, text }).toEqual({ args, text: expect.not.stringMatching(API) as string })
      }
      expect({ args, code }).toEqual({ args, code: expected })
    }
  })
})
