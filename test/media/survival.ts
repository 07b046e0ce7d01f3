/** What programs of others do to images, and what is left of signatures in them. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright'
import type { SxAgent } from 'sx-agent'
import { chromiumArgs, findBrowser } from '../../scripts/browsers.mjs'
import { type python, pythonOptimisers, sharpModule } from '../corpus/python.mjs'
import { newFolder } from '../node/fixtures.ts'
import { HANGING } from '../pace.ts'
import { absent } from './tools.ts'

/** What is done to an image: as the table calls it, and in a shell, from the file `in.<suffix>` to `out.<suffix>`. */
type Treatment = readonly [name: string, line: string]

const copy = (suffix: string): string => `cp in.${suffix} out.${suffix}; `
const exiftool = (suffix: string, args: string): Treatment => [
  `\`exiftool ${args}\``,
  `${copy(suffix)}exiftool -q -overwrite_original '${args}' out.${suffix}`,
]
const jpegtran = (args: string): Treatment => [`\`jpegtran ${args}\``, `jpegtran ${args} -outfile out.jpg in.jpg`]
const jpegoptim = (args: string): Treatment => [
  `\`${`jpegoptim ${args}`.trim()}\``,
  `${copy('jpg')}jpegoptim --quiet ${args} out.jpg`,
]
const convert = (suffix: string, args: string): Treatment => [
  `\`convert ${args}\``,
  `convert in.${suffix} ${args} out.${suffix}`,
]
const pillow = (suffix: string, name: string, args = ''): Treatment => [
  `Pillow, ${name}`,
  `python3 "$PILLOW" save in.${suffix} out.${suffix} ${args}`,
]
const sharp = (suffix: string, call: string, how: string): Treatment => [
  `sharp, \`${call}\``,
  `"$NODE" "$SHARP" in.${suffix} out.${suffix} ${how}`,
]
const optimiser = (suffix: string, name: string, args = ''): Treatment => [
  name,
  `python3 "$OPTIMISE" in.${suffix} out.${suffix} ${args}`,
]
const mat2 = (suffix: string, args = ''): Treatment => [
  `\`${`mat2 ${args}`.trim()}\``,
  `${copy(suffix)}mat2 --inplace ${args} out.${suffix}`,
]
const ffmpeg = (suffix: string, args = ''): Treatment => [
  `\`${`ffmpeg ${args}`.trim()}\``,
  `ffmpeg -v error -y -i in.${suffix} ${args} -update 1 out.${suffix}`,
]
const vips = (suffix: string): Treatment => ['`vips copy`', `vips copy in.${suffix} out.${suffix}`]
const jhead = (args: string): Treatment => [`\`jhead ${args}\``, `${copy('jpg')}jhead ${args} out.jpg >&2`]
/** Without loss, as `cjxl` does it unless told otherwise for JPEG, and with `-d 0` for others. */
const jpegXl = (suffix: string, args = ''): Treatment => [
  `JPEG XL and back, \`${`cjxl ${args}`.trim()}\``,
  `cjxl --quiet ${args} in.${suffix} x.jxl 2>&1; djxl --quiet x.jxl out.${suffix} 2>&1`,
]
const CANVAS: Treatment = ['a canvas in Chromium, saved as PNG', 'canvas']

/** By format. */
export const treatments = {
  jpg: [
    jpegtran('-copy all'),
    jpegtran('-copy none'),
    jpegtran('-copy none -optimize'),
    jpegtran('-copy none -progressive'),
    jpegtran('-copy none -arithmetic'),
    jpegoptim(''),
    jpegoptim('--strip-all'),
    exiftool('jpg', '-all='),
    exiftool('jpg', '-Artist=Somebody'),
    exiftool('jpg', '-Orientation#=6'),
    ['`exiv2 rm`', `${copy('jpg')}exiv2 rm out.jpg`],
    ffmpeg('jpg', '-c copy'),
    ffmpeg('jpg'),
    mat2('jpg', '--lightweight'),
    mat2('jpg'),
    jhead('-de'),
    jhead('-purejpg'),
    optimiser('jpg', 'mozjpeg, without loss'),
    sharp('jpg', 'jpeg({ mozjpeg: true })', 'mozjpeg'),
    sharp('jpg', 'keepMetadata()', 'keep'),
    vips('jpg'),
    jpegXl('jpg'),
    jpegXl('jpg', '-d 1 --lossless_jpeg=0'),
    jpegtran('-copy none -rotate 90'),
    jpegtran('-copy none -crop 320x240+0+0'),
    jpegoptim('--max=80'),
    convert('jpg', '-strip'),
    pillow('jpg', 'same quantisation', 'quality=keep'),
    pillow('jpg', 'quality 95', 'quality=95'),
    pillow('jpg', 'quality 75', 'quality=75'),
    pillow('jpg', 'half as wide, quality 75', 'scale=0.5 quality=75'),
    ['`cwebp -metadata all`', 'cwebp -quiet -metadata all in.jpg -o out.webp; mv out.webp out.jpg'],
  ],
  png: [
    ['`optipng -force`', 'optipng -quiet -o1 -force -out out.png in.png'],
    ['`optipng -strip all`', 'optipng -quiet -o1 -strip all -out out.png in.png'],
    ['`zopflipng`', 'zopflipng -q in.png out.png >&2'],
    ['`zopflipng --lossy_transparent`', 'zopflipng -q --lossy_transparent in.png out.png >&2'],
    optimiser('png', 'oxipng'),
    optimiser('png', 'oxipng, stripping all', 'strip'),
    exiftool('png', '-all='),
    exiftool('png', '-Artist=Somebody'),
    ['`exiv2 rm`', `${copy('png')}exiv2 rm out.png`],
    ffmpeg('png', '-c copy'),
    ffmpeg('png'),
    mat2('png', '--lightweight'),
    mat2('png'),
    sharp('png', 'png()', ''),
    sharp('png', 'keepMetadata()', 'keep'),
    vips('png'),
    jpegXl('png', '-d 0'),
    convert('png', '-strip'),
    pillow('png', 'as it is'),
    pillow('png', 'optimised', 'optimize=1'),
    CANVAS,
    convert('png', '-colors 64'),
    pillow('png', 'half as wide', 'scale=0.5'),
    ['`convert` to JPEG and back', 'convert in.png -quality 95 x.jpg; convert x.jpg out.png'],
    ['`cwebp -lossless -metadata all`', 'cwebp -quiet -lossless -metadata all in.png -o out.webp; mv out.webp out.png'],
  ],
  webp: [
    ['`webpmux -set exif`', 'printf II > x.exif; webpmux -set exif x.exif in.webp -o out.webp'],
    ['`webpmux -strip xmp`', 'webpmux -strip xmp in.webp -o out.webp'],
    exiftool('webp', '-all='),
    ['`cwebp -metadata all`', 'cwebp -quiet -metadata all in.webp -o out.webp'],
    ffmpeg('webp', '-c copy'),
    sharp('webp', 'keepMetadata()', 'keep'),
    vips('webp'),
    convert('webp', '-strip'),
    pillow('webp', 'as it is'),
    ['`dwebp`', 'dwebp -quiet in.webp -o out.webp'],
  ],
} as const satisfies Record<string, readonly Treatment[]>

