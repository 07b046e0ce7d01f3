// Writes src/mime-types.ts: the MIME types of names that people sign, as mime-db has them.
//
//   node scripts/mime-types.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import mimeDb from 'mime-db'
import { root } from './setup/shared.mjs'

/** Endings of names, without the dot. A page carries all of them, so these are the well-known ones. */
const endings = `
  7z aac ai apk avi avif bin bmp bz2 css csv doc docx dmg eml eps epub exe flac gif glb gltf gz heic heif htm html ico
  ics jar jpeg jpg js json jsonld kml m4a m4v md mid mjs mkv mov mp3 mp4 mpeg odp ods odt oga ogg ogv opus otf p7m
  p7s pdf pem pfx png ppt pptx ps psd rar rtf sh sql step stl svg tar tif tiff toml tsv ttf txt vcf vsdx wasm
  wav weba webm webp woff woff2 xhtml xls xlsx xml yaml yml zip
`
  .trim()
  .split(/\s+/)

/** The type that mime-db names for an ending; of several that of the standards, as its own documentation says. */
function typeOf(ending) {
  const sources = ['iana', 'nginx', 'apache', undefined]
  const rank = (type) => 2 * sources.indexOf(mimeDb[type].source) + (type.startsWith('application/') ? 1 : 0)
  const types = Object.keys(mimeDb).filter((type) => mimeDb[type].extensions?.includes(ending))
  if (types.length === 0) throw new Error(`mime-db knows no .${ending}`)
  return types.sort((a, b) => rank(a) - rank(b))[0]
}

const byType = new Map()
for (const ending of endings) {
  const type = typeOf(ending)
  if (type !== 'application/octet-stream') byType.set(type, [...(byType.get(type) ?? []), ending]) // that is the default
}
const lines = [...byType].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, names]) => `${type} ${names.join(' ')}`)

const text = `// Made by scripts/mime-types.mjs of mime-db, which is MIT licensed; change that script instead.

/** A MIME type and the endings of names that tell it, on each line. */
export const MIME_TYPES = \`
${lines.join('\n')}
\`
`
const path = join(root, 'src', 'mime-types.ts')
if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (readFileSync(path, 'utf8') !== text) {
  console.error('src/mime-types.ts is not what scripts/mime-types.mjs makes: run it.')
  process.exitCode = 1
}
