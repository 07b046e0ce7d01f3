// The public surface: what is exported is a promise, so a change here is a change of version.

import * as main from 'sx-agent'
import { SxAgent, SxError, type SxErrorCode, type ValidResult, type VerificationResult } from 'sx-agent'
import * as simple from 'sx-agent/simple'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { codes } from '#codes'

const withTwins = (names: string[]): string[] => names.flatMap((name) => [name, `${name}Sync`])
const sorted = (names: Iterable<string>): string[] => [...names].sort()

describe('exports', () => {
  test('of the package', () => {
    expect(sorted(Object.keys(main))).toEqual(['SxAgent', 'SxError', 'createConfig', 'hashString', 'init'])
  })

  test('of the class', () => {
    const twinned = [
      'load',
      'createDocument',
      'verifyDocument',
      'verifySignature',
      'verifyOrThrow',
      'updateDocument',
      'signString',
      'verifyString',
      'verifyAgent',
      'updateAgent',
      'getDocument',
      'listDocuments',
    ]
    const single = [
      'constructor',
      'isLoaded',
      'getAgentInfo',
      'getPublicKey',
      'exportAgent',
      'trustAgent',
      'listTrustedAgents',
      'untrustAgent',
      'isTrusted',
      'getTrustedAgent',
      'flush',
    ]
    expect(sorted(Object.getOwnPropertyNames(SxAgent.prototype))).toEqual(sorted([...withTwins(twinned), ...single]))
    expect(Object.keys(new SxAgent())).toEqual([])
  })

  test('of the simplified module', () => {
    const twinned = [
      'quickstart',
      'create',
      'load',
      'verifySelf',
      'updateAgent',
      'updateDocument',
      'signMessage',
      'verify',
      'verifyOrThrow',
      'verifyById',
      'getDocument',
      'listDocuments',
      'reencryptKey',
    ]
    const single = [
      'SxError',
      'init',
      'verifyStandalone',
      'getPublicKey',
      'isLoaded',
      'getAgentInfo',
      'exportAgent',
      'trustAgent',
      'listTrustedAgents',
      'untrustAgent',
      'isTrusted',
      'getTrustedAgent',
      'flush',
    ]
    expect(sorted(Object.keys(simple))).toEqual(sorted([...withTwins(twinned), ...single]))
  })
})

describe('errors', () => {
  test.each(Object.keys(codes) as SxErrorCode[])('%s says what happened and what to do, in two sentences', (code) => {
    const error = new SxError(code)
    expect(error).toBeInstanceOf(Error)
    expect([error.name, error.code, error.message]).toEqual(['SxError', code, `${error.found} ${error.advice}`])
    for (const sentence of [error.found, error.advice]) expect(sentence).toMatch(/^[A-Z].*[^.]\.$|^[A-Z].*'$/)
    expect(new SxError(code, 'This was found.').message).toBe(`This was found. ${error.advice}`)
  })

  test('keep their cause', () => {
    const cause = new Error('why')
    expect(new SxError('Internal', undefined, { cause }).cause).toBe(cause)
    expect('cause' in new SxError('Internal')).toBe(false)
  })
})

describe('T41 types', () => {
  const result = { valid: false } as VerificationResult

  test('data is out of reach until valid is known to be true', () => {
    // @ts-expect-error -- valid was not looked at
    expect(result.data).toBeUndefined()
    const branches = (verdict: VerificationResult): unknown => {
      if (verdict.valid) {
        expectTypeOf(verdict).toEqualTypeOf<ValidResult>()
        expectTypeOf(verdict.data).toBeUnknown()
        expectTypeOf(verdict.code).toEqualTypeOf<undefined>()
        return verdict.data
      }
      expectTypeOf(verdict.code).toEqualTypeOf<SxErrorCode>()
      // @ts-expect-error -- nothing of a document that is not valid is handed out
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
  const needless = ['SxError', 'init', 'verifyStandalone', 'isLoaded', 'getAgentInfo']
  const making = withTwins(['quickstart', 'create', 'load'])
  const rest = Object.entries(simple).filter(([name]) => ![...needless, ...making].includes(name))

  test('nothing is loaded', () => {
    expect([simple.isLoaded(), simple.getAgentInfo()]).toEqual([false, null])
    expect(rest.length).toBeGreaterThan(25)
  })

  test.each(rest as [string, (...given: unknown[]) => unknown][])(
    '%s of the simplified module says so',
    async (_, call) => {
      const calling = Promise.resolve().then(() => call('6fa459ea-ee8a-4ca4-894e-db77e160355e', '{}'))
      await expect(calling).rejects.toMatchObject({ code: 'NoAgentLoaded' })
    },
  )
})