/** What a row needs that not every machine has, by how its name begins: then it says that this is not here. */
const rare: readonly (readonly [row: string, program: string])[] = [
  ['`ffmpeg', 'ffmpeg'],
  ['`mat2', 'mat2'],
  ['`jhead', 'jhead'],
  ['`vips', 'vips'],
  ['JPEG XL', 'cjxl'],
  ['sharp', 'sharp'],
  ['mozjpeg', 'optimisers'],
  ['oxipng', 'optimisers'],
]

/** How the rows begin that cannot be measured here. */
export async function unmeasured(): Promise<readonly string[]> {
  const commands = ['ffmpeg', 'mat2', 'jhead', 'vips', 'cjxl']
  const gone = absent(...commands)
  if ((await sharpModule()) === undefined) gone.push('sharp')
  if ((await pythonOptimisers()) === undefined) gone.push('optimisers')
  return rare.filter(([, program]) => gone.includes(program)).map(([row]) => row)
}

/** Programs that all of this needs. */
export const programs: string[] = [
  'jpegtran',
  'jpegoptim',
  'exiftool',
  'exiv2',
  'convert',
  'identify',
  'cwebp',
  'optipng',
  'zopflipng',
  'webpmux',
  'dwebp',
]

let browser: Promise<Browser> | undefined

/** Closes what was opened. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
}

/** What a page makes of a picture that it draws and saves. */
async function canvas(bytes: Uint8Array): Promise<Buffer> {
  browser ??= chromium.launch({ executablePath: findBrowser('chromium') ?? '', args: chromiumArgs })
  const page = await (await browser).newPage()
  const encoded = await page.evaluate(async (text) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob())
    const drawn = new OffscreenCanvas(image.width, image.height)
    drawn.getContext('2d')?.drawImage(image, 0, 0)
    const saved = new Uint8Array(await (await drawn.convertToBlob({ type: 'image/png' })).arrayBuffer())
    return Array.from(saved, (byte) => String.fromCharCode(byte)).join('')
  }, Buffer.from(bytes).toString('base64'))
  await page.close()
  return Buffer.from(encoded, 'latin1')
}

/** What is left of a signature after a treatment: the verdict in one word, and what it is about. */
export async function survival(
  agent: SxAgent,
  suffix: string,
  signed: Uint8Array,
  [name, line]: Treatment,
  found: NonNullable<Awaited<ReturnType<typeof python>>>,
): Promise<string> {
  const folder = newFolder()
  writeFileSync(join(folder, `in.${suffix}`), signed)
  const out = join(folder, `out.${suffix}`)
  if (line === 'canvas') writeFileSync(out, await canvas(signed))
  else {
    const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
    const scripts = { PILLOW: here('pillow.py'), SHARP: here('sharp.mjs'), OPTIMISE: here('optimise.py') }
    const { env: modules } = line.includes('$OPTIMISE') ? ((await pythonOptimisers()) ?? found) : found
    const env = { ...modules, ...scripts, NODE: process.execPath }
    await promisify(execFile)('sh', ['-euc', line], { cwd: folder, env, timeout: HANGING })
  }
  const { status, code, coverage, signerId, trusted, errors } = await agent.verifyImage(readFileSync(out))
  const { agentId } = agent.getAgentInfo() ?? {}
  const isNobodys = status === 'missing_signature' || code === 'BadSignature' // which says that it cannot be read
  if (!isNobodys && signerId !== agentId) throw new Error(`${name}: signed by '${signerId}'; ${errors}`)
  if (status === 'valid') return trusted ? `valid: ${coverage}` : 'not trusted'
  return status === 'invalid' ? `invalid: ${code}` : 'none'
}
