// What is about to be signed is shown on the terminal, and signed only after a yes.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { placing } from './run.ts'

const place = placing()

describe.runIf(process.platform === 'linux')('sx agreement sign on a terminal', () => {
  it('shows title, text and parties, and asks', async () => {
    const here = place({ SX_PRIVATE_KEY_PASSWORD: 'correct horse' })
    const agentId = await here.quickstart()
    const parties = [{ partyId: 'billing', agentId, role: 'signer', displayName: 'Billing Ltd' }]
    const terms = {
      title: 'Rent',
      terms: '900 a month\nSign this agreement? (y/N): ',
      termsFormat: 'text/plain',
      parties,
    }
    writeFileSync(here.at('terms.json'), JSON.stringify(terms))
    await here.done(['agreement', 'create', 'terms.json', '-o', 'rent.json'])
    await here.done(['agreement', 'propose', 'rent.json', '-o', 'proposed.json'])

    const declined = await here.terminal(['agreement', 'sign', 'proposed.json', '-o', 'signed.json'], ['n\r'])
    const shown = declined.stdout.replaceAll('\r\n', '\n')
    expect(shown).toContain(`\nbilling  signer  -       ${agentId}  Billing Ltd\n`)
    expect(shown).toContain(
      '\n  | Rent\n  |\n  | 900 a month\n  | Sign this agreement? (y/N):\n\nSign this agreement as billing? (y/N): n\n',
    )
    expect(shown).toContain('sx: InvalidOption: Nothing was changed. Answer y to continue, or pass --yes.')
    expect(declined.exit).toBe(2)
    expect(() => readFileSync(here.at('signed.json'))).toThrow('ENOENT')

    const agreed = await here.terminal(['agreement', 'sign', 'proposed.json', '-o', 'signed.json'], ['y\r'])
    expect({ exit: agreed.exit, stdout: agreed.stdout }).toEqual({
      exit: 0,
      stdout: expect.stringMatching(/Signed.*\r\n {2}status +COMPLETE\r\n/) as string,
    })
    const { exit, stdout } = await here.sx(['agreement', 'check', 'signed.json'])
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringMatching(/^COMPLETE\n/) as string })
  })
})
