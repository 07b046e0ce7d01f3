// The public surface: what is exported is a promise, so a change here is a change of version.

import * as main from 'sx-agent'
import { SxAgent, SxError, type SxErrorCode, type ValidResult, type VerificationResult } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import * as verify from 'sx-agent/verify'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { codes } from '#codes'
import { functionsOf, methodsOf, type Surface, tables } from '../../scripts/surfaces/tables.mjs'

const withTwins = (names: string[]): string[] => names.flatMap((name) => [name, `${name}Sync`])
const sorted = (names: Iterable<string>): string[] => [...names].sort()

describe('exports', () => {
  const all = (surface: Surface): string[] => sorted([...functionsOf(surface), ...surface.classes])

  test('of the package', () => {
    expect(sorted(Object.keys(main))).toEqual(all(tables.core))
  })

  test('of the class', () => {
    expect(sorted(methodsOf(SxAgent.prototype))).toEqual(all(tables.agent))
    expect(Object.keys(new SxAgent())).toEqual([])
  })

  test('of the simplified module', () => {
    expect(sorted(Object.keys(simple))).toEqual(all(tables.simple))
  })

  test('of the module for verifying, each of which is the same elsewhere', () => {
    expect(sorted(Object.keys(verify))).toEqual(all(tables.verify))
    const { hashString } = main
    expect(verify).toMatchObject({
      hashString,
      ...Object.fromEntries(
        Object.keys(verify)
          .filter((name) => name in simple)
          .map((name) => [name, Reflect.get(simple, name) as unknown]),
      ),
    })
  })
})

describe('functions and methods', () => {
  test('have the names that a stack trace is to show', () => {
    const { prototype } = SxAgent
    const methods = methodsOf(prototype).map((name) => [name, Reflect.get(prototype, name) as unknown])
    for (const [name, call] of [...methods, ...Object.entries(simple)]) expect(call).toHaveProperty('name', name)
    const { stack } = ((): Error => {
      try {
        return new Error(new SxAgent().signStringSync('text'))
      } catch (error) {
        return error as Error
      }
    })()
    expect(stack).toContain('at SxAgent.signStringSync ')
  })

  test('of an agent are not those of the one agent of the program', async () => {
    const { getDocument, getDocumentSync } = new SxAgent()
    const id = '6fa459ea-ee8a-4ca4-894e-db77e160355e'
    await expect(getDocument(id)).rejects.toThrow(TypeError)
    expect(() => getDocumentSync(id)).toThrow(TypeError)
    await expect(simple.getDocument.call(new SxAgent(), id)).rejects.toMatchObject({ code: 'NoAgentLoaded' })
  })
})

describe('errors', () => {
  test.each(Object.keys(codes) as SxErrorCode[])(
    '%s is named, and two sentences say what happened and what to do',
    (code) => {
      const error = new SxError(code)
      expect(error).toBeInstanceOf(Error)
      expect([error.name, error.code, error.message]).toEqual([
        'SxError',
        code,
        `${code}: ${error.found} ${error.advice}`,
      ])
      for (const sentence of [error.found, error.advice]) expect(sentence).toMatch(/^[A-Z].*[^.]\.$|^[A-Z].*'$/)
      expect(new SxError(code, 'This was found.').message).toBe(`${code}: This was found. ${error.advice}`)
    },
  )

  test('keep their cause', () => {
    const cause = new Error('why')
    expect(new SxError('Internal', undefined, { cause }).cause).toBe(cause)
    expect('cause' in new SxError('Internal')).toBe(false)
  })
})

describe('T41 types', () => {
  const result = { valid: false } as VerificationResult

  test('data is unknown until valid is known to be true, and undefined where it is not', () => {
    expectTypeOf(result.data).toBeUnknown()
    expect(result.data).toBeUndefined()
    const branches = (verdict: VerificationResult): unknown => {
      if (verdict.valid) {
        expectTypeOf(verdict).toEqualTypeOf<ValidResult>()
        expectTypeOf(verdict.data).toBeUnknown()
        expectTypeOf(verdict.code).toEqualTypeOf<undefined>()
        return verdict.data
      }
      expectTypeOf(verdict.code).toEqualTypeOf<SxErrorCode>()
      expectTypeOf(verdict.data).toEqualTypeOf<undefined>()
      return verdict.data
    }
    expect(branches(result)).toBeUndefined()
  })

  test('results are read-only', () => {
    const change = (verdict: VerificationResult): void => {
      // @ts-expect-error -- a verdict is not to be changed
      verdict.valid = true
      // @ts-expect-error -- nor are its errors
      verdict.errors.push('x')
    }
    expect(() => change(Object.freeze({ ...result, errors: Object.freeze([]) }) as never)).toThrow(TypeError)
  })

  test('verifyOrThrow gives valid results alone', () => {
    expectTypeOf(simple.verifyOrThrow).returns.resolves.toEqualTypeOf<ValidResult>()
    expectTypeOf(simple.verifyOrThrowSync).returns.toEqualTypeOf<ValidResult>()
    expectTypeOf<SxAgent['verifyOrThrow']>().returns.resolves.toEqualTypeOf<ValidResult>()
  })
})

describe('before there is an agent', () => {
  const needless = [
    'SxError',
    'init',
    'verifyStandalone',
    'getKeyId',
    'readAgent',
    'checkImage',
    'extractMediaSignature',
    'mergeAgreements',
    'mergeAgreementsSync',
    'stripImageSignature',
    'imageCapacity',
    'isLoaded',
    'getAgentInfo',
    'close',
    ...withTwins(['importStore', 'verifyBackup', 'findAgent', 'checkSchema', 'repairStore', 'audit', 'inspect']),
    ...withTwins(['describeFile']),
  ]
  const making = withTwins(['quickstart', 'create', 'load'])
  const rest = Object.entries(simple).filter(([name]) => ![...needless, ...making].includes(name))

  test('there is nothing to close', async () => {
    expect(await simple.close()).toBeUndefined()
    expect(await new SxAgent().close()).toBeUndefined()
  })

  test('nothing is loaded', () => {
    expect([simple.isLoaded(), simple.getAgentInfo()]).toEqual([false, null])
    expect(rest.length).toBeGreaterThan(25)
  })

  test.each(rest as [string, (...given: unknown[]) => unknown][])(
    '%s of the simplified module says so',
    async (_, call) => {
      const second = ['signText', 'verifyText', 'verifyImage'].includes(call.name) ? {} : '{}'
      const calling = Promise.resolve().then(() => call('6fa459ea-ee8a-4ca4-894e-db77e160355e', second))
      await expect(calling).rejects.toMatchObject({ code: 'NoAgentLoaded' })
    },
  )
})
