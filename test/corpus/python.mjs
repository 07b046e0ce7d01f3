// What PyPI has for the tests of images, in .cache: Pillow, the reference implementation of C2PA, and photographs.
//
//   node test/corpus/python.mjs
//
// apt-get install python3-pip
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const exec = promisify(execFile)
const cache = fileURLToPath(new URL('../../.cache', import.meta.url))
const packages = ['c2pa-python==0.38.1', 'pillow==13.0.0']
/** Readers of pictures, with the codecs that they bring. */
const readerPackages = [
  'imageio-ffmpeg==0.8.1',
  'numpy==2.4.6',
  'opencv-python-headless==5.0.0.93',
  'pillow==13.0.0',
  'pymupdf==2.0',
]
/** Optimisers, with what they call. */
const optimiserPackages = ['cffi==2.0.0', 'mozjpeg-lossless-optimization==1.3.2', 'pyoxipng==9.1.1']
/** Another one, from npm. */
const sharp = 'sharp@0.35.5'
/** Packages whose files hold photographs; they are not installed, and no code of theirs runs. */
const albums = ['scikit-image==0.26.0', 'scikit-learn==1.9.1']

const unpack = `
import pathlib, sys, zipfile
for wheel in pathlib.Path(sys.argv[1]).glob("*.whl"):
    with zipfile.ZipFile(wheel) as files:
        for name in files.namelist():
            if name.startswith(("skimage/data/", "sklearn/datasets/images/")) and name.endswith((".jpg", ".png")):
                (pathlib.Path(sys.argv[2]) / pathlib.Path(name).name).write_bytes(files.read(name))
`

/** A folder in .cache that is there whole or not at all; undefined, with a warning, if it cannot be made. */
async function folderOf(name, make) {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(`${folder}-`)
  try {
    await make(draft)
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (existsSync(folder)) return folder // another process was faster
    const [reason] = `${error.stderr ?? error.message}`.trim().split('\n').slice(-1)
    console.warn(`${name} is not here: the tests on it do NOT run. ${reason}`)
    return undefined
  }
  return folder
}

const named = (list) => list.map((one) => one.replaceAll('==', '-')).join('-')
const pip = (...args) => exec('python3', ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args])
const wheels = ['--retries', '1', '--no-deps', '--only-binary', ':all:']

/** Python with some packages: its name and the environment it needs; undefined where it cannot be had. */
async function pythonWith(name, chosen) {
  const folder = await folderOf(name, (draft) => pip('install', ...wheels, '--target', draft, ...chosen))
  const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }
  return folder === undefined ? undefined : { program: 'python3', env }
}

/** Python with Pillow and c2pa. */
export const python = () => pythonWith(`python-${named(packages)}`, packages)

/** Python with the readers of pictures. */
export const pythonReaders = () => pythonWith(`readers-${named(readerPackages)}`, readerPackages)

/** Python with mozjpeg and oxipng. */
export const pythonOptimisers = () => pythonWith(`optimisers-${named(optimiserPackages)}`, optimiserPackages)

/** The module of sharp; undefined where it cannot be had. */
export async function sharpModule() {
  const folder = await folderOf(sharp.replace('@', '-'), async (draft) => {
    writeFileSync(join(draft, 'package.json'), '{}')
    await exec('npm', ['install', '--prefix', draft, '--ignore-scripts', '--no-audit', '--no-fund', sharp])
  })
  if (folder === undefined) return undefined
  return createRequire(join(folder, 'package.json'))('sharp')
}

/** Paths of photographs, some PNG and some JPEG; none where they cannot be had. */
export async function photographs() {
  const folder = await folderOf(`photographs-${named(albums)}`, async (draft) => {
    const files = join(draft, 'wheels')
    // One file for everybody, whatever runs here: nothing but pictures is taken from it.
    const any = ['--platform', 'manylinux_2_28_x86_64', '--python-version', '3.11', '--implementation', 'cp']
    await pip('download', ...wheels, ...any, '--dest', files, ...albums)
    await exec('python3', ['-c', unpack, files, draft])
    rmSync(files, { recursive: true })
  })
  if (folder === undefined) return []
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [found, pictures] = [await python(), await photographs()]
  console.log(`Python ${found === undefined ? 'cannot' : 'can'} be used; ${pictures.length} photographs`)
  if (found === undefined || pictures.length === 0) process.exitCode = 1
}
