/**
 * Who reads a text that was signed in its file. What an input is, its content tells alone; its name only warns, that
 * programs which read files of this name may stumble over lines behind their end.
 *
 * @module
 */
import { extname } from 'node:path'
import { type OutputOptions, remark } from './output.ts'

/** Data and source code in which nothing may follow: docs/texts.md. */
const STUMBLING: ReadonlySet<string> = new Set(
  (
    'csv tsv json jsonl ndjson jsonc json5 geojson yaml yml toml xml xsd xsl svg html htm xhtml ini cfg conf env ' +
    'properties js mjs cjs jsx ts mts cts tsx vue css scss less py ipynb c h cc cpp cxx hpp cs go rs java kt kts ' +
    'scala swift php sql lua r jl dart gradle tf proto graphql tex'
  ).split(' '),
)

/** Scripts that still run, if nothing of them is read behind a line like this one. */
const ENDING: Readonly<Record<string, RegExp>> = {
  sh: /^[ \t]*exit\b[^\n]*\n*(?![^])/m,
  bash: /^[ \t]*exit\b[^\n]*\n*(?![^])/m,
  zsh: /^[ \t]*exit\b[^\n]*\n*(?![^])/m,
  pl: /^__END__\r?$/m,
  rb: /^__END__\r?$/m,
}

/** Where the signatures of a text begin. */
const BLOCK = '-----BEGIN SX SIGNATURE-----'

/**
 * Whether those who read files of this name stumble over a signature at the end.
 *
 * @param bytes the text, with or without signatures
 */
function stumbles(file: string, bytes: Uint8Array): boolean {
  const kind = extname(file).slice(1).toLowerCase()
  if (STUMBLING.has(kind)) return true
  if (!Object.hasOwn(ENDING, kind)) return false
  const [text = ''] = new TextDecoder().decode(bytes).split(BLOCK, 1)
  return ENDING[kind]?.test(text) === false
}

/** Says on standard error, in one line, what was done to a file whose readers stumble over it, and what helps. */
export function warnOfReaders(file: string, bytes: Uint8Array, options: OutputOptions): void {
  if (!stumbles(file, bytes)) return
  const what = `sx: programs that read ${extname(file)} files may fail on the signature at the end of ${file}.`
  remark(
    `${what} To restore the text, use \`sx verify <file> -o <other>\`. To keep the original file, sign with --output.`,
    options,
  )
}
