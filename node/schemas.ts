import { type EffectOf, kind } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import type { Platform } from '../src/platform.ts'
import { absolute } from './paths.ts'
import { readFileSafely, readFileSafelySync } from './storage/file.ts'

const fs = process.getBuiltinModule('node:fs')
const nodePath = process.getBuiltinModule('node:path')

type Beside = NonNullable<Platform['schemasBeside']>
interface Sibling {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Files of a folder that are looked at. */
const MOST = 1000

/** What stands in a folder, as far as it is a regular file and no link. */
interface Entry {
  readonly name: string
  isFile(): boolean
}

export const schemasBeside: Beside = (path, maxBytes, names) => ({
  kind: SCHEMAS_BESIDE,
  path: absolute(path),
  maxBytes,
  names,
})

/** The files among them that are to be read. */
function chosen(entries: readonly Entry[], { path, names }: EffectOf<'schemasBeside'>): string[] {
  const own = nodePath.basename(path)
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
  const wanted = files.map(({ name }) => name).filter((name) => names?.includes(name) ?? name !== own)
  if (wanted.length <= MOST) return wanted.sort()
  throw new SxError('SchemaLimit', `There are more than ${MOST} .json files next to the schema.`)
}

const SCHEMAS_BESIDE = kind('schemasBeside', {
  async: async (effect) => {
    const folder = nodePath.dirname(effect.path)
    const options = { maxBytes: effect.maxBytes, noFollow: true }
    const entries = await fs.promises.readdir(folder, { withFileTypes: true }).catch(unreadable)
    const found: Sibling[] = []
    for (const name of chosen(entries, effect)) {
      const bytes = await readFileSafely(nodePath.join(folder, name), options).catch(skipped)
      if (bytes !== undefined) found.push({ name, bytes })
    }
    return found
  },
  sync: (effect) => {
    const folder = nodePath.dirname(effect.path)
    const options = { maxBytes: effect.maxBytes, noFollow: true }
    const found: Sibling[] = []
    for (const name of chosen(entriesOf(folder), effect)) {
      const bytes = readNow(nodePath.join(folder, name), options)
      if (bytes !== undefined) found.push({ name, bytes })
    }
    return found
  },
})

function entriesOf(folder: string): Entry[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    return unreadable(cause)
  }
}

function unreadable(cause: unknown): never {
  throw new SxError('StorageUnavailable', 'The folder of the schema cannot be read.', { cause })
}

function readNow(path: string, options: { maxBytes: number; noFollow: boolean }): Uint8Array | undefined {
  try {
    return readFileSafelySync(path, options)
  } catch (error) {
    return skipped(error)
  }
}

/** A file that is too large, a link, or not to be read is none that a schema can refer to: if it does, that is said. */
function skipped(error: unknown): undefined {
  if (error instanceof SxError) return undefined
  throw error
}
