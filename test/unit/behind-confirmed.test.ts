// A look decides on what was written behind for those who asked for that, and for nothing else.
import type { SxError } from 'sx-agent'
import { mirrored } from 'sx-agent/storage'
import { describe, expect, it } from 'vitest'
import { Behind } from '../../src/state/behind.ts'
import { another, begin, gate } from './own.ts'
import { remote } from './remote.ts'

describe('a look at what was written behind', () => {
  it('K05 tells a flush that is held of what does not count, also where another has confirmed what came after', async () => {
    const { memory, configPath, agent } = await begin()
    const held = gate()
    let count = 0
    const flush = async (): Promise<void> => {
      if (++count === 1) await held.pass()
    }
    const page = await another(await mirrored(remote(memory, { flush })), configPath)
    await agent.rotateKey()
    const { raw } = page.signMessageSync(1)
    count = 0
    const flushed = (): Promise<string> =>
      page.flush().then(
        () => 'stored',
        ({ code }: SxError) => code,
      )
    const first = flushed()
    await held.reached
    expect(await flushed()).toBe('KeyRevoked')
    await page.load(configPath)
    page.signMessageSync(2)
    expect(await flushed()).toBe('stored')
    held.open()
    expect(await first).toBe('KeyRevoked')
    expect((await page.verify(raw)).code).toBe('KeyRevoked')
  })

  it('K05 keeps what was noted with the date of something that is decided on', () => {
    const behind = new Behind()
    behind.note('key', '2026-01-01T00:00:00.000Z')
    const { snapshot } = behind
    behind.note('key', '2026-01-01T00:00:00.000Z')
    expect(behind.decide(snapshot, () => true)).toBe(true)
    expect(behind.isEmpty).toBe(false)
    expect(behind.decide(behind.snapshot, () => false)).toBe(false)
    expect(behind.isEmpty).toBe(true)
  })
})
