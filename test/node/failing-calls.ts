/** What calls of the file system that fail leave behind. */
import { randomInt } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as sx from 'sx-agent/simple'
import { describe, expect, it } from 'vitest'
import { filesystemStorage } from '../../node/storage/filesystem.ts'
import type { SyncStorage } from '../../src/storage/contract.ts'
import { systemError, through } from '../storage/seams.ts'
import { agentIn, configIn, dataOf, filesOf, newFolder, times } from './fixtures.ts'

/** Files that are not left-overs of a write that failed, which the next one removes. */
export const kept = (folder: string): string[] => filesOf(folder).filter((path) => !path.endsWith('.tmp'))

/** A storage on files of which one call can be made to fail. */
class FaultyDisk {
  readonly storage: SyncStorage
  /** How many calls were made since it was armed. */
  calls = 0
  #failing = Number.POSITIVE_INFINITY
  #code = ''

  constructor(root: string) {
    const fs = through((name, _, perform) => {
      if (this.calls++ === this.#failing) throw systemError(this.#code, name)
      return perform()
    })
    this.storage = filesystemStorage(root, { fs })
  }

  /** Fails the call with this number (from 0), and no other. */
  arm(failing: number, code: string): void {
    this.calls = 0
    this.#failing = failing
    this.#code = code
  }
}

const FAULTS = { ENOSPC: 'StorageFull', EROFS: 'StorageUnavailable', EIO: 'StorageUnavailable' } as const

const options = ({ storage }: FaultyDisk): sx.QuickstartOptions =>
  agentIn('', { configPath: 'sx.config.json', storage })

/**
 * The tests of calls that fail so.
 *
 * @param distance has one of so many calls fail where documents are written
 */
export function failingCalls(fault: keyof typeof FAULTS, distance = 1): void {
  const code = FAULTS[fault]
  describe(`calls of the file system that fail with ${fault}`, () => {
    it('leave no agent half-made', async () => {
      const whole = new FaultyDisk(newFolder())
      await sx.create(options(whole))
      const distant = times(10) === 10 ? 1 : 20
      for (let at = randomInt(distant); at < whole.calls; at += distant) {
        const folder = newFolder()
        const disk = new FaultyDisk(folder)
        disk.arm(at, fault)
        let agentId: string | undefined
        try {
          agentId = sx.createSync(options(disk)).agentId // some calls may fail: those that remove what is of no use
        } catch (error) {
          expect(error).toMatchObject({ name: 'SxError', code })
          if (!existsSync(configIn(folder))) expect(kept(folder), `after call ${at}`).toEqual([])
        }
        // Once the disk works again, so does quickstart.
        const again = await sx.quickstart(options(disk))
        if (agentId !== undefined) expect(again.agentId).toBe(agentId)
        expect((await sx.verifySelf()).valid).toBe(true)
      }
    })

    it('leave documents whole or not there', async () => {
      const folder = newFolder()
      const disk = new FaultyDisk(folder)
      await sx.create(options(disk))
      const { documentId } = await sx.signMessage({ n: 0 })
      const works = {
        signMessageSync: (n: number) => sx.signMessageSync({ n }),
        updateDocumentSync: (n: number) => sx.updateDocumentSync(documentId, { n }),
      }
      for (const [name, work] of Object.entries(works)) {
        for (let at = randomInt(distance), failed = true; failed; at += distance) {
          const { n } = dataOf(await sx.verifyById(documentId)) as { n: number }
          const documents = await sx.listDocuments()
          const before = kept(folder)
          disk.arm(at, fault)
          failed = false
          try {
            work(n + 1)
          } catch (error) {
            failed = true
            expect(error, `call ${at} of ${name}`).toMatchObject({ name: 'SxError', code })
          }
          if (!failed && disk.calls > at) failed = true // a call that may fail; go on with the next one
          disk.arm(-1, '')
          // What could not be removed goes when this process is over; here it would only be in the way.
          rmSync(join(folder, '.tmp'), { recursive: true, force: true })
          const result = await sx.verifyById(documentId)
          expect(result.errors).toEqual([])
          expect([n, n + 1]).toContain((dataOf(result) as { n: number }).n)
          const now = await sx.listDocuments()
          for (const key of now) expect((await sx.verifyById(key)).errors).toEqual([])
          if (now.join() === documents.join()) expect(kept(folder), `after call ${at} of ${name}`).toEqual(before)
        }
      }
    })
  })
}
