// What sharp makes of an image: node sharp.mjs <in> <out> [keep | mozjpeg]
import { sharpModule } from '../corpus/python.mjs'

const [source, target, how] = process.argv.slice(2)
const sharp = await sharpModule()
const image = sharp(source)
if (how === 'keep') image.keepMetadata()
if (how === 'mozjpeg') image.jpeg({ mozjpeg: true })
await image.toFile(target)
