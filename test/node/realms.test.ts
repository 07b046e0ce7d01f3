// Programs whose globals are others than those of Node's own modules, as in a test of Jest.
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { errno } from '../../node/storage/failure.ts'
import { work } from '../../src/effects/entries.ts'
import { later } from '../effects.ts'

const foreign = <T>(code: string): T => runInNewContext(code) as T

test('an error of the system is known by its members', () => {
  const error = foreign<Error>("Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' })")
  expect(error).not.toBeInstanceOf(Error)
  expect(errno(error)).toBe('ENOENT')
  for (const other of [undefined, null, 'ENOENT', 1, {}, { code: 'ENOENT' }, { code: 1, syscall: 'open' }])
    expect(errno(other)).toBeUndefined()
})

test('a promise of another realm is awaited', async () => {
  const promise = foreign<Promise<string>>("Promise.resolve('value')")
  expect(promise).not.toBeInstanceOf(Promise)
  const effect = work(
    'a promise of another realm',
    () => promise,
    () => 'value',
  )
  expect(await later(effect)).toBe('value')
})
