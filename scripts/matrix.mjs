// Installs the packed package into a project as a user does, runs the conformance suite on it in every runtime that is
// here, and prints them as a table. Every runtime has to say the same, byte for byte.
//
//   node scripts/matrix.mjs [part of a name]...
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copySuite, emptyProject, npmInstall, pack } from './matrix/project.mjs'
import { compare, runtimes } from './matrix/runtimes.mjs'

const wanted = process.argv.slice(2).map((word) => word.toLowerCase())
const isWanted = ({ name }) => wanted.length === 0 || wanted.some((w) => name.toLowerCase().includes(w))
// The first one always runs: some runtimes leave out long cases, so their reports are compared with one that has them all.
const chosen = runtimes.filter((runtime, at) => at === 0 || isWanted(runtime))
if (!runtimes.some(isWanted)) throw new Error(`No runtime has ${wanted.join(' or ')} in its name.`)

const folder = mkdtempSync(join(tmpdir(), 'sx-matrix-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
// What was started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

const project = emptyProject(join(folder, 'project'))
const tarball = await pack(folder)
await npmInstall(project, tarball)
copySuite(project)
const rows = await compare(chosen, { project, tarball })
const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row.cells[column].length)))
for (const { cells } of rows)
  console.log(
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
for (const { cells, problem } of rows) if (problem) console.log(`\n${cells[0]}:\n${problem}`)
const count = (state) => rows.filter((row) => row.state === state).length
console.log(`matrix: ${count('same')} agree, ${count('failed')} failed, ${count('not here')} not here`)
process.exitCode = count('failed') === 0 && count('same') > 0 ? 0 : 1
