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
    const files = (ending) =>
      readdirSync(assets)
        .filter((name) => name.endsWith(ending))
        .map((name) => readFileSync(join(assets, name)))
    return { core: sizesOf(files('.wasm')), script: sizesOf(files('.js')) }
  })
  const { core, script } = parts
  const row = (name, { raw, gzip, brotli }) => [
    name,
    ...[raw, gzip, brotli].map((size) => size.toLocaleString('en-US')),
  ]
  return {
    tables: table(
      ['bytes', 'raw', 'gzip -9', 'brotli 11'],
      [row('core module', core), row('JavaScript of all of `sx-agent/simple`, bundled by Vite', script)],
    ),
    targets: { core: { median: core.brotli } },
  }
}
