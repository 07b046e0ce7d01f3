// Images of all kinds, from the encoders that Debian has, for the tests of signatures in images.
//
//   node test/corpus/make.mjs <folder>
//
// apt-get install imagemagick libjpeg-turbo-progs webp libimage-exiftool-perl
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chunk, gained, profile, withSecondImage } from './parts.mjs'

const exec = promisify(execFile)
const programs = ['convert', 'cjpeg', 'cwebp', 'webpmux', 'img2webp', 'exiftool']

/** The programs that are not here. */
export const missing = () => programs.filter((name) => spawnSync(name, ['-version'], { stdio: 'ignore' }).error)

const sizes = { dot: '1x1', odd: '37x29', photo: '256x192' }

/** Kinds of PNG, by what ImageMagick is told. */
const pngs = {
  'grey-1': ['-colorspace', 'gray', '-threshold', '50%', '-define', 'png:bit-depth=1', '-define', 'png:color-type=0'],
  'grey-2': ['-colorspace', 'gray', '-posterize', '4', '-define', 'png:bit-depth=2', '-define', 'png:color-type=0'],
  'grey-4': ['-colorspace', 'gray', '-posterize', '16', '-define', 'png:bit-depth=4', '-define', 'png:color-type=0'],
  'grey-8': ['-colorspace', 'gray', '-define', 'png:bit-depth=8', '-define', 'png:color-type=0'],
  'grey-16': ['-colorspace', 'gray', '-define', 'png:bit-depth=16', '-define', 'png:color-type=0'],
  'grey-alpha-8': ['-colorspace', 'gray', '-alpha', 'set', '-define', 'png:bit-depth=8', '-define', 'png:color-type=4'],
  'grey-alpha-16': [
    '-colorspace',
    'gray',
    '-alpha',
    'set',
    '-define',
    'png:bit-depth=16',
    '-define',
    'png:color-type=4',
  ],
  'rgb-8': ['-define', 'png:bit-depth=8', '-define', 'png:color-type=2'],
  'rgb-16': ['-define', 'png:bit-depth=16', '-define', 'png:color-type=2'],
  'rgba-8': ['-alpha', 'set', '-channel', 'A', '-evaluate', 'set', '60%', '+channel', '-define', 'png:color-type=6'],
  'rgba-16': ['-alpha', 'set', '-define', 'png:bit-depth=16', '-define', 'png:color-type=6'],
  'palette-2': ['-colors', '2', '-define', 'png:color-type=3'],
  'palette-4': ['-colors', '4', '-define', 'png:color-type=3'],
  'palette-16': ['-colors', '16', '-define', 'png:color-type=3'],
  'palette-200': ['-colors', '200', '-define', 'png:color-type=3'],
  'palette-transparent': ['-colors', '8', '-transparent', 'black', '-define', 'png:color-type=3'],
}

const jpegs = {
  baseline: [],
  optimised: ['-optimize'],
  progressive: ['-progressive'],
  arithmetic: ['-arithmetic'],
  grey: ['-grayscale'],
  'grey-progressive': ['-grayscale', '-progressive'],
  restart: ['-restart', '1'],
  'restart-blocks': ['-restart', '3B'],
  'restart-progressive': ['-restart', '2B', '-progressive'],
  full: ['-sample', '1x1'],
  half: ['-sample', '2x1,1x1,1x1'],
  odd: ['-sample', '2x1,1x2,1x1'],
  rgb: ['-rgb'],
  coarse: ['-quality', '20'],
  fine: ['-quality', '98'],
}

const webps = {
  lossy: ['-q', '60'],
  coarse: ['-q', '5'],
  lossless: ['-lossless'],
  'near-lossless': ['-near_lossless', '40'],
}

/** An animated PNG of a still one: its data is the first frame and the second one. */
function animated(png) {
  const number = (value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])
  const data = []
  const first = png.indexOf('IDAT') - 4
  let at = first
  while (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
    const end = at + 12 + png.readUInt32BE(at)
    data.push(png.subarray(at + 8, end - 4))
    at = end
  }
  const control = (sequence) =>
    chunk('fcTL', number(sequence), png.subarray(16, 24), Buffer.alloc(8), Buffer.from([0, 1, 0, 9, 0, 0]))
  return Buffer.concat([
    png.subarray(0, 33),
    chunk('acTL', number(2), number(0)),
    png.subarray(33, first),
    control(0),
    png.subarray(first, at),
    control(1),
    chunk('fdAT', number(2), ...data),
    png.subarray(at),
  ])
}

