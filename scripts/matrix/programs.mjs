// Runtimes that load the package from node_modules as it is: Node, Deno, Bun.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { finish } from './processes.mjs'
import { tool, versionOf } from './tools.mjs'

const runner = 'test/conformance/runners/program.mjs'

async function run(name, command, args, { project, short = false }) {
  const out = join(project, `${name}.txt`)
  rmSync(out, { force: true })
  await finish(command, [...args, runner, out, ...(short ? ['short'] : [])], { cwd: project })
  return readFileSync(out, 'utf8')
}

/** `isOneOfSeveral` says that others here have nearly the same engine: where it has to be brief, they run the long cases. */
const installed = (name, key, { args = [], isOneOfSeveral = false } = {}) => ({
  name,
  version: async () => versionOf(key),
  async reports({ project, brief }) {
    const program = tool(key)
    const short = isOneOfSeveral && brief
    return program && [{ name, text: await run(key, program, args, { project, short }), short }]
  },
})

/** Each gives its report, or `undefined` where it is not here. */
export const programs = [
  {
    name: 'Node, this one',
    version: async () => process.versions.node,
    reports: ({ project }) => run('node', process.execPath, [], { project }),
  },
  installed('Node 22', 'node22', { isOneOfSeveral: true }),
  installed('Node 24', 'node24', { isOneOfSeveral: true }),
  installed('Node 26', 'node26', { isOneOfSeveral: true }),
  // Files below the project and nothing else: no network, no environment, no programs.
  installed('Deno', 'deno', {
    args: ['run', '--no-prompt', '--allow-read', '--allow-write', '--allow-env', '--allow-sys'],
    isOneOfSeveral: true,
  }),
  installed('Bun', 'bun'),
]
