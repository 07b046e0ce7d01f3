// The table of WebAssembly modules: what package.json and the workspace have to say of each, and how large it may be.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Manifest, packageFaults, sizeFaults, withModules, workspaceFaults } from '../../scripts/modules.mjs'
import { listedNames, modules } from '../../scripts/setup/table.mjs'
import { root } from '../docs/markdown.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as Manifest
const row = { budget: 1000, build: { crates: ['json', 'trial-bindings'] } }
const withTrial = [...listedNames, 'trial']

describe('package.json', () => {
  it('has what the table says', () => {
    expect(packageFaults(manifest, listedNames)).toEqual([])
    expect(JSON.stringify(withModules(manifest, listedNames))).toBe(JSON.stringify(manifest))
  })

  it('lacks the lines of a new module, which are said', () => {
    expect(packageFaults(manifest, withTrial)).toEqual([
      'package.json lacks in "imports": "#modules/trial/source.js": { "workerd": "./wasm/dist/trial/source.workerd.js", "edge-light": "./wasm/dist/trial/source.edge.js", "default": "./wasm/dist/trial/source.js" }',
      'package.json lacks in "exports": "./trial.wasm": "./wasm/dist/trial/trial_bg.wasm"',
      'package.json lacks in "files": "wasm/dist/trial/trial_bg.wasm"',
      'package.json lacks in "files": "wasm/dist/trial/source.js"',
      'package.json lacks in "files": "wasm/dist/trial/source.edge.js"',
      'package.json lacks in "files": "wasm/dist/trial/source.workerd.js"',
      'Change these lines, or run: node scripts/modules.mjs --write',
    ])
  })

  it('has them once they are written, and they are odd once the module is gone', () => {
    const written = withModules(manifest, withTrial)
    expect(packageFaults(written, withTrial)).toEqual([])
    expect(packageFaults(written, listedNames).map((fault) => /"[^"]*trial[^"]*"/.exec(fault)?.[0])).toEqual([
      '"#modules/trial/source.js"',
      '"./trial.wasm"',
      '"wasm/dist/trial/trial_bg.wasm"',
      '"wasm/dist/trial/source.js"',
      '"wasm/dist/trial/source.edge.js"',
      '"wasm/dist/trial/source.workerd.js"',
      undefined, // what to run
    ])
    expect(withModules(written, listedNames)).toEqual(manifest)
  })

  it('names the conditions of a loader in the order in which runtimes take them', () => {
    const key = '#modules/core/source.js'
    const turned = Object.fromEntries(Object.entries(manifest.imports[key] as object).toReversed())
    const other = { ...manifest, imports: { ...manifest.imports, [key]: turned } }
    expect(packageFaults(other, listedNames)[0]).toMatch(
      /^package\.json lacks in "imports": "#modules\/core\/source\.js": /,
    )
  })
})

it('the workspace of Rust has the crates of every module, and says which it lacks', () => {
  const cargo = read('wasm/Cargo.toml')
  expect(workspaceFaults(cargo, modules)).toEqual([])
  expect(workspaceFaults(cargo, { ...modules, trial: row })).toEqual([
    'wasm/Cargo.toml does not have the crate of a module. Add "trial-bindings" to its members.',
  ])
})

it('a module that is not within its budget, or not built, is named', () => {
  expect(sizeFaults({}, { trial: row })).toEqual(['The module trial is not built. Run: npm run setup'])
  expect(sizeFaults({ trial: 1000 }, { trial: row })).toEqual([])
  expect(sizeFaults({ trial: 1001 }, { trial: row })).toEqual([
    'The module trial has 1,001 bytes, compressed by brotli, and its budget is 1,000. Make it smaller, or raise "budget" in its row of wasm/modules.json.',
  ])
})