const xmp =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="image/webp"/></rdf:RDF></x:xmpmeta>'

/** Makes the images in a folder, anew; gives their names. */
async function makeCorpus(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const run = (program, ...args) => exec(program, args, { cwd: folder })
  const read = (name) => readFileSync(join(folder, name))
  const write = (name, ...parts) =>
    writeFileSync(join(folder, name), Buffer.concat(parts.map((part) => Buffer.from(part))))
  for (const [size, pixels] of Object.entries(sizes)) {
    const ppm = `${size}.ppm`
    const noise = ['-attenuate', '0.7', '+noise', 'Gaussian', '-depth', '8']
    await run('convert', '-size', pixels, '-seed', '7', 'plasma:tomato-steelblue', ...noise, ppm)
    for (const [kind, args] of Object.entries(pngs))
      for (const interlace of ['none', 'PNG'])
        await run(
          'convert',
          ppm,
          ...args,
          '-interlace',
          interlace,
          `${size}-${kind}${interlace === 'PNG' ? '-interlaced' : ''}.png`,
        )
    for (const [kind, args] of Object.entries(jpegs))
      await run('cjpeg', ...args, '-outfile', `${size}-${kind}.jpg`, ppm)
    await run('convert', ppm, '-colorspace', 'CMYK', `${size}-cmyk.jpg`)
    for (const [kind, args] of Object.entries(webps))
      await run('cwebp', '-quiet', ...args, ppm, '-o', `${size}-${kind}.webp`)
    await run('cwebp', '-quiet', `${size}-rgba-8.png`, '-o', `${size}-alpha-lossy.webp`)
    await run('cwebp', '-quiet', '-lossless', `${size}-rgba-8.png`, '-o', `${size}-alpha-lossless.webp`)
    await run(
      'img2webp',
      '-lossy',
      '-d',
      '90',
      `${size}-rgb-8.png`,
      `${size}-rgba-8.png`,
      '-o',
      `${size}-animated.webp`,
    )
    write(`${size}-animated.png`, animated(read(`${size}-rgb-8.png`)))
  }
  const jpeg = read('photo-baseline.jpg')
  for (let orientation = 1; orientation <= 8; orientation++) {
    const name = `orientation-${orientation}.jpg`
    write(name, jpeg)
    await run('exiftool', '-q', '-overwrite_original', `-Orientation#=${orientation}`, name)
  }
  write('x.xmp', xmp)
  for (const kind of ['lossy', 'lossless', 'alpha-lossy', 'animated'])
    await run('webpmux', '-set', 'xmp', 'x.xmp', `photo-${kind}.webp`, '-o', `xmp-${kind}.webp`)
  write('profile.icc', profile())
  for (const name of ['icc.jpg', 'icc-progressive.jpg', 'icc.png']) {
    write(
      name,
      read({ 'icc.jpg': 'photo-baseline.jpg', 'icc.png': 'photo-rgb-8.png' }[name] ?? 'photo-progressive.jpg'),
    )
    await run('exiftool', '-q', '-overwrite_original', '-icc_profile<=profile.icc', name)
  }
  for (const kind of ['lossy', 'alpha-lossless'])
    await run('webpmux', '-set', 'icc', 'profile.icc', `photo-${kind}.webp`, '-o', `icc-${kind}.webp`)
  for (const name of ['xmp.jpg', 'xmp.png']) {
    write(name, name.endsWith('png') ? read('photo-rgb-8.png') : jpeg)
    await run('exiftool', '-q', '-overwrite_original', '-XMP-dc:Creator=Somebody', '-EXIF:Artist=Somebody', name)
  }
  write('scans.txt', '0;\n1;\n2;\n')
  await run('cjpeg', '-scans', 'scans.txt', '-outfile', 'scans.jpg', 'photo.ppm')
  await run('cjpeg', '-scans', 'scans.txt', '-restart', '1', '-outfile', 'scans-restart.jpg', 'photo.ppm')
  write('second-image.jpg', withSecondImage(jpeg, read('dot-baseline.jpg')))
  write('apple.png', gained(read('photo-rgb-8.png'), chunk('iDOT', Buffer.alloc(28, 1))))
  write('cicp.png', gained(read('photo-rgb-8.png'), chunk('cICP', Buffer.from([9, 16, 0, 1]))))
  write('motion-photo.jpg', jpeg, '\0\0\0\x18ftypmp42', Buffer.alloc(5000, 7))
  write('fill.jpg', jpeg.subarray(0, 20), Buffer.from([0xff, 0xff, 0xff]), jpeg.subarray(20))
  write('no-end.jpg', jpeg.subarray(0, -2))
  // What some reader takes for more than words, there before the picture is signed.
  const segment = (marker, data) => [Buffer.from([0xff, marker, 0, data.length + 2]), data]
  const afterJfif = (name, marker, data) =>
    write(name, jpeg.subarray(0, 20), ...segment(marker, data), jpeg.subarray(20))
  const comments = {
    mjpeg: 'Metasoft MJPEG Codec',
    itu: 'CS=ITU601',
    multiscope: 'MULTISCOPE II',
    gd: 'CREATOR: gd-jpeg v1.0',
  }
  for (const [kind, words] of Object.entries(comments)) afterJfif(`comment-${kind}.jpg`, 0xfe, Buffer.from(words))
  const adobe = (transform) => Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform])
  for (const transform of [0, 1, 2]) afterJfif(`adobe-${transform}-jfif.jpg`, 0xee, adobe(transform))
  afterJfif('adobe-13.jpg', 0xee, Buffer.concat([adobe(1), Buffer.alloc(1)]))
  afterJfif('adobe-11.jpg', 0xee, adobe(1).subarray(0, 11))
  write('tem.jpg', jpeg.subarray(0, 20), Buffer.from([0xff, 0x01]), jpeg.subarray(20))
  write('stray.jpg', jpeg.subarray(0, 20), 'junk', jpeg.subarray(20))
  const turned = Buffer.from('4578696600004d4d002a00000008000101120003000000010006000000000000', 'hex')
  const hex = (kind, data) =>
    `Raw profile type ${kind}\0\n${kind}\n${`${data.length}`.padStart(8)}\n${data.toString('hex')}\n`
  const words = {
    'raw-exif': hex('exif', turned),
    'raw-icc': hex('icc', profile()),
    orientation: 'exif:Orientation\x006',
  }
  for (const [kind, text] of Object.entries(words))
    write(`text-${kind}.png`, gained(read('photo-rgb-8.png'), chunk('tEXt', Buffer.from(text, 'latin1'))))
  write('turned.png', gained(read('photo-rgb-8.png'), chunk('eXIf', turned.subarray(6))))
  write('aspect.png', gained(read('photo-rgb-8.png'), chunk('pHYs', Buffer.from([0, 0, 0, 1, 0, 0, 0, 4, 0]))))
  write('trailer.png', read('photo-rgb-8.png'), 'more')
  write('trailer.webp', read('photo-lossy.webp'), 'more')
  for (const name of ['x.xmp', 'profile.icc', 'scans.txt', ...Object.keys(sizes).map((size) => `${size}.ppm`)])
    rmSync(join(folder, name))
  return readdirSync(folder).sort()
}

/** The folder of the images in .cache, made if they are not there as this file makes them; and their names. */
export async function corpus() {
  const sources = ['make.mjs', 'parts.mjs'].map((name) => readFileSync(new URL(name, import.meta.url)))
  const version = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 8)
  const folder = fileURLToPath(new URL(`../../.cache/corpus-${version}`, import.meta.url))
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`
    await makeCorpus(draft)
    renameSync(draft, folder)
  }
  return { folder, names: readdirSync(folder).sort() }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv
  if (folder === undefined) throw new Error('Say into which folder.')
  const absent = missing()
  if (absent.length > 0)
    throw new Error(`Not here: ${absent.join(', ')}. The first lines of this file say what to install.`)
  const names = await makeCorpus(folder)
  console.log(`${names.length} images in ${folder}`)
}
