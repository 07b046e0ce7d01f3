/** What a storage is (protocol, section 12), and the storages that work in every runtime. */
export {
  type Capabilities,
  checkKey,
  compareKeys,
  isSyncStorage,
  type Key,
  type ListOptions,
  type PutOptions,
  type Storage,
  type SyncStorage,
} from './contract.ts'
export { memoryStorage } from './memory.ts'
export { type MirroredStorage, type MirrorOptions, mirrored } from './mirror.ts'
export { prefixed } from './prefix.ts'
export {
  type AbsentValue,
  type PutIfAbsent,
  type UnstorageLike,
  type UnstorageOptions,
  unstorageAdapter,
} from './unstorage.ts'
