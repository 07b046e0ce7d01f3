// Runs wasm/confirm/examples/lanes.rs in WebAssembly: it is what tests the SIMD instructions of Keccak, which no
// processor of the other tests has.
//
//   node scripts/lanes.mjs
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture, env, wasm } from './setup/shared.mjs'

const keys = 32
const target = 'wasm32-unknown-unknown'
await capture('cargo', ['build', '--locked', '--package', 'sx-confirm', '--example', 'lanes', '--target', target], {
  cwd: wasm,
  // Crates of other tests want random numbers, which a bare module cannot have.
  env: { ...env, CARGO_ENCODED_RUSTFLAGS: '-Ctarget-feature=+simd128\x1f--cfg=getrandom_backend="unsupported"' },
})
const { target_directory: folder } = JSON.parse(
  (await capture('cargo', ['metadata', '--locked', '--no-deps', '--format-version', '1'], { cwd: wasm })).stdout,
)
const bytes = readFileSync(join(folder, target, 'debug', 'examples', 'lanes.wasm'))
const { instance } = await WebAssembly.instantiate(bytes)
const agree = instance.exports.main(0, 0)
const ok = agree === keys
console.log(`lanes: ${agree} of ${keys} keys of ML-DSA-87 say in WebAssembly what fips204 says`)
// As Cargo counts tests.
console.log(`test result: ${ok ? 'ok' : 'FAILED'}. ${ok ? 1 : 0} passed; ${ok ? 0 : 1} failed;`)
process.exitCode = ok ? 0 : 1
