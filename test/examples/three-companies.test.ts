// The story of three companies, run on the built package as people run it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from '../docs/markdown.ts'
import { HANGING } from '../pace.ts'

it('examples/three-companies.mjs ends one agreement by a decline and completes the next', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['examples/three-companies.mjs'], {
    cwd: root,
    timeout: HANGING,
  })
  expect(stderr).toBe('')
  expect(stdout.split('\n')).toEqual([
    'The first agreement',
    '  Ada proposes it: proposed',
    expect.stringMatching(/^ {2}Cobalt may not sign yet: EventRefused: .* \(OutOfOrder\)$/),
    '  Borealis delegates to Dana: proposed',
    '  Dana and Ada sign in two places: partial, blocked by quorum 2/3, required cobalt, stage 1 0/1',
    '  Cobalt declines: declined',
    expect.stringMatching(/^ {2}Nothing can be added: EventRefused: .* \(NotAllowedNow\)$/),
    'The amended agreement',
    '  Ada amends it: draft, less strict in decline',
    '  Ada, Borealis and Cobalt sign: complete',
    '  All have the same bytes: true',
    'What an auditor finds in the copies',
    '  declined: ada signed, borealis signed, cobalt declined',
    '  complete, amends the first one: ada signed, borealis signed, cobalt signed',
    '    Ada Robotics, signer, ed25519',
    '    Borealis Logistics, signer, pq2025',
    '    Cobalt Insurance, approver, ed25519',
    '',
  ])
})
