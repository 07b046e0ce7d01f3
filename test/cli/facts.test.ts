// What the command line says for itself, because no public entry does, is what the library has.
import { expect, it } from 'vitest'
import * as algorithms from '../../node/cli/algorithms.ts'
import * as identifiers from '../../node/cli/identifiers.ts'
import * as limits from '../../node/cli/limits.ts'
import * as places from '../../node/cli/places.ts'
import { defaultFolders } from '../../node/folders.ts'
import { storedAlgorithm } from '../../src/algorithms.ts'
import { LARGEST_BACKUP } from '../../src/backup.ts'
import { ensureReady } from '../../src/core.ts'
import { DEFAULT_CONFIG_PATH } from '../../src/home.ts'
import { LARGEST_IMAGE } from '../../src/images/limit.ts'
import { defaultLimits } from '../../src/limits.ts'
import { parseId } from '../../src/names.ts'
import type { KeyAlgorithm } from '../../src/types.ts'

it('places', () => {
  expect(places.DEFAULT_CONFIG_PATH).toBe(DEFAULT_CONFIG_PATH)
  expect(places.DEFAULT_FOLDERS).toEqual(defaultFolders)
})

it('limits', async () => {
  await ensureReady()
  const { LARGEST_TEXT } = limits
  expect([LARGEST_TEXT, limits.LARGEST_IMAGE, limits.LARGEST_BACKUP]).toEqual([
    defaultLimits().bytes,
    LARGEST_IMAGE,
    LARGEST_BACKUP,
  ])
})

it('algorithms', () => {
  const names = [...algorithms.ALGORITHM_NAMES, 'ring-Ed25519'] as KeyAlgorithm[]
  expect(names.map(algorithms.storedAlgorithm)).toEqual(names.map(storedAlgorithm))
})

it.each([
  crypto.randomUUID(),
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '01890a5d-ac96-174b-bcce-b302099a8057',
  '01890A5D-AC96-774B-BCCE-B302099A8057',
  '01890a5d-ac96-774b-0cce-b302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a805',
  '',
])('ids: %s', async (id) => {
  await ensureReady()
  const isOne = (): boolean => {
    try {
      return parseId(id) === id
    } catch {
      return false
    }
  }
  expect(identifiers.isId(id)).toBe(isOne())
})
