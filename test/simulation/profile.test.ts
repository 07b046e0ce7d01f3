import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { test } from 'vitest'
import { runSeed } from './run.ts'

test('profile', { timeout: 1e8 }, async () => {
  await runSeed(1)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  const before = process.cpuUsage()
  const count = Number(process.env['COUNT'] ?? 300)
  for (let seed = 1; seed <= count; seed++)
    await runSeed(seed, { scenario: process.env['SX_SIM_SCENARIO'] || undefined })
  const { user, system } = process.cpuUsage(before)
  console.log('cpu ms per seed', (user + system) / 1000 / count)
  const { profile } = await session.post('Profiler.stop')
  writeFileSync('/tmp/sx/prof/p.cpuprofile', JSON.stringify(profile))
})
