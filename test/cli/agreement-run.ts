/** Runs `sx agreement` in this process, as `main` does. */
import { Command } from 'commander'
import { vi } from 'vitest'
import { addAgreementCommands } from '../../node/cli/agreements.ts'
import { failureOf } from '../../node/cli/exit.ts'
import { addIdsCommand } from '../../node/cli/ids.ts'
import { presentFailure } from '../../node/cli/output.ts'

/** What a run left. */
export interface Run {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command for the agent of a configuration. */
export async function run(config: string, ...args: string[]): Promise<Run> {
  const program = new Command('sx').option('--json').option('--quiet').option('--config <path>').option('--no-input')
  program.configureOutput({ writeErr: () => {} }).exitOverride()
  addAgreementCommands(program)
  addIdsCommand(program)
  const said = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text)
      return true
    }),
  )
  try {
    await program.parseAsync(['--no-input', '--config', config, ...args], { from: 'user' })
  } catch (error) {
    process.exitCode = presentFailure(failureOf(error), { json: args.includes('--json') })
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  const exit = Number(process.exitCode ?? 0)
  process.exitCode = undefined // it is not that of the tests
  return { exit, ...said }
}
