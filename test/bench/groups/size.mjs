// What is downloaded.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { root } from '../../../scripts/setup/shared.mjs'
import { fileOf, listedNames, modules } from '../../../scripts/setup/table.mjs'
import { table } from '../report.mjs'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))

function sizesOf(bytes) {
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
  }
}

/** The scripts of a program as Vite bundles it for a page, by name. */
async function bundled(program) {
  const rolldownOptions = { input: path(`../programs/${program}.mjs`), preserveEntrySignatures: 'strict' }
  const { output } = await build({
    root: path('../programs'),
    configFile: false,
    logLevel: 'error',
    build: { target: 'es2022', write: false, rolldownOptions },
  })
  const scripts = output.filter(({ fileName }) => fileName.endsWith('.js'))
  const textOf = ({ code, source }) => Buffer.from(code ?? source)
  const worker = scripts.find(({ fileName }) => /verify-worker/.test(fileName))
  const own = scripts.filter((script) => script !== worker && !/agent-worker/.test(script.fileName))
  return { script: sizesOf(Buffer.concat(own.map(textOf))), worker: worker && sizesOf(textOf(worker)) }
}

/** The core, and the JavaScript around it in a page; what others load for the same. */
export async function size() {
  const { core, ...others } = Object.fromEntries(
    listedNames.map((name) => [name, sizesOf(readFileSync(join(root, fileOf(name))))]),
  )
  const labelOf = (name) => [modules[name].noun, modules[name].loaded].filter(Boolean).join(', ')
  const verifying = await bundled('verify')
  const all = await bundled('simple')
  const images = await bundled('images')
  const row = (name, { raw, gzip, brotli }) => [
    name,
    ...[raw, gzip, brotli].map((size) => size.toLocaleString('en-US')),
  ]
  return {
    tables: table(
      ['bytes', 'raw', 'gzip -9', 'brotli 11'],
      [
        row(labelOf('core'), core),
        row('JavaScript of a page that only verifies', verifying.script),
        ...Object.entries(others).map(([name, sizes]) => row(labelOf(name), sizes)),
        row('JavaScript of a page that verifies images', images.script),
        row('JavaScript of all of `sx-agent/simple`', all.script),
        row('worker of `verifyMany`, if used', all.worker),
        row('jose, to verify, with the cryptography of the browser', (await bundled('jose')).script),
        row('`@noble/curves` and canonicalize, to verify Ed25519', (await bundled('noble-ed25519')).script),
        row('`@noble/post-quantum` and canonicalize, to verify ML-DSA-87', (await bundled('noble-ml-dsa-87')).script),
      ],
    ),
    targets: {
      core: { median: core.brotli },
      verifying: { median: verifying.script.brotli },
      images: { median: core.brotli + others.media.brotli + images.script.brotli },
    },
  }
}
