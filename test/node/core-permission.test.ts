// In Deno a program may not be allowed to read the core.
import { afterEach, expect, test, vi } from 'vitest'
import { requireCore } from '../../node/wasm.ts'

afterEach(() => vi.restoreAllMocks())

test('a core that may not be read names the flag that allows it', () => {
  const words = 'Requires read access to "core_bg.wasm", run again with the --allow-read flag'
  vi.spyOn(process.getBuiltinModule('node:fs'), 'readFileSync').mockImplementation(() => {
    throw Object.assign(new Error(words), { name: 'NotCapable' })
  })
  expect(requireCore).toThrow(expect.objectContaining({ code: 'WasmUnavailable', advice: `${words}.` }))
})
