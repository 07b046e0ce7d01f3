// What is downloaded.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { table } from '../report.mjs'
import { withSite } from '../site.mjs'

function sizesOf(files) {
  const sum = (sizeOf) => files.reduce((total, bytes) => total + sizeOf(bytes), 0)
  return {
    raw: sum((bytes) => bytes.length),
    gzip: sum((bytes) => gzipSync(bytes, { level: 9 }).length),
    brotli: sum((bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length),
  }
}

/** The core, and the JavaScript around it in a page. */
export async function size() {
  const parts = await withSite((folder) => {
    const assets = join(folder, 'assets')
    const files = (pattern) =>
      readdirSync(assets)
        .filter((name) => pattern.test(name))
        .map((name) => readFileSync(join(assets, name)))
    const [core, worker, script] = [/\.wasm$/, /^verify-worker.*\.js$/, /^(?!verify-worker).*\.js$/].map(files)
    return { core: sizesOf(core), worker: sizesOf(worker), script: sizesOf(script) }
  })
  const { core, script, worker } = parts
  const row = (name, { raw, gzip, brotli }) => [
    name,
    ...[raw, gzip, brotli].map((size) => size.toLocaleString('en-US')),
  ]
  return {
    tables: table(
      ['bytes', 'raw', 'gzip -9', 'brotli 11'],
      [
        row('core module', core),
        row('JavaScript of all of `sx-agent/simple`, bundled by Vite', script),
        row('worker of `verifyMany`, only where it is used', worker),
      ],
    ),
    targets: { core: { median: core.brotli } },
  }
}
