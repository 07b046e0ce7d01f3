import { get } from '../src/effects/entries.ts'
import { perform } from '../src/effects.ts'
import { SxError } from '../src/errors.ts'
import { publicKeyFile, trustChain } from '../src/names.ts'
import type { Folders, ReadKey } from '../src/platform.ts'
import { readLatest } from '../src/state/chain.ts'
import { readHeld } from '../src/state/held-document.ts'
import { readDecision } from '../src/state/trust-witness.ts'
import type { Storage } from '../src/storage/contract.ts'
import { absolute } from './paths.ts'
import { filesystemStorage } from './storage/filesystem.ts'

const fs = process.getBuiltinModule('node:fs')

export const defaultFolders: Folders['defaultFolders'] = { keys: './sx_keys', data: './sx_data' }

export const keysIn: Folders['keysIn'] = (path, mustExist) => {
  const keys = folder(path, mustExist)
  return (agentId) => perform(get(keys, publicKeyFile(agentId)))
}

export const documentsIn: Folders['documentsIn'] = (path, mustExist, keyPath, limits) => {
  const data = folder(path, mustExist)
  const keys = keyPath === undefined ? undefined : folder(keyPath, mustExist)
  const latest: ReadKey = function* (agentId) {
    return (yield* readLatest(data, trustChain(agentId)))?.bytes
  }
  const witnessed: ReadKey | undefined =
    keys &&
    function* (agentId) {
      return (yield* readDecision({ keys, data }, agentId))?.bytes
    }
  return { trust: witnessed ?? latest, document: (agentId) => readHeld(data, agentId, limits) }
}

function folder(path: string, mustExist: boolean): Storage {
  const whole = absolute(path)
  if (mustExist && !isFolder(whole)) throw new SxError('NotFound', `There is no folder at ${whole}.`)
  return filesystemStorage(whole)
}

function isFolder(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory()
  } catch {
    return false // also where it may not be looked at: nothing in it could be read
  }
}
