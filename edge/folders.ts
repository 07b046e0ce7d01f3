import { SxError } from '../src/errors.ts'
import type { Folders } from '../src/platform.ts'

function refuse(): never {
  throw new SxError('InvalidOption', 'This runtime has no folders. Pass the keys as {agentId: PEM}.')
}

export const defaultFolders: Folders['defaultFolders'] = undefined

export const keysIn: Folders['keysIn'] = () => refuse()

export const documentsIn: Folders['documentsIn'] = () => refuse()
