// Names of files that are being written.
import os from 'node:os'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.restoreAllMocks()
  vi.resetModules()
})

const fresh = async (): Promise<string> => {
  vi.resetModules()
  return (await import('../../node/storage/scratch.ts')).machine()
}

it('name the machine, the same one each time', async () => {
  expect(await fresh()).toMatch(/^[0-9a-f]{12}$/)
  expect(await fresh()).toBe(await fresh())
})

it('need no permission to read the name of the machine', async () => {
  const known = await fresh()
  vi.spyOn(os, 'hostname').mockImplementation(() => {
    throw new Error('Requires sys access to "hostname"')
  })
  expect(await fresh()).not.toBe(known)
  expect(await fresh()).toMatch(/^[0-9a-f]{12}$/)
})
